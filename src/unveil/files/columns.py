"""Reading every column of a table, for whoever does not know yet which ones a schema will name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.files.arrow_rows import StreamTable
from unveil.files.arrow_text import NotWhole
from unveil.files.odd_rows import refuse_second_header, total_at_the_end
from unveil.files.open_table import TableSource, open_table
from unveil.files.own_columns import joined_columns
from unveil.files.read import ValueCodes, coded
from unveil.files.reading import AS_FOUND, DELIMITERS, Reading
from unveil.files.source import EXPORT_AGAIN, NO_RECORDS
from unveil.files.table import Table
from unveil.records import Column

_FIXED: Final = 3  # blanks between names


@dataclass(frozen=True, slots=True, repr=False)
class FileColumns:
    """The columns of a file by name, for each that cannot be read the reason, and what to say about the file."""

    columns: Mapping[str, Column]
    unreadable: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"FileColumns(<{len(self.columns)} columns>)"


def read_columns(source: TableSource, reading: Reading = AS_FOUND) -> FileColumns:
    """Every column of a table that has a name."""
    table = open_table(source, reading)
    path = table.path
    unreadable = dict(table.unreadable)
    while True:
        names = [name for name in table.columns if name and name not in unreadable]
        _check_names(path, names, header=reading.header)
        try:
            columns, numbers = _read(table, names)
            break
        except NotWhole as found:
            unreadable[str(found.column)] = "numbers that are not whole: write it as text"
    if reading.header and not isinstance(table, StreamTable):  # a table in memory has names, or it has none
        refuse_second_header(path, columns, numbers)
    columns = _with_joined(columns, reading)
    return FileColumns(columns, unreadable, (*table.notes, *total_at_the_end(path, "", columns, numbers)))


def _with_joined(columns: dict[str, Column], reading: Reading) -> dict[str, Column]:
    """The columns with those that were said to be read together as one, in the place of the first of them."""
    for name in reading.columns.values():
        parts = joined_columns(name, list(columns))
        if len(parts) > 1 and all(part in columns for part in parts):
            joined = Column.joined([columns[part] for part in parts])
            columns = {(name if each == parts[0] else each): column for each, column in columns.items()} | {
                name: joined
            }
            columns = {each: column for each, column in columns.items() if each not in parts}
    return columns


def _read(table: Table, names: Sequence[str]) -> tuple[dict[str, Column], NDArray[np.int64]]:
    """The columns of these names, and the numbers of the rows."""
    # What identifies a record in memory stays there, rather than becoming an object for each record.
    own = table.own_values(names) if isinstance(table, StreamTable) else {}
    rest = [name for name in names if name not in own]
    coders = [ValueCodes() for _ in rest]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in rest]
    rows = [np.zeros(0, np.int64)]
    for batch in table.batches(rest):
        rows.append(np.asarray(batch.rows, np.int64))
        for place, (name, coder) in enumerate(zip(rest, coders, strict=True)):
            parts[place].append(coded(table.path, batch, place, name, coder))
    numbers = np.concatenate(rows)
    if not len(numbers):
        raise InputError(table.path, NO_RECORDS, hint=EXPORT_AGAIN)
    found = {name: Column(ids, np.arange(len(numbers), dtype=np.int32)) for name, ids in own.items()}
    for name, coder, part in zip(rest, coders, parts, strict=True):
        found[name] = Column(tuple(coder.codes), np.concatenate(part))
    return {name: found[name] for name in names}, numbers


def _check_names(path: Path, names: Sequence[str], *, header: bool) -> None:
    if not names:
        raise InputError(path, "has no column of text or whole numbers", hint="write the columns as text")
    if len(names) == 1 and any(sign in names[0] for sign in DELIMITERS.values()):
        hint = "leave --delimiter out, for it is found, or say which sign stands between values"
        raise InputError(path, "lines seem to be cut at the wrong sign: there is one column", hint=hint)
    if len(names) == 1 and " " * _FIXED in names[0]:
        hint = "columns of a fixed width are not read: export the file with a sign between values, as CSV"
        raise InputError(path, "nothing stands between the values of a line but blanks", hint=hint)
    # A first line that holds a number or an address in the place of a name is a person.
    if header and any("@" in name or not any(letter.isalpha() for letter in name) for name in names):
        raise _no_header(path)
    # By their numbers: in a file without a header the names would be a person's.
    for place, name in enumerate(names):
        if name in names[:place]:
            what = f"columns {names.index(name) + 1} and {place + 1} have the same name"
            raise InputError(path, what, hint="give each column a name of its own")


def _no_header(path: Path) -> InputError:
    hint = "name the columns in the first line, or say --no-header: they are then called 1, 2, 3, …"
    return InputError(path, "the first line seems to be a record, not a header", hint=hint)
