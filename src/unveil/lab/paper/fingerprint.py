"""A hash of everything that decides a result: two results under the same fingerprint are interchangeable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path

import unveil
from unveil.errors import InputError
from unveil.schema import Schema

#: Code that can change a figure. Engines agree bit for bit, so they are not among it.
_DECIDING = (
    "encoding", "lab/evaluation/baselines.py", "lab/evaluation/quality.py", "lab/paper/spread.py", "lab/paper/work.py",
    "lab/simulation", "linkage", "models", "privacy", "roles", "schema/hardening.py", "schema/normalisation.py",
    "schema/presets.py", "schema/transforms.py", "screening",
)  # fmt: skip
_LIBRARIES = ("numpy", "scikit-learn")
_MEMBERS = ("a", "b", "truth")


def fingerprint(schema: Schema, preset: str, folder: Path) -> str:
    """A hash of the data set, the schema, the preset, and the code and libraries that compute with them."""
    parts = {
        "data": data_hash(folder),
        "schema": schema.model_dump(mode="json"),
        "preset": preset,
        "version": unveil.__version__,
        "code": _code_hash(),
        "libraries": {name: metadata.version(name) for name in _LIBRARIES},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def data_hash(folder: Path) -> str:
    """A hash of the files of a data set."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.stem in _MEMBERS):
        try:
            with path.open("rb") as handle:
                inner = hashlib.file_digest(handle, "sha256").hexdigest()
        except OSError as error:
            raise InputError(path, f"cannot be read: {error.strerror}") from None
        digest.update(f"{path.name}:{inner};".encode())
    return digest.hexdigest()


@cache
def _code_hash() -> str:
    # Once for a process: the code it runs is the code it loaded, whatever happens to the files meanwhile.
    root = resources.files("unveil")
    digest = hashlib.sha256()
    for name in _DECIDING:
        for file in _files(root.joinpath(*name.split("/"))):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _files(place: Traversable) -> Iterator[Traversable]:
    if not place.is_dir():
        yield place  # reading what is not there fails: a room that has moved must not drop out of the fingerprint
        return
    for part in sorted(place.iterdir(), key=lambda part: part.name):
        if part.name != "__pycache__":
            yield from _files(part)
