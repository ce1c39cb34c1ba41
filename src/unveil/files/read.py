"""`read_records`: an owner's records as arrays, from a table wherever it stands; and single columns of one."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.files.csv_rows import NUL, TOO_LONG
from unveil.files.header import MissingColumns
from unveil.files.odd_rows import TAKE_OUT, refuse_second_header, total_at_the_end
from unveil.files.open_table import TableSource, open_table
from unveil.files.own_columns import joined_columns, possible_columns, schema_for
from unveil.files.reading import AS_FOUND, ROW, Reading
from unveil.files.source import EXPORT_AGAIN, FIELD_LIMIT, NO_RECORDS
from unveil.files.table import Repeated, RowBatch, Table
from unveil.forms.column_forms import in_form
from unveil.records import Column, Records
from unveil.schema import Schema

if TYPE_CHECKING:
    from unveil.files.arrow_rows import StreamTable

#: Text that a spreadsheet must not take for a number: ="00501".
_EXACT: Final = re.compile(r'="([^"]*)"\Z')


class _Refused(Exception):
    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem, self.hint = problem, hint


class ValueCodes(dict[str, int]):
    """
    Maps a value as it stands in the file to the code of the trimmed value.

    Trimming and checking happen once per distinct value; every repetition is one dictionary lookup.
    """

    __slots__ = ("codes",)

    def __init__(self) -> None:
        super().__init__()
        self.codes: dict[str, int] = {}

    def __missing__(self, raw: str) -> int:
        code = self.codes.setdefault(_checked(raw), len(self.codes))
        self[raw] = code
        return code


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """What was found while the values of an attribute were brought into one form; a warning tells of a loss."""

    attribute: str
    column: str
    sentence: str
    is_warning: bool
    values: int

    @property
    def words(self) -> str:
        """The finding in a line that names the column."""
        called = self.attribute if self.attribute == self.column else f"{self.attribute} (column {self.column})"
        return f"{called}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class OwnTable:
    """An owner's records as they are compared, and what people should know about how they were read."""

    records: Records
    schema: Schema  #: with the columns that were read
    notes: tuple[str, ...] = ()
    findings: tuple[ColumnFinding, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """In words, what may be lost."""
        return tuple(one.words for one in self.findings if one.is_warning)


def read_records(source: TableSource, schema: Schema, reading: Reading = AS_FOUND) -> Records:
    """The records in a table; columns that the schema does not name are ignored."""
    return read_own(source, schema, reading).records


def read_own(source: TableSource, schema: Schema, reading: Reading = AS_FOUND) -> OwnTable:
    """
    The records in a table, each attribute in the form that owners compare, with what to say about it.

    `reading` says how it is read, where the schema does not fit the file.
    """
    table = open_table(source, reading, needed=possible_columns(schema, reading))
    own = schema_for(schema, reading, table.columns)
    parts_of = [joined_columns(attribute.source, table.columns) for attribute in own.attributes]
    sources = list(dict.fromkeys(name for names in parts_of for name in names))
    by_row = own.input.id == ROW and ROW not in table.columns
    in_memory = _of_arrow(table) and own.input.id in table.columns
    among = not by_row and not in_memory  # ids are read row by row, with the values
    coders = [ValueCodes() for _ in sources]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in sources]
    names: dict[str, int] = {}
    rows: list[Sequence[int]] = []
    for batch in _batches(table, [own.input.id, *sources] if among else sources, reading, own):
        rows.append(batch.rows)
        if among:
            _take_ids(table.path, batch, own.input.id, names)
        for place, (name, coder) in enumerate(zip(sources, coders, strict=True)):
            parts[place].append(coded(table.path, batch, place + among, name, coder))
    numbers = np.concatenate([np.zeros(0, np.int64), *map(np.asarray, rows)])
    if not len(numbers):
        raise InputError(table.path, NO_RECORDS, hint=EXPORT_AGAIN)
    ids: Sequence[str] = tuple(names)
    if not among:
        ids = table.ids(own.input.id) if _of_arrow(table) and in_memory else _numbered(numbers)
    read = [Column(tuple(coder.codes), np.concatenate(part)) for coder, part in zip(coders, parts, strict=True)]
    called = dict(zip(sources, read, strict=True))
    columns = [
        called[each[0]] if len(each) == 1 else Column.joined([called[name] for name in each]) for each in parts_of
    ]
    if reading.header and not _of_arrow(table):
        refuse_second_header(table.path, called, numbers)
    notes = (*table.notes, *total_at_the_end(table.path, ids[len(ids) - 1], called, numbers))
    return formed(own, ids, columns, numbers, reading, notes=notes)


def _of_arrow(table: Table) -> TypeGuard[StreamTable]:
    """Whether the table stands in memory; Arrow is not loaded to find that out, for text does without it."""
    arrow = sys.modules.get("unveil.files.arrow_rows")
    return arrow is not None and isinstance(table, arrow.StreamTable)


def _numbered(rows: NDArray[np.int64]) -> Sequence[str]:
    """The numbers of rows as ids."""
    from unveil.files.arrow_ids import ArrowIds

    return ArrowIds.of_rows(rows)


def formed(
    own: Schema,
    ids: Sequence[str],
    columns: Sequence[Column],
    numbers: Sequence[int] | NDArray[np.int64],
    reading: Reading,
    *,
    notes: tuple[str, ...] = (),
) -> OwnTable:
    """The records with each attribute in its form; `columns` are the attributes', `numbers` those of the rows."""
    found: dict[str, Column] = {}
    findings = []
    for attribute, column in zip(own.attributes, columns, strict=True):
        one_form = in_form(column, attribute, first=reading.dates)
        found[attribute.name] = one_form.column
        for one in one_form.findings:
            said = one.in_rows(numbers)
            findings.append(ColumnFinding(attribute.name, attribute.source, said, one.is_warning, one.values))
    return OwnTable(Records(ids, found), own, notes, tuple(findings))


def _batches(table: Table, needed: Sequence[str], reading: Reading, own: Schema) -> Iterator[RowBatch]:
    try:
        yield from table.batches(needed)
    except MissingColumns as error:
        if reading.header:
            raise MissingColumns(table.path, error.missing, error.near, hint=_said_so(error, own)) from None
        hint = "without a header columns are called 1, 2, 3, …: say --column attribute=number for each, and --id number"
        raise MissingColumns(table.path, error.missing, {}, hint=f"{hint} or --id row") from None


def _said_so(error: MissingColumns, own: Schema) -> str:
    """The options that say which columns are meant, to be copied; the error's own hint where nothing is near."""
    if not error.near:
        return error.hint or ""
    options = {attribute.source: f"--column {attribute.name}=" for attribute in own.attributes}
    options[own.input.id] = "--id "
    found = "; ".join(f"{name} may be the file's {near}" for name, near in error.near.items())
    said = " ".join(f"{options[name]}{shlex.quote(near)}" for name, near in error.near.items())
    there = "" if own.input.id not in error.missing or own.input.id in error.near else " and --id COLUMN or --id row"
    return f"{found}: say so with {said}{there}, or set column in the schema"


def _take_ids(path: Path, batch: RowBatch, column: str, rows: dict[str, int]) -> None:
    """Add the batch's ids to the ids seen so far; an id is there once and is not empty."""
    for row, raw in zip(batch.rows, batch.values(0), strict=True):
        try:
            name = _checked(raw)
        except _Refused as found:
            raise InputError(path, found.problem, row=row, column=column, hint=found.hint) from None
        if not name:
            hint = "give every record an id, or number the rows with --id row"
            raise InputError(path, "the record has no id", row=row, column=column, hint=hint)
        if name == column and row > 1:
            raise InputError(path, "is the header once more", row=row, hint=TAKE_OUT)
        first = rows.setdefault(name, row)
        if first != row:
            hint = "ids must be unique: name another column with --id, or number the rows with --id row"
            raise InputError(path, f"has the same id as row {first}", row=row, column=column, hint=hint)


def coded(path: Path, batch: RowBatch, place: int, column: str, coder: ValueCodes) -> NDArray[np.int32]:
    """The codes of one column of a batch; a value that cannot be taken is an InputError with its row."""
    values = batch.columns[place]
    distinct = values.distinct if isinstance(values, Repeated) else values
    try:
        codes = np.fromiter(map(coder.__getitem__, distinct), dtype=np.int32, count=len(distinct))
    except _Refused as found:
        # Values before the refused one are known to the coder by now, so the first unknown one is it.
        row = next(row for row, raw in zip(batch.rows, batch.values(place), strict=True) if raw not in coder)
        raise InputError(path, found.problem, row=row, column=column, hint=found.hint) from None
    return codes[values.at] if isinstance(values, Repeated) else codes


def _checked(raw: str) -> str:
    value = raw.strip()
    if len(value) > FIELD_LIMIT:
        raise _Refused(*TOO_LONG)
    if "\0" in value:
        raise _Refused(*NUL)
    if value[:1] == "'" and value[1:2].isdecimal() and "'" not in value[1:]:
        return value[1:].strip()  # a person's word to a spreadsheet that this is text
    if value.startswith('="') and (exact := _EXACT.match(value)):
        return exact[1].strip()
    return value


def read_column(source: TableSource, name: str, reading: Reading = AS_FOUND) -> list[str]:
    """One column of a table of records as text, in the order of the records."""
    values: list[str] = []
    coder = ValueCodes()
    table = open_table(source, reading, needed=[name])
    for batch in table.batches([name]):
        codes = coded(table.path, batch, 0, name, coder)
        distinct = tuple(coder.codes)
        values += [distinct[code] for code in codes.tolist()]
    return values
