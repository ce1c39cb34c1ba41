"""A sheet of an Excel workbook (xlsx) as a table, its cells as a person sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from unveil.errors import InputError, SettingError
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
    """A sheet: its columns by name, and in which row they are named; 0 if in none."""

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
            sheet = _chosen(data.path, sheets, reading.sheet)
            first = next(_rows(parts, sheet, CellReader.of(parts, from_1904=from_1904)), None)
        if first is None:
            raise InputError(data.path, f"sheet {sheet.name} is empty", hint="--sheet names another")
        seen = [each.name for each in sheets if each.is_visible]
        notes = () if reading.sheet or len(seen) < 2 else (_said(data.path, sheet, seen),)  # noqa: PLR2004
        number, cells = first
        names = [cell.strip() for cell in cells] if reading.header else [str(at + 1) for at in range(len(cells))]
        return cls(data, sheet, names, number if reading.header else 0, notes, {})

    def batches(self, needed: Sequence[str]) -> Iterator[RowBatch]:
        """The needed columns in batches of rows, which are counted from the first one after the header."""
        at, width = column_positions(self.path, self.columns, needed), len(self.columns)
        with self.data.opened() as handle:
            parts = WorkbookParts(self.path, handle)
            _, from_1904 = parts.sheets()
            rows: list[SheetRow] = []
            for number, cells in _rows(parts, self.sheet, CellReader.of(parts, from_1904=from_1904)):
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


def _batch(rows: Sequence[SheetRow], at: Sequence[int]) -> RowBatch:
    return RowBatch([number for number, _ in rows], [[cells[place] for _, cells in rows] for place in at])


def _chosen(path: Path, sheets: Sequence[SheetPart], wanted: str | None) -> SheetPart:
    if wanted is None:
        return next((sheet for sheet in sheets if sheet.is_visible), sheets[0])
    found = next((sheet for sheet in sheets if sheet.name == wanted), None)
    if found is None:
        names = [sheet.name for sheet in sheets]
        raise SettingError(f"{path}: no sheet {wanted}{near(wanted, names)}", hint=f"there are {', '.join(names)}")
    return found


def _said(path: Path, sheet: SheetPart, names: Sequence[str]) -> str:
    return f"{path}: sheet {sheet.name} is read, the first of {len(names)}; --sheet names another"


def _rows(parts: WorkbookParts, sheet: SheetPart, reader: CellReader) -> Iterator[SheetRow]:
    """The rows that hold something."""
    row = _Row(reader)
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
            self._given, self._value, self._pieces = event.given, "", []
            self._place = column_at(event.given.get("r", ""), self._place + 1)
        elif event.name == "v":
            self._value = event.text
        elif event.name == "t" and event.is_end:
            self._pieces.append(event.text)
        elif event.name == "c":
            written = "".join(self._pieces) if self._given.get("t") == "inlineStr" else self._value
            self._cells += [""] * (self._place - len(self._cells)) + [self._reader.text(self._given, written)]

    def ended(self) -> list[str]:
        """The cells up to the last that holds something."""
        while self._cells and not self._cells[-1].strip():
            self._cells.pop()
        return self._cells
