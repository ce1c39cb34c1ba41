"""Two tables of records read for one linkage: by a schema, or by one that is proposed from both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from unveil.encoding.planning.column_fit import doubts
from unveil.encoding.planning.column_roles import ColumnRole, is_marked_id, spoilt_ids
from unveil.encoding.planning.column_signs import column_signs
from unveil.encoding.planning.facts import ColumnFacts, facts_of
from unveil.encoding.planning.proposal import ProposedSchema, Stage, propose
from unveil.encoding.planning.two_registers import register_differences
from unveil.files.arrow_ids import ArrowIds
from unveil.files.columns import FileColumns, read_columns
from unveil.files.open_table import TableSource
from unveil.files.read import OwnTable, read_own
from unveil.files.reading import AS_FOUND, ROW, Reading
from unveil.records import Column, Records
from unveil.schema import Schema

_SOME: Final = 100  # values
_BY: Final = {"name": "by its name", "contents": "by its contents", "word": "as was said"}


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table of records, what people call it, and how it is read."""

    source: TableSource = field(repr=False)
    name: str
    reading: Reading = AS_FOUND


@dataclass(frozen=True, slots=True, repr=False)
class TwoTables:
    """
    The records of both, by the attributes of one schema.

    `chosen` tells in lines what was chosen where nobody said it, `notes` how the tables were read, `warnings` which
    columns do not seem to hold what they are read as.
    """

    records: tuple[Records, Records]
    schema: Schema
    chosen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"TwoTables(<{len(self.records[0])} and {len(self.records[1])} records>)"


def read_two(a: NamedTable, b: NamedTable, schema: Schema | None = None, *, stage: Stage = lambda _: None) -> TwoTables:
    """The records of both tables; without a schema one is proposed from what both hold."""
    if schema is None:
        return _by_proposal(a, b, stage)
    records: list[Records] = []
    read: list[OwnTable] = []
    notes: list[str] = []
    warnings: list[str] = []
    for table in (a, b):
        stage(f"reading {table.name}")
        own = read_own(table.source, schema, table.reading)
        records.append(own.records)
        notes += own.notes
        warnings += [*_doubts(table.name, own.schema, own.records), *_signs(table.name, own.schema, own.records)]
        warnings += [f"{table.name}, {one}" for one in own.warnings]
        read.append(own)
    columns = {each.name: each.source for each in read[0].schema.attributes}
    warnings += register_differences(schema, (records[0], records[1]), (a.name, b.name), columns)
    return TwoTables((records[0], records[1]), schema, notes=tuple(notes), warnings=tuple(warnings))


def _doubts(name: str, schema: Schema, records: Records) -> list[str]:
    """What speaks against reading attributes from the columns that they are read from."""
    return [
        f"{name}, column {attribute.source}: {doubt.sentence}; it is read as {attribute.name}"
        for attribute in schema.attributes
        for doubt in doubts(attribute, facts_of(records.columns[attribute.name]))
    ]


def _signs(name: str, schema: Schema, records: Records, columns: Mapping[str, str] | None = None) -> list[str]:
    """What speaks for values of attributes being lost before they came here; `columns` are the file's own."""
    return [
        f"{name}, column {(columns or {}).get(attribute.source, attribute.source)}: {sentence}"
        for attribute in schema.attributes
        for sentence in column_signs(attribute, records.columns[attribute.name])
    ]


def _by_proposal(a: NamedTable, b: NamedTable, stage: Stage) -> TwoTables:
    read: list[FileColumns] = []
    for table in (a, b):
        stage(f"reading {table.name}")
        read.append(read_columns(table.source, table.reading))
    ids = [_id_column(file.columns, table.reading.id) for file, table in zip(read, (a, b), strict=True)]
    found = propose(
        read[0].columns,
        read[1].columns,
        name="proposed",
        record_id=ids[0],
        other_id=ids[1],
        said=a.reading.columns,
        other_said=b.reading.columns,
        dates=(a.reading.dates, b.reading.dates),
        stage=stage,
    )
    assert found.other is not None
    names = (found.schema.input.id, found.other_id or ROW)
    records = [
        replace(side, ids=_ids(file.columns, name))
        for side, file, name in zip((found.records, found.other), read, names, strict=True)
    ]
    return TwoTables(
        (records[0], records[1]),
        found.schema,
        chosen=tuple(_chosen(found, names, (a.name, b.name), read[0].unreadable)),
        notes=(*read[0].notes, *read[1].notes),
        warnings=(
            *_spoilt_ids(a.name, found.facts, names[0]),
            *_spoilt_ids(b.name, found.their_facts, names[1]),
            *_remarks(a.name, found.columns),
            *_remarks(b.name, found.theirs),
            *(f"{table.name}, {one}" for table, side in zip((a, b), found.warnings, strict=True) for one in side),
            *_signs(a.name, found.schema, found.records),
            *_signs(b.name, found.schema, found.other, found.elsewhere),
            *register_differences(found.schema, (found.records, found.other), (a.name, b.name)),
        ),
    )


def _remarks(name: str, columns: Mapping[str, ColumnRole]) -> list[str]:
    return [f"{name}, column {column}: {one.remark}" for column, one in columns.items() if one.remark]


def _id_column(columns: Mapping[str, Column], said: str | None) -> str | None:
    """The column that was named; none, for one to be found, if there is any; else the numbers of the rows."""
    if said is not None:
        return said
    unique = (is_marked_id(name, column.distinct[:_SOME]) for name, column in columns.items() if _identifies(column))
    return None if any(unique) else ROW


def _spoilt_ids(name: str, facts: Mapping[str, ColumnFacts], identifier: str) -> Iterator[str]:
    """Ids that would be, where others were taken: whoever joins links to records by them must know."""
    for column in spoilt_ids(facts) if identifier == ROW else ():
        yield (
            f"{name}, column {column}: is empty in a record, or the same in two, so records are identified by the "
            "number of their row: mend it, or take out what stands twice"
        )


def _identifies(column: Column) -> bool:
    return len(column.distinct) == len(column) and "" not in column.distinct


def _ids(columns: Mapping[str, Column], name: str) -> Sequence[str]:
    column = columns.get(name)
    if column is None:
        return ArrowIds.of_rows(range(1, 1 + len(next(iter(columns.values())))))
    if np.array_equal(column.codes, np.arange(len(column))):
        return column.distinct
    return column.values()


def _chosen(
    found: ProposedSchema, ids: tuple[str, str], names: tuple[str, str], unreadable: Mapping[str, str]
) -> list[str]:
    """What the proposed schema reads from which columns, a line for each attribute."""
    lines = [f"no schema was given; this one was made from {names[0]} and {names[1]}"]
    lines.append(f"  record id: {_columns(*ids)}")
    for attribute in found.schema.attributes:
        column = found.columns[attribute.source]
        role = attribute.meaning.replace("_", " ")
        where = _columns(attribute.source, found.elsewhere[attribute.source])
        lines.append(f"  {attribute.name}: {where}, as {role} {_BY[column.by]}")
    for one, other, side in zip(names, reversed(names), found.together, strict=True):
        lines += [f"  {one}: {', '.join(each.parts)} are read as one, as {other} has {each.whole}" for each in side]
    left_out = {name: one.left_out for name, one in found.columns.items() if one.left_out} | dict(unreadable)
    lines += [f"  left out: {name}, {reason}" for name, reason in left_out.items()]
    return [*lines, f"  blocking: {'; '.join(key.name for key in found.schema.blocking) or 'none'}"]


def _columns(one: str, other: str) -> str:
    if one == other:
        return "the number of the row" if one == ROW else f"column {one}"
    return " and ".join("the number of the row" if name == ROW else f"column {name}" for name in (one, other))
