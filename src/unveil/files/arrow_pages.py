"""
How large an Arrow file becomes when it is unpacked, found out before anything is.

A stream of Arrow is messages one after the other: a mark, the length of a header, the header, a body. Bodies may be
packed buffer by buffer, and a reader takes as much memory as stands before each packed buffer. So the messages are
walked and these numbers added up. A header is a table of FlatBuffers: Message has (1) the type of its header, (2) the
header and (3) the length of the body; DictionaryBatch has (1) a RecordBatch; RecordBatch has (2) its buffers and (3)
how they are packed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from unveil.errors import InputError
from unveil.files.parquet_pages import UnpackedSize

#: A file is a stream between two marks, with a directory behind it that nobody needs who reads all of it.
FILE_MARK: Final = 8

_CONTINUES: Final = 0xFFFFFFFF
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
_LARGEST_HEADER: Final = 64 << 20
_ALIGNED: Final = 8


def check_messages(path: Path, handle: BinaryIO, *, start: int) -> None:
    """Refuse a stream, from `start` on, whose buffers unpack to more than a file of its size should hold."""
    size = handle.seek(0, 2)
    whole, place = UnpackedSize(path, size), start
    try:
        while header := _header_at(handle, place, size):
            message = _Flat.root(header)
            body = place + _ALIGNED + len(header)
            for offset, length in _packed_buffers(message):
                handle.seek(body + offset)
                (unpacked,) = struct.unpack("<q", handle.read(8)) if length else (0,)
                whole.take(max(unpacked, 0))
            # A body of less than nothing would lead back, and round for ever.
            place = body + max(message.number(3, "<q"), 0)
    except (struct.error, ValueError, IndexError, OverflowError, OSError):
        raise InputError(path, "is a damaged Arrow file", hint="export it again") from None


def _header_at(handle: BinaryIO, place: int, size: int) -> bytes:
    """The header of the message at that place; none at the end."""
    handle.seek(place)
    beginning = handle.read(8)
    if len(beginning) < 8:  # noqa: PLR2004 - a mark and a length
        return b""
    mark, length = struct.unpack("<Ii", beginning)
    if mark != _CONTINUES or not 0 <= length <= min(size, _LARGEST_HEADER):
        raise ValueError("no message of a stream")
    return handle.read(length)


def _packed_buffers(message: _Flat) -> Iterator[tuple[int, int]]:
    """Where packed buffers stand in the body and how long they are; none if they are not packed."""
    kind, header = message.number(1, "<B"), message.table(2)
    if header is None or kind not in {_DICTIONARY_BATCH, _RECORD_BATCH}:
        return
    batch = header.table(1) if kind == _DICTIONARY_BATCH else header
    if batch is not None and batch.table(3) is not None:
        yield from batch.pairs(2)


class _Flat:
    """A table of FlatBuffers; IndexError or struct.error where the bytes end too soon."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at
        self._directory = at - self._read("<i", at)
        self._fields = (self._read("<H", self._directory) - 4) // 2

    @classmethod
    def root(cls, data: bytes) -> _Flat:
        """The table that all others hang on."""
        return cls(data, struct.unpack_from("<I", data)[0])

    def number(self, field: int, kind: str) -> int:
        """The number in that field, 0 if it is not there."""
        place = self._place(field)
        return self._read(kind, place) if place else 0

    def table(self, field: int) -> _Flat | None:
        """The table in that field; None if it is not there."""
        place = self._place(field)
        return _Flat(self._data, place + self._read("<I", place)) if place else None

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """The pairs of numbers in that field."""
        if place := self._place(field):
            start = place + self._read("<I", place)
            for number in range(self._read("<I", start)):
                yield struct.unpack_from("<qq", self._data, start + 4 + 16 * number)

    def _place(self, field: int) -> int:
        if field >= self._fields:
            return 0
        offset = self._read("<H", self._directory + 4 + 2 * field)
        return self._at + offset if offset else 0

    def _read(self, kind: str, at: int) -> int:
        if at < 0:
            raise IndexError
        number: int = struct.unpack_from(kind, self._data, at)[0]
        return number
