"""`profile`: what the columns of a table are like, in numbers that name nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unveil.api.tables import missing_names, table_named, warn
from unveil.charts.figures import count
from unveil.charts.markup import el
from unveil.encoding.planning.column_roles import ColumnRole, column_roles, id_column
from unveil.encoding.planning.facts import ColumnFacts, facts_of
from unveil.encoding.planning.looks import look_of
from unveil.errors import SettingError
from unveil.files.columns import read_columns
from unveil.files.open_table import TableSource
from unveil.files.reading import ROW, Reading
from unveil.records import Column


@dataclass(frozen=True, slots=True)
class ProfiledColumn:
    """
    One column in numbers: what it seems to say about a person, how much is missing, how long and how varied it is.

    `role` is what `link` would take it for, `left_out` why it would not use it. `format` is how most values are
    written, with A and a for letters and 9 for digits, and `format_share` the share of them.
    """

    name: str
    role: str
    left_out: str | None
    missing: float
    distinct: int
    mean_length: float
    format: str
    format_share: float


class ProfiledTable:
    """
    A table in numbers: `columns` has a profile for each column, `record_id` names the one that identifies a record.

    It offers an Arrow stream with a row for each column, and shows no value. `records` is how many there are, `notes`
    tell how they were read, where that had to be found.
    """

    __slots__ = ("columns", "notes", "record_id", "records")

    def __init__(
        self, records: int, record_id: str, columns: tuple[ProfiledColumn, ...], notes: tuple[str, ...] = ()
    ) -> None:
        self.records, self.record_id, self.columns, self.notes = records, record_id, columns, notes

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, name: str) -> ProfiledColumn:
        """The profile of that column."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A row for each column."""
        return self._table().__arrow_c_stream__(requested_schema)

    def _table(self) -> Any:
        return pa.table(
            {
                "column": [one.name for one in self.columns],
                "role": [one.role for one in self.columns],
                "left_out": pa.array([one.left_out for one in self.columns], pa.string()),
                "missing": [one.missing for one in self.columns],
                "distinct": [one.distinct for one in self.columns],
                "mean_length": [one.mean_length for one in self.columns],
                "format": [one.format for one in self.columns],
                "format_share": [one.format_share for one in self.columns],
            }
        )

    def __repr__(self) -> str:
        return f"ProfiledTable(<{self.records:,} records>, {', '.join(one.name for one in self.columns)})"

    def _repr_html_(self) -> str:
        """How a notebook shows it: a row for each column, no value."""
        heads = ("column", "role", "missing", "distinct", "mean length", "commonest format")
        rows = [
            (
                one.name, f"{one.role} (left out: {one.left_out})" if one.left_out else one.role,
                f"{one.missing:.1%}", count(one.distinct), f"{one.mean_length:.1f}",
                one.format,
            )
            for one in self.columns
        ]  # fmt: skip
        return el(
            "table",
            el("caption", f"{count(self.records)} records"),
            el("tr", *(el("th", head, scope="col") for head in heads)),
            *(el("tr", *(el("td", cell) for cell in row)) for row in rows),
        )


def profile(table: TableSource, *, record_id: str | None = None, reading: Reading | None = None) -> ProfiledTable:
    """
    Describe every column of a table: role, share of missing values, distinct values, length, formats; never a value.

    `table` is a path, or anything that offers an Arrow stream; `record_id` names the column that identifies a record,
    or says `row`, and is found if it is not given; `reading` says how a file is written, where that is not to be found.
    """
    side = table_named(table, "table", record_id=record_id, reading=reading)
    warn(missing_names(side))
    read = read_columns(side.source, side.reading)
    facts = {name: facts_of(column) for name, column in read.columns.items()}
    try:
        identifier = id_column(facts, side.reading.id)
    except SettingError:
        if side.reading.id is not None:
            raise
        identifier = ROW
    roles = column_roles(facts, identifier)
    columns = tuple(_profile(name, facts[name], roles.get(name), column) for name, column in read.columns.items())
    return ProfiledTable(next(iter(facts.values())).records, identifier, columns, read.notes)


def _profile(name: str, facts: ColumnFacts, role: ColumnRole | None, column: Column) -> ProfiledColumn:
    look = look_of(column)
    return ProfiledColumn(
        name=name,
        role="record id" if role is None else role.role,
        left_out=None if role is None else role.left_out,
        missing=facts.missing,
        distinct=facts.distinct,
        mean_length=facts.length,
        format=look.format,
        format_share=look.format_share,
    )
