"""Reading every column of a file, for whoever does not know yet which ones a schema will name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from unveil.errors import InputError
from unveil.files.csv_rows import csv_names
from unveil.files.parquet_rows import parquet_names
from unveil.files.read import ValueCodes, batches, coded
from unveil.files.source import kind_of
from unveil.records import Column

_FEW: Final = 2  # a town may be called Town; two columns whose names are among their values are a person's


@dataclass(frozen=True, slots=True, repr=False)
class FileColumns:
    """The columns of a file by name, and for each that cannot be read the reason."""

    columns: Mapping[str, Column]
    unreadable: Mapping[str, str]

    def __repr__(self) -> str:
        return f"FileColumns(<{len(self.columns)} columns>)"


def read_columns(path: Path) -> FileColumns:
    """Every column of a CSV or Parquet file that has a name."""
    names, unreadable = _names(path)
    coders = [ValueCodes() for _ in names]
    parts: list[list[np.ndarray[tuple[int], np.dtype[np.int32]]]] = [[] for _ in names]
    for batch in batches(path, names):
        for place, (name, coder) in enumerate(zip(names, coders, strict=True)):
            parts[place].append(coded(path, batch, place, name, coder))
    if not parts[0]:
        raise InputError(path, "has a header and no records")
    columns = {
        name: Column(tuple(coder.codes), np.concatenate(part))
        for name, coder, part in zip(names, coders, parts, strict=True)
    }
    _check_header(path, columns)
    return FileColumns(columns, unreadable)


def _names(path: Path) -> tuple[Sequence[str], dict[str, str]]:
    if kind_of(path) == "parquet":
        names, others = parquet_names(path)
        unreadable = {name: f"of type {kind}: write it as text" for name, kind in others.items()}
    else:
        names, unreadable = csv_names(path), {}
    names = [name for name in names if name]
    if not names:
        raise InputError(path, "has no column of text or whole numbers", hint="write the columns as text")
    # A first line that holds a number or an address in the place of a name is a person.
    if any("@" in name or not any(letter.isalpha() for letter in name) for name in names):
        raise _no_header(path)
    # By their numbers: in a file without a header the names would be a person's.
    for place, name in enumerate(names):
        if name in names[:place]:
            what = f"columns {names.index(name) + 1} and {place + 1} have the same name"
            raise InputError(path, what, hint="give each column a name of its own")
    return names, unreadable


def _check_header(path: Path, columns: Mapping[str, Column]) -> None:
    """Refuse a file whose first line is a record: its values would be taken for names, and shown."""
    own = [name.casefold() in {value.casefold() for value in column.distinct} for name, column in columns.items()]
    if sum(own) >= _FEW:
        raise _no_header(path)


def _no_header(path: Path) -> InputError:
    hint = "the first line must name the columns; their names are shown, a person's values never are"
    return InputError(path, "the first line seems to be a record, not a header", hint=hint)
