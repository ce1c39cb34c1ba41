"""
Private files: readable by their owner alone, made once and never replaced.

A file that others can read is refused, as ssh does: a secret that leaked once cannot be called back. No error says
anything about what a file holds.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from unveil.errors import UnveilError


def write_new(path: Path, data: bytes, *, error: type[UnveilError], why_kept: str) -> None:
    """Make a file of mode 600 with these contents, on the disk when this returns; one that exists is never replaced."""
    try:
        # O_EXCL fails on anything that is there, dangling links included; the mode holds from the first moment.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise error(f"{path}: exists already", hint=why_kept) from None
    except FileNotFoundError:
        raise error(f"{path}: the folder {path.parent} does not exist") from None
    except (OSError, ValueError) as problem:
        raise error(f"{path}: cannot be written: {_reason(problem)}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as problem:
        path.unlink(missing_ok=True)
        raise error(f"{path}: cannot be written: {problem.strerror}") from None


def read(path: Path, *, longest: int, error: type[UnveilError], hint: str, private: bool = True) -> bytes:
    """The first `longest` bytes of a plain file; with `private`, one that others can read is refused."""
    try:
        # Not blocking: opening a named pipe would otherwise wait for ever.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise error(f"{path}: no such file", hint=hint) from None
    except (OSError, ValueError) as problem:
        raise error(f"{path}: cannot be read: {_reason(problem)}") from None
    try:
        # Asked of the open file, not of the path: the path may be another file by now.
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise error(f"{path}: is not a plain file")
        if private and os.name == "posix" and mode & 0o077:
            raise error(f"{path}: others on this machine can read it", hint=f"chmod 600 {path}")
        return os.read(handle, longest)
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror}") from None
    finally:
        os.close(handle)


def check_private(path: Path, *, error: type[UnveilError]) -> None:
    """Refuse a file that others on this machine can read or write, if it is there."""
    try:
        mode = path.stat().st_mode
    except OSError:  # none, or not for us to see: whoever opens it is told
        return
    if os.name == "posix" and stat.S_ISREG(mode) and mode & 0o077:
        raise error(f"{path}: others on this machine can read it", hint=f"chmod 600 {path}")


def check_folder(path: Path, *, error: type[UnveilError]) -> None:
    """
    Refuse a folder in which others on this machine can put or replace files.

    Its being readable shows names alone, so that is allowed; where everybody may write, as in /tmp, a file can be laid
    out beforehand even if nobody can replace one that is there.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if os.name == "posix" and mode & 0o022:
        raise error(f"{path}: others on this machine can put files into this folder", hint=f"chmod go-w {path}")


def _reason(problem: OSError | ValueError) -> str:
    return (problem.strerror or "no reason given") if isinstance(problem, OSError) else "not a path"
