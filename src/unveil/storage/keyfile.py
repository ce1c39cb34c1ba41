"""
Key files: where an owner keeps the project's secret.

A key file is two lines of text: the mark `unveil-key-1` and 32 random bytes in base64url. It is readable by its owner
alone, and a file that others can read is refused, as ssh does: a key that leaked once cannot be called back. No error
says anything about what the file holds.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from unveil.errors import KeyFileError

MARK: Final = "unveil-key-1"
KEY_BYTES: Final = 32

_LONGEST: Final = 1024
_NEW_HINT: Final = "unveil key new makes one"
_COPY_HINT: Final = "copy the file again from whoever gave it to you"


def new(path: Path) -> None:
    """Make a key file with a fresh random key; a file that exists is never replaced."""
    text = f"{MARK}\n{_text_of(secrets.token_bytes(KEY_BYTES))}\n"
    try:
        # O_EXCL fails on anything that is there, dangling links included; the mode holds from the first moment.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        hint = "a lost key makes every encoding under it useless, so a key file is never replaced"
        raise KeyFileError(f"{path}: exists already", hint=hint) from None
    except FileNotFoundError:
        raise KeyFileError(f"{path}: the folder {path.parent} does not exist") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise KeyFileError(f"{path}: cannot be written: {reason}") from None
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise KeyFileError(f"{path}: cannot be written: {error.strerror}") from None


def read(path: Path) -> bytes:
    """The 32 secret bytes in a key file; a file that others can read, or that is no key file, is refused."""
    data = _contents(path)
    lines = data.split()
    if not lines or lines[0] != MARK.encode():
        raise KeyFileError(f"{path}: is not a key file of Unveil", hint=_NEW_HINT)
    if len(lines) != 2:  # noqa: PLR2004 - the mark and the key
        raise KeyFileError(f"{path}: has {len(lines)} lines, a key file has 2", hint=_COPY_HINT)
    try:
        secret = base64.b64decode(lines[1] + b"=" * (-len(lines[1]) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise KeyFileError(f"{path}: the key is not base64url text", hint=_COPY_HINT) from None
    if len(secret) != KEY_BYTES:
        raise KeyFileError(f"{path}: the key has {len(secret)} bytes, not {KEY_BYTES}", hint=_COPY_HINT)
    # One key has one text: a last letter with stray bits is a damaged copy, not another spelling.
    if _text_of(secret).encode() != lines[1].rstrip(b"="):
        raise KeyFileError(f"{path}: the key is not base64url text", hint=_COPY_HINT)
    return secret


def _text_of(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).decode().rstrip("=")


def _contents(path: Path) -> bytes:
    try:
        # Not blocking: opening a named pipe would otherwise wait for ever.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise KeyFileError(f"{path}: no such file", hint=_NEW_HINT) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise KeyFileError(f"{path}: cannot be read: {reason}") from None
    try:
        # Asked of the open file, not of the path: the path may be another file by now.
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise KeyFileError(f"{path}: is not a plain file")
        if os.name == "posix" and mode & 0o077:
            raise KeyFileError(f"{path}: others on this machine can read it", hint=f"chmod 600 {path}")
        return os.read(handle, _LONGEST)
    except OSError as error:
        raise KeyFileError(f"{path}: cannot be read: {error.strerror}") from None
    finally:
        os.close(handle)
