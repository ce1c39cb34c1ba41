"""
How large a Parquet file becomes when it is unpacked, found out before anything is.

What the footer says about sizes may be a lie; what a reader takes memory for stands in the header of each page. So the
pages of the needed columns are walked, header by header, without unpacking one. A header is a struct in Thrift's
compact protocol: (1) type, (2) size unpacked, (3) size packed, (5) data page, (7) dictionary page, (8) data page of
version 2; in (5) and (7) the encoding is field 2, in (8) field 4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from unveil.errors import InputError

#: A file may become so many times larger than it is, and so large in any case.
MOST_TIMES: Final = 100
ALWAYS_ALLOWED: Final = 64 << 20
#: Writers make pages of about a megabyte; no more than one of them is unpacked at a time, for each column.
LARGEST_PAGE: Final = 64 << 20
#: Values as what they have in common with the one before and a rest: a few bytes may stand for any number of values of
#: any length, and a reader unpacks them all to hand out one.
_DELTA_BYTE_ARRAY: Final = 7

_HEADER_WINDOWS: Final = (1 << 12, 1 << 20)  # bytes read in the hope that they hold a whole header
_DEEPEST: Final = 8
_BOMB: Final = "would become far larger than it is once unpacked"
_EXPORT: Final = "export it again, or save it as CSV (UTF-8)"
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    12,
)


@dataclass(frozen=True, slots=True)
class _Page:
    unpacked: int
    packed: int
    header: int
    encodings: tuple[int, ...]


class UnpackedSize:
    """What a file has become so far; `take` refuses it once that is more than a file of its size may."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._left = max(ALWAYS_ALLOWED, MOST_TIMES * size)

    def take(self, count: int) -> None:
        """So many bytes are unpacked."""
        self._left -= count
        if self._left < 0:
            raise InputError(self._path, _BOMB, hint=_EXPORT)


def check_pages(path: Path, handle: BinaryIO, metadata: Any, columns: Collection[str]) -> None:
    """Refuse a file whose pages of these columns unpack to more than a file of its size should hold."""
    size = handle.seek(0, 2)
    whole = UnpackedSize(path, size)
    for chunk in _chunks(metadata, columns):
        for page in _pages(path, handle, chunk, size):
            if page.unpacked > LARGEST_PAGE:
                raise InputError(path, _BOMB, hint=_EXPORT)
            if _DELTA_BYTE_ARRAY in page.encodings:
                problem = "is written in an encoding whose size nobody can tell beforehand (DELTA_BYTE_ARRAY)"
                raise InputError(path, problem, hint="export it again with plain or dictionary encoding, or as CSV")
            whole.take(page.unpacked)


def _chunks(metadata: Any, columns: Collection[str]) -> Iterator[Any]:
    """The parts of these columns, with whatever may be nested in them; of one without values no page is ever read."""
    for group in range(metadata.num_row_groups):
        part = metadata.row_group(group)
        for at in range(part.num_columns):
            chunk = part.column(at)
            if chunk.num_values and any(
                chunk.path_in_schema == name or chunk.path_in_schema.startswith(f"{name}.") for name in columns
            ):
                yield chunk


def _pages(path: Path, handle: BinaryIO, chunk: Any, size: int) -> Iterator[_Page]:
    place: int = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < (chunk.dictionary_page_offset or 0) < place:
        place = chunk.dictionary_page_offset
    end = min(size, place + chunk.total_compressed_size)
    while 0 <= place < end:
        page = _page_at(handle, place)
        if page is None or page.packed < 0 or page.unpacked < 0:
            raise InputError(path, "is a damaged Parquet file", hint="export it again")
        yield page
        place += page.header + page.packed


def _page_at(handle: BinaryIO, place: int) -> _Page | None:
    for window in _HEADER_WINDOWS:
        handle.seek(place)
        try:
            return _Header(handle.read(window)).page()
        except (IndexError, ValueError, RecursionError):
            continue
    return None


class _Header:
    """Reads one struct; IndexError where the bytes end too soon."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def page(self) -> _Page:
        found = self._struct(0)
        inner = ((found.get(kind), field) for kind, field in ((5, 2), (7, 2), (8, 4)))
        encodings = [struct.get(field) for struct, field in inner if isinstance(struct, dict)]
        unpacked, packed = found.get(2), found.get(3)
        if not (isinstance(unpacked, int) and isinstance(packed, int)):
            raise ValueError("no page header")  # noqa: TRY004 - of bytes, not of a type
        return _Page(unpacked, packed, self._at, tuple(each for each in encodings if each is not None))

    def _struct(self, depth: int) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        found: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) & 0x0F != _STOP:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            found[number] = self._value(head & 0x0F, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in {_TRUE, _FALSE}:
            return kind == _TRUE
        if kind in {_I16, _I32, _I64}:
            return self._zigzag()
        if kind == _STRUCT:
            return self._struct(depth + 1)
        if kind in {_LIST, _SET}:
            return self._list(depth)
        if kind in {_BYTE, _DOUBLE, _BINARY}:
            self._skip({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._varint())
            return None
        raise ValueError("no page header holds this")

    def _list(self, depth: int) -> None:
        head = self._byte()
        count = head >> 4 if head >> 4 < 0x0F else self._varint()  # noqa: PLR2004 - four bits that are all set
        for _ in range(count):
            if head & 0x0F in {_TRUE, _FALSE}:
                self._byte()
            else:
                self._value(head & 0x0F, depth + 1)

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _skip(self, count: int) -> None:
        self._at += count
        if self._at > len(self._data):
            raise IndexError

    def _varint(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:  # noqa: PLR2004 - the highest bit says that more follow
                return value
            shift += 7
            if shift > 63:  # noqa: PLR2004 - bits of the largest number
                raise ValueError("no number")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
