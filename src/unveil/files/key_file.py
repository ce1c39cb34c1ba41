"""
Key files: where an owner keeps the project's secret.

A key file is two lines of text: the mark `unveil-key-1` and 32 random bytes in base64url. It is readable by its owner
alone, and a file that others can read is refused (`private_file`). No error says anything about what the file holds.
`sealed_key` makes the form in which a key travels from one owner to another.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from pathlib import Path
from typing import Final

from unveil.errors import KeyFileError
from unveil.files import private_file
from unveil.files import sealed_key as sealed
from unveil.protocol.messages import OWNER_KEY

MARK: Final = "unveil-key-1"

_LONGEST: Final = 1024
_NEW_HINT: Final = (
    "one owner makes it with unveil key new; the others get the same with unveil key export and unveil key import"
)
_SEALED_HINT: Final = "unveil key import opens it and makes a key file of it"
KEPT: Final = "a lost key makes every encoding under it useless, so a key file is never replaced"
_COPY_HINT: Final = "copy the file again from whoever gave it to you"


def new(path: Path) -> None:
    """Make a key file with a fresh random key; a file that exists is never replaced."""
    write(path, secrets.token_bytes(OWNER_KEY))


def write(path: Path, secret: bytes) -> None:
    """Make a key file that holds this key; a file that exists is never replaced."""
    if len(secret) != OWNER_KEY:
        raise KeyFileError(f"{path}: a key has {OWNER_KEY} bytes, not {len(secret)}")
    text = f"{MARK}\n{_text_of(secret)}\n"
    private_file.write_new(path, text.encode("ascii"), error=KeyFileError, why_kept=KEPT)


def read(path: Path) -> bytes:
    """The 32 secret bytes in a key file; a file that others can read, or that is no key file, is refused."""
    # A sealed key may be read by everybody, so it is told apart before that is asked.
    anything = private_file.read(path, longest=_LONGEST, error=KeyFileError, hint=_NEW_HINT, private=False)
    if sealed.is_sealed(anything):
        raise KeyFileError(f"{path}: is a sealed key, not a key file", hint=_SEALED_HINT)
    lines = private_file.read(path, longest=_LONGEST, error=KeyFileError, hint=_NEW_HINT).split()
    if not lines or lines[0] != MARK.encode():
        raise KeyFileError(f"{path}: is not a key file of Unveil", hint=_NEW_HINT)
    if len(lines) != 2:  # noqa: PLR2004 - the mark and the key
        raise KeyFileError(f"{path}: has {len(lines)} lines, a key file has 2", hint=_COPY_HINT)
    try:
        secret = base64.b64decode(lines[1] + b"=" * (-len(lines[1]) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise KeyFileError(f"{path}: the key is not base64url text", hint=_COPY_HINT) from None
    if len(secret) != OWNER_KEY:
        raise KeyFileError(f"{path}: the key has {len(secret)} bytes, not {OWNER_KEY}", hint=_COPY_HINT)
    # One key has one text: a last letter with stray bits is a damaged copy, not another spelling.
    if _text_of(secret).encode() != lines[1].rstrip(b"="):
        raise KeyFileError(f"{path}: the key is not base64url text", hint=_COPY_HINT)
    return secret


def _text_of(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).decode().rstrip("=")
