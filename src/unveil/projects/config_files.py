"""What the configurations of units and owners have in common: files beside them, databases, certificates, a seed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import Field

from unveil.errors import Problem
from unveil.settings.base import Settings

# Group members may read a key, as services on many systems do; everybody may not.
_EVERYBODY: Final = 0o007
_POSTGRESQL: Final = ("postgresql://", "postgres://")
_SQLITE: Final = "sqlite:///"


class TlsFile(Settings):
    """[tls]: this party's certificate and whose certificates it trusts."""

    certificate: str = Field(min_length=1, description="file with this party's certificate (PEM)")
    key: str = Field(min_length=1, description="file with its private key (PEM)")
    authority: str = Field(min_length=1, description="file with the authority's certificate (PEM)")


class DemonstrationFile(Settings):
    """[demonstration]: settings that no real project may have."""

    seed: int = Field(ge=0, lt=1 << 63, description="makes every random draw repeatable, and so guessable")


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificate, private key and trusted authority, as files."""

    certificate: Path
    key: Path
    authority: Path

    @classmethod
    def beside(cls, folder: Path, file: TlsFile) -> Tls:
        """Paths as they are meant: relative ones from the folder of the configuration."""
        return cls(beside(folder, file.certificate), beside(folder, file.key), beside(folder, file.authority))


def beside(folder: Path, text: str) -> Path:
    """The file that is meant, relative paths from the folder, without steps up and down again."""
    path = folder / text
    try:
        # Only what is above the file is followed: who names a link may wish to point it elsewhere later.
        return path.parent.resolve() / path.name
    except (OSError, ValueError, RuntimeError):
        return path  # no such path can be; whoever looks for the file says so


def missing_file(key: str, path: Path) -> Iterator[Problem]:
    """A problem unless this is a plain file."""
    try:
        if path.is_file():
            return
        reason = "is not a plain file" if path.exists() else "no such file"
    except (OSError, ValueError):
        reason = "is not a path that can be read"
    yield Problem(key, f"{path}: {reason}", "a path, relative to this file")


def open_secret(key: str, path: Path) -> Iterator[Problem]:
    """A problem unless this is a plain file that not everybody on this machine can read."""
    problems = list(missing_file(key, path))
    yield from problems
    if not problems and os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & _EVERYBODY:
        yield Problem(key, f"{path}: everybody on this machine can read it", f"mode 600: chmod 600 {path}")


def database_url(text: str, folder: Path) -> str:
    """The URL of a database; a file is relative to the folder."""
    if text.startswith(_POSTGRESQL):
        return text
    return _SQLITE + str(folder / text.removeprefix(_SQLITE))


def database_problems(text: str) -> list[Problem]:
    """What is wrong with the name of a database, without showing it."""
    if text.startswith((*_POSTGRESQL, _SQLITE)) or ":" not in text:
        return []
    return [Problem("database", "no such kind of database", "a file, sqlite:///FILE or postgresql://…")]


def tls_problems(folder: Path, file: TlsFile) -> list[Problem]:
    """What is wrong with the files that [tls] names."""
    tls = Tls.beside(folder, file)
    return [
        *missing_file("tls.certificate", tls.certificate),
        *open_secret("tls.key", tls.key),
        *missing_file("tls.authority", tls.authority),
    ]


def demonstration_problems(file: DemonstrationFile | None, *, demonstration: bool) -> list[Problem]:
    """A seed is for demonstrations alone: who knows it knows every key_pair, handle and decoy."""
    if file is None or demonstration:
        return []
    return [Problem("demonstration", "allowed together with --demonstration only", "no such table")]
