"""Opening what somebody else made: a file or standard input, what it is, and why it cannot be read if it cannot."""

from __future__ import annotations

import difflib
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Literal, Protocol

from unveil.errors import InputError
from unveil.files.unpacked import Unpacking, packing_of

Kind = Literal["csv", "parquet", "arrow file", "arrow stream", "workbook"]

#: Longest value that is read, in characters. No attribute of a person is near it; an unclosed quote soon is.
FIELD_LIMIT: Final = 65_536
#: What a person writes for standard input, and standard output.
STANDARD: Final = Path("-")

_HEAD: Final = 4096
_PARQUET: Final = b"PAR1"
_ARROW_FILE: Final = b"ARROW1\0\0"
_ARROW_STREAM: Final = b"\xff\xff\xff\xff"
_MOST_HELD: Final = 4 << 30  # bytes of standard input: they stay in memory, and on no disk
#: What is said of a table with a header alone, and the cure.
NO_RECORDS: Final = "has a header and no records"
EXPORT_AGAIN: Final = "export it again, and look whether a filter left records out"
_SAVE_AS_CSV: Final = "save it as CSV (UTF-8) or Parquet"
_UNPACK: Final = "unpack it first"
_WORKBOOK_PARTS: Final = (b"[Content_Types].xml", b"xl/", b"_rels/", b"docProps/")

#: First bytes of files that are often handed over instead of a table.
_OTHERS: Final[tuple[tuple[bytes, str, str], ...]] = (
    (b"\xfd7zXZ\x00", "compressed with xz", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Excel workbook (xls), or one with a password",
        "save it as xlsx without one, or as CSV (UTF-8)",
    ),
    (b"%PDF-", "a PDF document", _SAVE_AS_CSV),
    (b"FEA1", "a Feather file of the first version", "write it anew: today's Feather is an Arrow file"),
    (b'{"clks":', "a file of CLKs", "unveil convert --to unveil makes a file of encodings of it"),
    (b'{"clknblocks":', "a file of CLKs with blocks", "unveil convert --to unveil makes a file of encodings of it"),
    (b"SQLite format 3\x00", "an SQLite database", "name it as sqlite:PATH, with --query"),
)


class ByteStream(Protocol):
    """What bytes are read from, one piece after the other."""

    def read(self, count: int, /) -> bytes:
        """The next bytes, at most so many; none at the end."""


@dataclass(frozen=True, slots=True, repr=False)
class TableBytes:
    """The bytes that a table stands in, to be read as often as need be; `packed` is the method they are packed by."""

    path: Path
    held: bytes | None = field(default=None, repr=False)  #: of standard input, which can be read once only
    packed: str | None = None

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The open file as it stands, packed or not."""
        if self.held is not None:
            yield io.BytesIO(self.held)
            return
        with opened(self.path) as handle:
            yield handle

    @contextmanager
    def unpacked(self) -> Iterator[ByteStream]:
        """The contents, unpacked if they are packed."""
        with self.opened() as handle:
            yield Unpacking(self.path, handle, self.packed) if self.packed else handle


def bytes_at(path: Path) -> TableBytes:
    """The bytes at that path; of standard input, all that there are."""
    if path == STANDARD:
        held = sys.stdin.buffer.read(_MOST_HELD + 1)
        name = Path("standard input")
        if len(held) > _MOST_HELD:
            raise InputError(name, "holds more than 4 GB", hint="write it to a file first")
        found = TableBytes(name, held)
    else:
        found = TableBytes(path)
    with found.opened() as handle:
        packed = packing_of(_head(path, handle))
    return TableBytes(found.path, found.held, packed)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The open file at that path; a path that is no readable plain file is an InputError."""
    try:
        # A named pipe would block for ever and a device may never end, so the kind of file is asked before opening.
        mode = os.stat(path).st_mode  # noqa: PTH116 - the same call, and it takes any path
        if stat.S_ISDIR(mode):
            raise InputError(path, "is a directory, not a file", hint="name the file of records in it")
        if not stat.S_ISREG(mode):
            raise InputError(path, "is not a plain file", hint="copy it to a file first")
        handle = Path(path).open("rb")  # noqa: SIM115 - closed by the with below
    except FileNotFoundError:
        raise InputError(path, "no such file", hint=_where_else(path)) from None
    except PermissionError:
        raise InputError(path, "no permission to read it") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise InputError(path, f"cannot be opened: {reason}") from None
    with handle:
        yield handle


def _where_else(path: Path) -> str:
    """A file in the same folder that is called nearly so, or how to look for it."""
    try:
        there = [each.name for each in Path(path).parent.iterdir() if each.is_file()]
    except OSError:
        return f"there is no folder {Path(path).parent}, going by the folder that you are in"
    near = difflib.get_close_matches(Path(path).name, there, n=1)
    return f"{near[0]} lies there" if near else "check the path, which goes from the folder that you are in"


def kind_of(data: TableBytes) -> Kind:
    """What kind of table the bytes are, by the first of them; anything else is an InputError."""
    path = data.path
    with data.unpacked() as handle:
        head = _head(path, handle)
    if not head:
        raise InputError(path, "is empty", hint=EXPORT_AGAIN)
    found = _by_beginning(head)
    if found not in {None, "csv"} and data.packed:
        raise InputError(path, f"is compressed with {data.packed}, and not text", hint=_UNPACK)
    if found is not None:
        return found
    if path.suffix.lower() in {".parquet", ".pq"}:
        raise InputError(path, "is not a Parquet file, although its name says so", hint="export or copy it again")
    _refuse_other_kinds(path, head)
    return "csv"


def _head(path: Path, handle: ByteStream) -> bytes:
    try:
        return handle.read(_HEAD)
    except OSError as error:
        damaged = error.errno is None  # our own word on a packed file
        raise InputError(path, "is a damaged packed file" if damaged else "cannot be read") from None


def _by_beginning(head: bytes) -> Kind | None:
    if head.startswith(_PARQUET):
        return "parquet"
    if head.startswith(_ARROW_FILE):
        return "arrow file"
    if head.startswith(_ARROW_STREAM):
        return "arrow stream"
    if head.startswith(b"PK\x03\x04") and any(part in head for part in _WORKBOOK_PARTS):
        return "workbook"
    return None


def _refuse_other_kinds(path: Path, head: bytes) -> None:
    if head.startswith(b"PK\x03\x04"):
        raise InputError(path, "is a zip archive", hint=_UNPACK)
    for mark, what, hint in _OTHERS:
        if head.startswith(mark):
            raise InputError(path, f"is {what}", hint=hint)
    if len(head) > 1 and head.count(0) == len(head):
        raise InputError(path, "holds zeros and is not text", hint="the file is damaged; export it again")
