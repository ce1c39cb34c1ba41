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
from unveil.files.open_table import TableSource, open_table
from unveil.files.read import ValueCodes, coded
from unveil.files.reading import AS_FOUND, DELIMITERS, Reading
from unveil.files.source import EXPORT_AGAIN, NO_RECORDS
from unveil.files.table import Table
from unveil.records import Column

_FEW: Final = 2  # a town may be called Town; two columns whose names are among their values are a person's


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
            columns = _read(table, names)
            break
        except NotWhole as found:
            unreadable[str(found.column)] = "numbers that are not whole: write it as text"
    if reading.header and not isinstance(table, StreamTable):  # a table in memory has names, or it has none
        _check_header(path, columns)
    return FileColumns(columns, unreadable, tuple(table.notes))


def _read(table: Table, names: Sequence[str]) -> dict[str, Column]:
    # What identifies a record in memory stays there, rather than becoming an object for each record.
    own = table.own_values(names) if isinstance(table, StreamTable) else {}
    rest = [name for name in names if name not in own]
    coders = [ValueCodes() for _ in rest]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in rest]
    records = 0
    for batch in table.batches(rest):
        records += len(batch.rows)
        for place, (name, coder) in enumerate(zip(rest, coders, strict=True)):
            parts[place].append(coded(table.path, batch, place, name, coder))
    if not records:
        raise InputError(table.path, NO_RECORDS, hint=EXPORT_AGAIN)
    found = {name: Column(ids, np.arange(records, dtype=np.int32)) for name, ids in own.items()}
    for name, coder, part in zip(rest, coders, parts, strict=True):
        found[name] = Column(tuple(coder.codes), np.concatenate(part))
    return {name: found[name] for name in names}


def _check_names(path: Path, names: Sequence[str], *, header: bool) -> None:
    if not names:
        raise InputError(path, "has no column of text or whole numbers", hint="write the columns as text")
    if len(names) == 1 and any(sign in names[0] for sign in DELIMITERS.values()):
        hint = "leave --delimiter out, for it is found, or say which sign stands between values"
        raise InputError(path, "lines seem to be cut at the wrong sign: there is one column", hint=hint)
    # A first line that holds a number or an address in the place of a name is a person.
    if header and any("@" in name or not any(letter.isalpha() for letter in name) for name in names):
        raise _no_header(path)
    # By their numbers: in a file without a header the names would be a person's.
    for place, name in enumerate(names):
        if name in names[:place]:
            what = f"columns {names.index(name) + 1} and {place + 1} have the same name"
            raise InputError(path, what, hint="give each column a name of its own")


def _check_header(path: Path, columns: Mapping[str, Column]) -> None:
    """Refuse a file whose first line is a record: its values would be taken for names, and shown."""
    own = [name.casefold() in {value.casefold() for value in column.distinct} for name, column in columns.items()]
    if sum(own) >= _FEW:
        raise _no_header(path)


def _no_header(path: Path) -> InputError:
    hint = "name the columns in the first line, or say --no-header: they are then called 1, 2, 3, …"
    return InputError(path, "the first line seems to be a record, not a header", hint=hint)
