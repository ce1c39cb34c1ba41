"""
Streaming a CSV file of UTF-8 text: the needed columns in batches of rows, and the exact row of any mistake.

The parser is the standard library's in its strict mode, so text that is quoted wrongly is refused and never guessed at.
Memory is bounded by one batch, whatever the file holds.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

from unveil.errors import InputError
from unveil.files.header import column_positions
from unveil.files.source import FIELD_LIMIT, opened

_CHUNK: Final = 1 << 20
_LINE_LIMIT: Final = 16 * FIELD_LIMIT
_BATCH_CELLS: Final = 1 << 12  # small enough to stay in the processor's cache: larger ones are slower
_DELIMITERS: Final = (",", ";", "\t")


@dataclass(frozen=True, slots=True, repr=False)
class RowBatch:
    """Some rows of a table: the number of each row, and its values column by column as they stand in the file."""

    rows: Sequence[int]
    columns: Sequence[Sequence[str]]


class _Unreadable(Exception):
    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem, self.hint = problem, hint


TOO_LONG: Final = (
    f"a value is longer than {FIELD_LIMIT // 1024} kB",
    "a quote may not be closed, or the file is not a table of people",
)
NUL: Final = ("holds a NUL byte", "the file is damaged or not text; export it again as UTF-8")
NOT_UTF8: Final = ("is not UTF-8 text", "it looks like Latin-1 or Windows-1252: save it again as UTF-8")


def csv_names(path: Path) -> list[str]:
    """The names of a CSV file's columns, for whoever does not know what to look for."""
    with opened(path) as handle:
        lines = _lines(handle)
        first = _first(path, lines)
        delimiter = max(_DELIMITERS, key=first.count)
        return _header(path, csv.reader(chain([first], lines), delimiter=delimiter, strict=True))


def csv_batches(path: Path, needed: Sequence[str]) -> Iterator[RowBatch]:
    """The needed columns of a CSV file in batches; whatever is wrong with a row is an InputError with its number."""
    with opened(path) as handle:
        lines = _lines(handle)
        first = _first(path, lines)
        delimiter = _delimiter(first, needed)
        reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        names = _header(path, reader)
        at = column_positions(path, names, needed)
        yield from _batches(path, reader, len(names), at)


def _first(path: Path, lines: Iterator[str]) -> str:
    try:
        return next(lines, "")
    except _Unreadable as found:
        raise InputError(path, f"in the header: {found.problem}", hint=found.hint) from None


def _batches(path: Path, reader: Iterator[list[str]], width: int, at: Sequence[int]) -> Iterator[RowBatch]:
    size = max(1, _BATCH_CELLS // width)
    row = 0
    failure: InputError | None = None
    while failure is None:
        rows: list[list[str]] = []
        try:
            # Appended one by one: the rows before a mistake are checked first, and they count where it is.
            for cells in reader:
                rows.append(cells)
                if len(rows) == size:
                    break
            if not rows:
                return
        except (_Unreadable, csv.Error) as found:
            failure = _explained(path, found, row + len(rows) + 1)
        if rows:
            yield _batch(path, rows, row, width, at)
        row += len(rows)
    raise failure


def _batch(path: Path, rows: list[list[str]], before: int, width: int, at: Sequence[int]) -> RowBatch:
    numbers: Sequence[int] = range(before + 1, before + len(rows) + 1)
    if any(len(cells) != width for cells in rows):
        for number, cells in zip(numbers, rows, strict=True):
            if len(cells) != width and not _blank(cells):
                hint = "a value with the delimiter, a quote or a line break in it must be in quotes"
                raise InputError(path, f"has {len(cells)} cells, the header has {width}", row=number, hint=hint)
        numbers = [number for number, cells in zip(numbers, rows, strict=True) if len(cells) == width]
        rows = [cells for cells in rows if len(cells) == width]
    return RowBatch(numbers, [[cells[place] for cells in rows] for place in at])


def _blank(cells: list[str]) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def _explained(path: Path, found: Exception, row: int) -> InputError:
    if isinstance(found, _Unreadable):
        return InputError(path, found.problem, row=row, hint=found.hint)
    # The parser's own message may quote the delimiter only, but ours says what to do.
    if "unexpected end" in str(found):
        return InputError(
            path, "a quote is opened and never closed", row=row, hint="close it, or double it inside text"
        )
    if "limit" in str(found):
        return InputError(path, TOO_LONG[0], row=row, hint=TOO_LONG[1])
    hint = "a quote inside a quoted value must be doubled"
    return InputError(path, "text follows a closing quote", row=row, hint=hint)


def _header(path: Path, reader: Iterator[list[str]]) -> list[str]:
    try:
        names = next(reader, [])
    except (_Unreadable, csv.Error):
        raise InputError(path, "the header cannot be read", hint="check the quotes in the first line") from None
    if not any(name.strip() for name in names):
        raise InputError(path, "has no header", hint="the first line must name the columns")
    return [name.strip() for name in names]


def _delimiter(line: str, needed: Sequence[str]) -> str:
    """The first delimiter under which the header line has every needed column, else the one that finds most."""

    def found(delimiter: str) -> int:
        names = {name.strip().strip('"') for name in line.split(delimiter)}
        return sum(name in names for name in needed)

    return max(_DELIMITERS, key=found)


def _lines(handle: BinaryIO) -> Iterator[str]:
    """
    The lines of the file with their ends.

    Whatever cannot be read is raised only after every line before it was handed out, so that whoever counts rows knows
    where it stands.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
    rest = ""
    while True:
        try:
            data = handle.read(_CHUNK)
        except OSError:
            raise _Unreadable("cannot be read any further", "the disk or the network failed; try again") from None
        text, problem = _decoded(decoder, data)
        rest += text
        if problem is not None:
            yield from _split(rest[: max(rest.rfind("\n"), rest.rfind("\r")) + 1])
            raise _Unreadable(*problem)
        # A carriage return at the very end stays behind: its line feed may come with the next chunk.
        end = max(rest.rfind("\n"), rest.rfind("\r", 0, -1)) + 1 if data else len(rest)
        yield from _split(rest[:end])
        rest = rest[end:]
        if len(rest) > _LINE_LIMIT:
            raise _Unreadable(*TOO_LONG)
        if not data:
            return


def _split(text: str) -> Iterator[str]:
    # Unlike str.splitlines, this breaks lines at CR and LF alone: a line separator of Unicode is part of a value.
    return io.StringIO(text, newline="")


def _decoded(decoder: codecs.IncrementalDecoder, data: bytes) -> tuple[str, tuple[str, str] | None]:
    """The text of these bytes as far as it can be read, and what stopped the reading."""
    nul = data.find(0)
    usable = data if nul < 0 else data[:nul]
    try:
        text = decoder.decode(usable, final=not data)
    except UnicodeDecodeError as error:
        # error.object may begin with bytes kept from the chunk before; up to error.start all of it is sound.
        return error.object[: error.start].decode("utf-8", "strict"), NOT_UTF8
    return text, None if nul < 0 else NUL
