"""
Streaming text with one record on each line: the needed columns in batches of rows, and the exact row of any mistake.

The parser is the standard library's in its strict mode, so text that is quoted wrongly is refused and never guessed at.
Encoding and delimiter are found where they are not given (`text_encoding`, `delimiters`). Memory is bounded by one
batch, whatever the file holds.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from unveil.errors import InputError
from unveil.files.delimiters import found_delimiter, rows_of, said_delimiter
from unveil.files.first_rows import LOOKED_AT, HeaderPlace, header_place
from unveil.files.header import column_positions
from unveil.files.reading import Reading
from unveil.files.source import FIELD_LIMIT, ByteStream, TableBytes
from unveil.files.table import RowBatch
from unveil.files.text_encoding import UTF8, FoundEncoding, found_encoding, is_utf8_beyond_ascii

_CHUNK: Final = 1 << 20
_SCANNED: Final = 1 << 20  # bytes at a time, while the encoding is found
_LINE_LIMIT: Final = 16 * FIELD_LIMIT
_BATCH_CELLS: Final = 1 << 12  # small enough to stay in the processor's cache: larger ones are slower


class _Unreadable(Exception):
    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem, self.hint = problem, hint


TOO_LONG: Final = (
    f"a value is longer than {FIELD_LIMIT // 1024} kB",
    "a quote may not be closed, or the file is not a table of people",
)
UNQUOTED: Final = "a value with the delimiter, a quote or a line break in it must be in quotes"
NO_RECORD: Final = (
    "take the line out if it is a title, a total or a note and no record; a line break in a value needs quotes"
)
_NO_RECORD: Final = 3  # a line with so many times fewer cells than the header is hardly a record
_END_OF_DOS: Final = "\x1a"  # what old programs write behind a text
NUL: Final = ("holds a NUL byte", "the file is damaged or not text; export it again as UTF-8")
NOT_UTF8: Final = ("is not UTF-8 text", "the file may be damaged; if it is not, --encoding says how it is written")


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A table of text: its columns, how it is written, and what people should know of that."""

    data: TableBytes
    columns: Sequence[str]
    encoding: str
    delimiter: str
    before: int  #: rows before the first record, the header's among them
    notes: tuple[str, ...]
    unreadable: dict[str, str]

    @property
    def path(self) -> Path:
        """What errors call it."""
        return self.data.path

    @classmethod
    def of(cls, data: TableBytes, reading: Reading, needed: Sequence[str] = ()) -> CsvTable:
        """The table, once it is known how it is written; the `needed` columns help to tell."""
        encoding, notes = _encoding(data, reading)
        with _lines_of(data, encoding) as lines:
            kept, delimiter, again = _begun(data.path, lines, reading, needed)
            if not reading.header:
                columns = _numbered(data.path, csv.reader(again, delimiter=delimiter, strict=True))
                return cls(data, columns, encoding, delimiter, 0, notes, {})
            place = header_place(rows_of(kept, delimiter))
            columns = _header(data.path, csv.reader(again, delimiter=delimiter, strict=True), place)
        said = (*notes, *place.notes(data.path))
        return cls(data, columns, encoding, delimiter, place.before + place.rows, said, {})

    def batches(self, needed: Sequence[str]) -> Iterator[RowBatch]:
        """The needed columns in batches; whatever is wrong with a row is an InputError with its number."""
        path = self.path
        at = column_positions(path, self.columns, needed)
        with _lines_of(self.data, self.encoding) as lines:
            _, _, again = _begun(path, lines, Reading(delimiter=self.delimiter), ())
            reader = csv.reader(again, delimiter=self.delimiter, strict=True)
            for _ in range(self.before):
                next(reader)
            yield from _batches(path, reader, self.columns, at)


def _encoding(data: TableBytes, reading: Reading) -> tuple[str, tuple[str, ...]]:
    """The codec, and what to say about it."""
    with data.unpacked() as handle:
        if reading.encoding is None:
            found = found_encoding(_chunks(handle))
            said = f"{data.path}: read as {found.said}, as its bytes look; --encoding names another"
            return found.codec, (said,) if found.said else ()
        given = reading.encoding
        if given in {"utf-16", "utf-32"}:  # in which order the bytes stand is said by the file
            found = found_encoding(_chunks(handle))
            fits = found if found.codec.startswith(given) else FoundEncoding(f"{given}-le")
            return fits.codec, ()
        if given != UTF8 and not given.startswith("utf") and is_utf8_beyond_ascii(_chunks(handle)):
            said = f"{data.path}: is UTF-8, and read as {given} its letters beyond A to Z are spoilt"
            return given, (f"{said}; leave --encoding out",)
        return given, ()


def _chunks(handle: ByteStream) -> Iterator[bytes]:
    try:
        while chunk := handle.read(_SCANNED):
            yield chunk
    except OSError:  # reading the rows meets it again, and says where
        return


@contextmanager
def _lines_of(data: TableBytes, encoding: str) -> Iterator[Iterator[str]]:
    with data.unpacked() as handle:
        yield _lines(handle, encoding)


def _begun(
    path: Path, lines: Iterator[str], reading: Reading, needed: Sequence[str]
) -> tuple[list[str], str, Iterator[str]]:
    """The first lines, the delimiter, and all lines of the table."""
    kept: list[str] = []
    failure: _Unreadable | None = None
    try:
        for line in lines:
            kept.append(line)
            if len(kept) == LOOKED_AT:
                break
    except _Unreadable as found:
        failure = found
    if failure is not None and not kept:
        raise InputError(path, f"in the header: {failure.problem}", hint=failure.hint) from None
    said = said_delimiter(kept[0]) if kept else None
    if said is not None:
        kept = kept[1:]
    delimiter = reading.delimiter or said or found_delimiter(kept, needed)
    return kept, delimiter, chain(kept, _failing(failure), lines)


def _failing(failure: _Unreadable | None) -> Iterator[str]:
    """Nothing, or what went wrong while the first lines were looked at, at its own place."""
    yield from ()
    if failure is not None:
        raise failure


def _batches(path: Path, reader: Iterator[list[str]], names: Sequence[str], at: Sequence[int]) -> Iterator[RowBatch]:
    size = max(1, _BATCH_CELLS // len(names))
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
            yield _batch(path, rows, row, names, at)
        row += len(rows)
    raise failure


def _batch(path: Path, rows: list[list[str]], before: int, names: Sequence[str], at: Sequence[int]) -> RowBatch:
    numbers: Sequence[int] = range(before + 1, before + len(rows) + 1)
    width = len(names)
    if any(len(cells) != width for cells in rows):
        # Spreadsheets leave out the ends of lines that are empty, and columns without a name hold nothing anyway.
        nameless = next((left for left in range(width) if names[-1 - left]), 0)
        for number, cells in zip(numbers, rows, strict=True):
            if width - nameless <= len(cells) < width:
                cells.extend([""] * (width - len(cells)))
            if len(cells) > width and not any(map(str.strip, cells[width:])):
                del cells[width:]  # some programs end every line but the first with a delimiter
            if len(cells) != width and not _blank(cells):
                few = len(cells) <= max(1, width // _NO_RECORD)
                problem = f"has {len(cells)} cell{'s' * (len(cells) != 1)}, the header has {width}"
                raise InputError(path, problem, row=number, hint=NO_RECORD if few else UNQUOTED)
        numbers = [number for number, cells in zip(numbers, rows, strict=True) if len(cells) == width]
        rows = [cells for cells in rows if len(cells) == width]
    return RowBatch(numbers, [[cells[place] for cells in rows] for place in at])


def _blank(cells: list[str]) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip().removesuffix(_END_OF_DOS))


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


def _header(path: Path, reader: Iterator[list[str]], place: HeaderPlace) -> list[str]:
    """The names of the columns; what stands before the records is read once more, for its quotes must be right."""
    try:
        for _ in range(place.before + place.rows):
            next(reader, [])
    except (_Unreadable, csv.Error):
        raise InputError(path, "the header cannot be read", hint="check the quotes in the first line") from None
    if not any(place.names):
        raise InputError(path, "has no header", hint="the first line must name the columns")
    return list(place.names)


def _numbered(path: Path, reader: Iterator[list[str]]) -> list[str]:
    """The columns of a table without a header, by their numbers."""
    try:
        cells = next((cells for cells in reader if not _blank(cells)), [])
    except (_Unreadable, csv.Error) as found:
        raise _explained(path, found, 1) from None
    if not cells:
        raise InputError(path, "holds no records")
    return [str(number) for number in range(1, len(cells) + 1)]


def _lines(handle: ByteStream, encoding: str) -> Iterator[str]:
    """
    The lines of the file with their ends.

    Whatever cannot be read is raised only after every line before it was handed out, so that whoever counts rows knows
    where it stands.
    """
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    rest, is_begun = "", False
    while True:
        try:
            data = handle.read(_CHUNK)
        except OSError:
            raise _Unreadable("cannot be read any further", "the disk or the network failed; try again") from None
        text, problem = _decoded(decoder, data, encoding)
        if text and not is_begun:
            text, is_begun = text.removeprefix("\ufeff"), True
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


def _decoded(decoder: codecs.IncrementalDecoder, data: bytes, encoding: str) -> tuple[str, tuple[str, str] | None]:
    """The text of these bytes as far as it can be read, and what stopped the reading."""
    problem = None
    try:
        text = decoder.decode(data, final=not data)
    except UnicodeDecodeError as error:
        # error.object may begin with bytes kept from the chunk before; up to error.start all of it is sound.
        text = error.object[: error.start].decode(encoding, "strict")
        problem = NOT_UTF8 if encoding == UTF8 else (f"is not text in {encoding}", "--encoding names another")
    nul = text.find("\0")
    return (text, problem) if nul < 0 else (text[:nul], NUL)
