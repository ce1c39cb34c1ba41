"""Opening a file that somebody else made: what it is, and why it cannot be read if it cannot."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Literal

from unveil.errors import InputError

Kind = Literal["csv", "parquet"]

#: Longest value that is read, in characters. No attribute of a person is near it; an unclosed quote soon is.
FIELD_LIMIT: Final = 65_536

_HEAD: Final = 4096
_PARQUET: Final = b"PAR1"
_SAVE_AS_CSV: Final = "save it as CSV (UTF-8) or Parquet"
_UNPACK: Final = "unpack it first"
_SAVE_AS_UTF8: Final = 'save it again as UTF-8 (in a spreadsheet: "CSV UTF-8")'
_WORKBOOK_PARTS: Final = (b"[Content_Types].xml", b"xl/", b"_rels/")

#: First bytes of files that are often handed over instead of a table; a longer mark stands before its own beginning.
_OTHERS: Final[tuple[tuple[bytes, str, str], ...]] = (
    (b"\xff\xfe\x00\x00", "text in UTF-32, not UTF-8", _SAVE_AS_UTF8),
    (b"\x00\x00\xfe\xff", "text in UTF-32, not UTF-8", _SAVE_AS_UTF8),
    (b"\xff\xfe", "text in UTF-16, not UTF-8", _SAVE_AS_UTF8),
    (b"\xfe\xff", "text in UTF-16, not UTF-8", _SAVE_AS_UTF8),
    (b"\x1f\x8b", "compressed with gzip", _UNPACK),
    (b"BZh", "compressed with bzip2", _UNPACK),
    (b"\xfd7zXZ\x00", "compressed with xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook (xls)", _SAVE_AS_CSV),
    (b"%PDF-", "a PDF document", _SAVE_AS_CSV),
    (b"ARROW1", "an Arrow (Feather) file", _SAVE_AS_CSV),
    (b"SQLite format 3\x00", "an SQLite database", _SAVE_AS_CSV),
)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The open file at that path; a path that is no readable plain file is an InputError."""
    try:
        # A named pipe would block for ever and a device may never end, so the kind of file is asked before opening.
        mode = os.stat(path).st_mode  # noqa: PTH116 - the same call, and it takes any path
        if stat.S_ISDIR(mode):
            raise InputError(path, "is a directory, not a file")
        if not stat.S_ISREG(mode):
            raise InputError(path, "is not a plain file", hint="copy it to a file first")
        handle = Path(path).open("rb")  # noqa: SIM115 - closed by the with below
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except PermissionError:
        raise InputError(path, "no permission to read it") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise InputError(path, f"cannot be opened: {reason}") from None
    with handle:
        yield handle


def kind_of(path: Path) -> Kind:
    """Whether the file is CSV or Parquet, by its first bytes; anything else is an InputError."""
    with opened(path) as handle:
        try:
            head = handle.read(_HEAD)
        except OSError:
            raise InputError(path, "cannot be read") from None
    if not head:
        raise InputError(path, "is empty")
    if head.startswith(_PARQUET):
        return "parquet"
    if path.suffix.lower() in {".parquet", ".pq"}:
        raise InputError(path, "is not a Parquet file, although its name says so", hint="export or copy it again")
    _refuse_other_kinds(path, head)
    return "csv"


def _refuse_other_kinds(path: Path, head: bytes) -> None:
    if head.startswith(b"PK\x03\x04"):
        if any(part in head for part in _WORKBOOK_PARTS):
            raise InputError(path, "is an Excel workbook (xlsx)", hint=_SAVE_AS_CSV)
        raise InputError(path, "is a zip archive", hint=_UNPACK)
    for mark, what, hint in _OTHERS:
        if head.startswith(mark):
            raise InputError(path, f"is {what}", hint=hint)
    # Latin text in UTF-16 has a NUL in about every second byte, in UTF-32 in three of four, with a mark or without.
    nuls = head.count(0)
    if len(head) > 1 and nuls * 3 >= len(head):
        width = "UTF-32" if nuls * 3 >= 2 * len(head) else "UTF-16"
        raise InputError(path, f"is text in {width}, not UTF-8, or not text at all", hint=_SAVE_AS_UTF8)
