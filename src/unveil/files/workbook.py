"""A sheet of an Excel workbook (xlsx) as a table, its cells as a person sees them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from unveil.errors import InputError, SettingError
from unveil.files.first_rows import LOOKED_AT, header_place
from unveil.files.header import column_positions
from unveil.files.reading import Reading
from unveil.files.source import TableBytes
from unveil.files.table import RowBatch
from unveil.files.workbook_cells import CellReader, column_at
from unveil.files.workbook_parts import SheetPart, WorkbookParts, XmlEvent
from unveil.settings.mistakes import near

_BATCH: Final = 1000

#: The number of a row in its sheet, and its cells; those behind the last that holds something are not there.
SheetRow = tuple[int, list[str]]


@dataclass(frozen=True, slots=True)
class WorkbookTable:
    """A sheet: its columns by name, and which row is the last that names them; 0 if none does."""

    data: TableBytes
    sheet: SheetPart
    columns: Sequence[str]
    header_row: int
    notes: tuple[str, ...]
    unreadable: dict[str, str]

    @property
    def path(self) -> Path:
        """What errors call it."""
        return self.data.path

    @classmethod
    def of(cls, data: TableBytes, reading: Reading) -> WorkbookTable:
        """The table of the sheet that is named, or of the first one that people see."""
        with data.opened() as handle:
            parts = WorkbookParts(data.path, handle)
            sheets, from_1904 = parts.sheets()
            reader = CellReader.of(parts, from_1904=from_1904)
            possible = _possible(data.path, sheets, reading.sheet)
            begun = [(sheet, _Beginning.of(parts, sheet, reader)) for sheet in possible]
        # A workbook may begin with a page about it.
        sheet, beginning = next((one for one in begun if one[1].is_table), begun[0])
        first = beginning.rows
        if not first:
            raise InputError(data.path, f"sheet {sheet.name} is empty", hint="--sheet names another")
        seen = [each.name for each in sheets if each.is_visible]
        notes = [] if reading.sheet or len(seen) < 2 else [_said(data.path, sheet, seen)]  # noqa: PLR2004
        if beginning.is_uncalculated:
            notes.append(f"{data.path}: formulas have no results saved: open it in a spreadsheet and save it again")
        if not reading.header:
            return cls(data, sheet, [str(at + 1) for at in range(len(first[0][1]))], 0, tuple(notes), {})
        place = header_place(_padded([cells for _, cells in first]))
        last = first[place.before + place.rows - 1][0]
        return cls(data, sheet, place.names, last, (*notes, *place.notes(data.path)), {})

    def batches(self, needed: Sequence[str]) -> Iterator[RowBatch]:
        """The needed columns in batches of rows, which are counted from the first one after the header."""
        at, width = column_positions(self.path, self.columns, needed), len(self.columns)
        with self.data.opened() as handle:
            parts = WorkbookParts(self.path, handle)
            _, from_1904 = parts.sheets()
            rows: list[SheetRow] = []
            for number, cells in _rows(parts, self.sheet, _Row(CellReader.of(parts, from_1904=from_1904))):
                if number <= self.header_row:
                    continue
                if len(cells) > width:
                    hint = "name every column in the header, or take out what stands beside the table"
                    row = number - self.header_row
                    raise InputError(self.path, f"has {len(cells)} cells, the header has {width}", row=row, hint=hint)
                rows.append((number - self.header_row, cells + [""] * (width - len(cells))))
                if len(rows) == _BATCH:
                    yield _batch(rows, at)
                    rows = []
            if rows:
                yield _batch(rows, at)


def _padded(rows: Sequence[list[str]]) -> list[list[str]]:
    """The rows, none shorter than most are: where its last cells are empty a row ends before them."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    return [row + [""] * (width - len(row)) for row in rows]


def _batch(rows: Sequence[SheetRow], at: Sequence[int]) -> RowBatch:
    return RowBatch([number for number, _ in rows], [[cells[place] for _, cells in rows] for place in at])


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The first rows of a sheet that hold something, and whether there are formulas in them without a result."""

    rows: list[SheetRow]
    is_uncalculated: bool

    @classmethod
    def of(cls, parts: WorkbookParts, sheet: SheetPart, reader: CellReader) -> _Beginning:
        """The beginning of that sheet."""
        row = _Row(reader)
        return cls(list(islice(_rows(parts, sheet, row), LOOKED_AT)), row.is_uncalculated)

    @property
    def is_table(self) -> bool:
        """Whether there are columns and records: two rows of two cells at least."""
        return sum(sum(map(bool, cells)) > 1 for _, cells in self.rows) > 1


def _possible(path: Path, sheets: Sequence[SheetPart], wanted: str | None) -> Sequence[SheetPart]:
    """The sheet that is named, or those that people see."""
    if wanted is None:
        return [sheet for sheet in sheets if sheet.is_visible] or sheets[:1]
    found = [sheet for sheet in sheets if sheet.name == wanted]
    if not found:
        names = [sheet.name for sheet in sheets]
        raise SettingError(f"{path}: no sheet {wanted}{near(wanted, names)}", hint=f"there are {', '.join(names)}")
    return found[:1]


def _said(path: Path, sheet: SheetPart, names: Sequence[str]) -> str:
    which = "the first" if sheet.name == names[0] else "the first with a table"
    return f"{path}: sheet {sheet.name} is read, {which} of {len(names)}; --sheet names another"


def _rows(parts: WorkbookParts, sheet: SheetPart, row: _Row) -> Iterator[SheetRow]:
    """The rows that hold something, each taken in by that row."""
    try:
        for event in parts.events(sheet.file):
            if event.name == "row" and not event.is_end:
                row.begin(event.given)
            elif event.name == "row":
                if cells := row.ended():
                    yield row.number, cells
            else:
                row.take(event)
    except (ValueError, IndexError):
        raise parts.damaged() from None


class _Row:
    """The row at hand, cell by cell."""

    def __init__(self, reader: CellReader) -> None:
        self._reader = reader
        self.number = 0
        self.is_uncalculated = False
        self._is_formula = False
        self._cells: list[str] = []
        self._given: Mapping[str, str] = {}
        self._place, self._value, self._pieces = -1, "", list[str]()

    def begin(self, given: Mapping[str, str]) -> None:
        """Begin a row; one that does not say its number follows the one before."""
        self.number = int(given.get("r") or self.number + 1)
        self._cells, self._place = [], -1

    def take(self, event: XmlEvent) -> None:
        """Take in what begins or ends in the row."""
        if event.name == "c" and not event.is_end:
            self._given, self._value, self._pieces, self._is_formula = event.given, "", [], False
            self._place = column_at(event.given.get("r", ""), self._place + 1)
        elif event.name == "v":
            self._value = event.text
        elif event.name == "f":
            self._is_formula = True
        elif event.name == "t" and event.is_end:
            self._pieces.append(event.text)
        elif event.name == "c":
            self.is_uncalculated |= self._is_formula and not self._value
            written = "".join(self._pieces) if self._given.get("t") == "inlineStr" else self._value
            self._cells += [""] * (self._place - len(self._cells)) + [self._reader.text(self._given, written)]

    def ended(self) -> list[str]:
        """The cells up to the last that holds something."""
        while self._cells and not self._cells[-1].strip():
            self._cells.pop()
        return self._cells
