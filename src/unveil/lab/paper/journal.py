"""
The journal: one line of JSON for every finished piece of work, on the disk before the next one begins.

An experiment that was interrupted, or whose machine went down, reads it and repeats nothing. A line belongs to a
fingerprint: lines of other data, settings or code stay in the file and are not used.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from unveil.errors import SettingError

Result = dict[str, Any]


class Journal:
    """The open journal. Only one experiment at a time may hold it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: BinaryIO | None = None

    def __enter__(self) -> Self:
        try:
            handle = self._path.open("a+b")
        except OSError as error:
            raise SettingError(f"{self._path}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            handle.close()
            hint = "wait for it to end, or give another --out"
            raise SettingError(f"{self._path.parent}: another experiment is at work here", hint=hint) from None
        self._handle = handle
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            self._handle.close()

    def read(self, fingerprints: Mapping[str, str]) -> tuple[dict[str, Result], int]:
        """The results under the fingerprint of their data set, by key, and how many lines belong to another one."""
        assert self._handle is not None
        self._handle.seek(0)
        data = self._handle.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            # The machine went down while the last line was written: what came before it counts.
            self._handle.truncate(whole)
        found: dict[str, Result] = {}
        others = 0
        for line in data[:whole].splitlines():
            result = _parsed(line)
            if result is None or fingerprints.get(result["dataset"]) != result["fingerprint"]:
                others += 1
            else:
                found[result["key"]] = result
        return found, others

    def append(self, result: Result) -> None:
        """Write a result and wait until it is on the disk."""
        assert self._handle is not None
        try:
            self._handle.write(json.dumps(result, separators=(",", ":")).encode() + b"\n")
            self._handle.flush()
            os.fsync(self._handle.fileno())
        except OSError as error:
            raise SettingError(f"{self._path}: cannot be written: {error.strerror}") from None


def _parsed(line: bytes) -> Result | None:
    try:
        result = json.loads(line)
    except ValueError:
        return None
    needed: Collection[str] = ("key", "dataset", "fingerprint")
    return result if isinstance(result, dict) and all(isinstance(result.get(key), str) for key in needed) else None
