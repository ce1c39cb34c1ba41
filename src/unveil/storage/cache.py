"""
A folder of arrays that can be computed again: compared pairs, say, kept by the hash of what they were computed from.

Whatever goes wrong with a cache costs time, never a result: a file that is cut short or damaged counts as absent, and
one that cannot be written is not written. One file holds one result: a line of JSON that names the arrays, their types,
shapes and places, and then the arrays, each at a multiple of 64 bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.safety.private_folder import private_folder

_MARK: Final = "unveil-cache-1"
_ALIGNMENT: Final = 64
_LONGEST_HEADER: Final = 1 << 20
#: Kinds of NumPy type: booleans, integers, floats, complex numbers, bytes, text. Never objects: reading runs nothing.
_KINDS: Final = "biufcSU"


class Cache:
    """
    Arrays by key, in one folder that only this user can read, and into which nobody else can put any.

    A folder that others can read or write to is not used: what lies there may be anybody's. `wanted` says whether
    anything may be kept at all; once it does not, nothing is.
    """

    def __init__(self, folder: Path, *, wanted: Callable[[], bool] = lambda: True) -> None:
        self._folder, self._wanted = folder, wanted

    def get(self, key: str) -> dict[str, NDArray[Any]] | None:
        """The arrays kept under a key, read-only and mapped from the file; None if there are none that are sound."""
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
            if not self._folder.is_dir() or private_folder(self._folder) is None:
                return None
            with self._path(key).open("rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return _arrays(data, key)
        return None

    def put(self, key: str, arrays: Mapping[str, NDArray[Any]]) -> bool:
        """Keep arrays under a key, in place of what was there; False if the disk would not, or nothing is wanted."""
        flat = {name: np.asarray(array, order="C") for name, array in arrays.items()}
        for name, array in flat.items():
            if array.dtype.kind not in _KINDS:
                raise SettingError(f"{name}: arrays of this type are not kept")
        try:
            if private_folder(self._folder) is None:
                return False
            with replacing(self._path(key)) as temporary, temporary.open("wb") as file:
                _write(file, key, flat)
        except (OSError, SettingError):
            return False
        # Asked afterwards: whoever ends the wish and then clears the folder, in another process perhaps, either finds
        # this file or is found here.
        if not self._wanted():
            self.clear()
            return False
        return True

    def clear(self) -> None:
        """Forget everything. The files are unlinked, not overwritten."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, key: str) -> Path:
        # Hashed once more, so that any text can be a key and none can name another folder.
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.arrays"


def _write(file: BinaryIO, key: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    about, place = [], 0
    hasher = hashlib.sha256()
    for name, array in arrays.items():
        about.append([name, array.dtype.str, list(array.shape), place])
        hasher.update(_bytes(array))
        place += array.nbytes + _padding(array.nbytes)
    header = {"format": _MARK, "key": key, "arrays": about, "size": place}
    header["sha256"] = _checksum(header, hasher.digest())
    line = json.dumps(header).encode() + b"\n"
    file.write(line + bytes(_padding(len(line))))
    for array in arrays.values():
        file.write(_bytes(array))
        file.write(bytes(_padding(array.nbytes)))


def _arrays(data: mmap.mmap, key: str) -> dict[str, NDArray[Any]]:
    line = data[: data.find(b"\n", 0, _LONGEST_HEADER) + 1]
    header = json.loads(line)
    checksum = header.pop("sha256")
    start = len(line) + _padding(len(line))
    if header["format"] != _MARK or header["key"] != key or len(data) != start + header["size"]:
        raise ValueError("not this cache's file")
    view, arrays, hasher = memoryview(data), {}, hashlib.sha256()
    for name, kind, shape, place in header["arrays"]:
        dtype = np.dtype(kind)
        if dtype.kind not in _KINDS:
            raise ValueError("not an array of this cache")
        size = dtype.itemsize * math.prod(shape)
        piece = view[start + place : start + place + size]
        hasher.update(piece)
        arrays[name] = np.frombuffer(piece, dtype).reshape(shape)
    if checksum != _checksum(header, hasher.digest()):
        raise ValueError("damaged")
    return arrays


def _checksum(header: Mapping[str, Any], contents: bytes) -> str:
    return hashlib.sha256(json.dumps(header).encode() + contents).hexdigest()


def _bytes(array: NDArray[Any]) -> memoryview:
    """An array's bytes, without a copy."""
    return array.reshape(-1).view(np.uint8).data if array.nbytes else memoryview(b"")


def _padding(size: int) -> int:
    return -size % _ALIGNMENT
