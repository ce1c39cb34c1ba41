"""Reading an owner's records, and single columns of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.files.csv_rows import NUL, TOO_LONG, RowBatch, csv_batches
from unveil.files.parquet_rows import parquet_batches
from unveil.files.source import FIELD_LIMIT, kind_of
from unveil.records import Column, Records
from unveil.schema import Schema


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


def read_records(path: Path, schema: Schema) -> Records:
    """The records in a CSV or Parquet file; columns that the schema does not name are ignored."""
    sources = [attribute.source for attribute in schema.attributes]
    coders = [ValueCodes() for _ in sources]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in sources]
    rows: dict[str, int] = {}
    for batch in batches(path, [schema.input.id, *sources]):
        _take_ids(path, batch, schema.input.id, rows)
        for place, (name, coder) in enumerate(zip(sources, coders, strict=True)):
            parts[place].append(coded(path, batch, place + 1, name, coder))
    if not rows:
        raise InputError(path, "has a header and no records")
    columns = {
        attribute.name: Column(tuple(coder.codes), np.concatenate(part))
        for attribute, coder, part in zip(schema.attributes, coders, parts, strict=True)
    }
    return Records(tuple(rows), columns)


def batches(path: Path, needed: Sequence[str]) -> Iterator[RowBatch]:
    """The needed columns of a CSV or Parquet file, in batches of rows."""
    return parquet_batches(path, needed) if kind_of(path) == "parquet" else csv_batches(path, needed)


def _take_ids(path: Path, batch: RowBatch, column: str, rows: dict[str, int]) -> None:
    """Add the batch's ids to the ids seen so far; an id is there once and is not empty."""
    for row, raw in zip(batch.rows, batch.columns[0], strict=True):
        try:
            name = _checked(raw)
        except _Refused as found:
            raise InputError(path, found.problem, row=row, column=column, hint=found.hint) from None
        if not name:
            raise InputError(path, "the record has no id", row=row, column=column, hint="give every record an id")
        first = rows.setdefault(name, row)
        if first != row:
            raise InputError(path, f"has the same id as row {first}", row=row, column=column, hint="ids must be unique")


def coded(path: Path, batch: RowBatch, place: int, column: str, coder: ValueCodes) -> NDArray[np.int32]:
    """The codes of one column of a batch; a value that cannot be taken is an InputError with its row."""
    values = batch.columns[place]
    try:
        return np.fromiter(map(coder.__getitem__, values), dtype=np.int32, count=len(values))
    except _Refused as found:
        # Values before the refused one are known to the coder by now, so the first unknown one is it.
        row = next(row for row, raw in zip(batch.rows, values, strict=True) if raw not in coder)
        raise InputError(path, found.problem, row=row, column=column, hint=found.hint) from None


def _checked(raw: str) -> str:
    value = raw.strip()
    if len(value) > FIELD_LIMIT:
        raise _Refused(*TOO_LONG)
    if "\0" in value:
        raise _Refused(*NUL)
    return value


def read_column(path: Path, name: str) -> list[str]:
    """One column of a file of records as text, in the order of the records."""
    values: list[str] = []
    coder = ValueCodes()
    for batch in batches(path, [name]):
        codes = coded(path, batch, 0, name, coder)
        distinct = tuple(coder.codes)
        values += [distinct[code] for code in codes.tolist()]
    return values
