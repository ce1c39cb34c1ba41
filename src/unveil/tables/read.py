"""Reading an owner's records, the truth of a data set, and a whole data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.records import Column, Records
from unveil.schema import Schema
from unveil.tables.csv_rows import NUL, TOO_LONG, Batch, csv_batches
from unveil.tables.parquet_rows import parquet_batches
from unveil.tables.source import FIELD_LIMIT, kind_of

TRUTH_COLUMNS: Final = ("record_id_a", "record_id_b")


class _Refused(Exception):  # noqa: N818 - becomes an InputError once the row is known
    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem, self.hint = problem, hint


class _Coder(dict[str, int]):
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
    coders = [_Coder() for _ in sources]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in sources]
    rows: dict[str, int] = {}
    for batch in _batches(path, [schema.input.id, *sources]):
        _take_ids(path, batch, schema.input.id, rows)
        for place, (name, coder) in enumerate(zip(sources, coders, strict=True)):
            parts[place].append(_coded(path, batch, place + 1, name, coder))
    if not rows:
        raise InputError(path, "has a header and no records")
    columns = {
        attribute.name: Column(tuple(coder.codes), np.concatenate(part))
        for attribute, coder, part in zip(schema.attributes, coders, parts, strict=True)
    }
    return Records(tuple(rows), columns)


def read_truth(path: Path, ids_a: Sequence[str], ids_b: Sequence[str]) -> NDArray[np.int64]:
    """
    The true pairs as rows (position in ids_a, position in ids_b), shape (k, 2).

    The file has the columns record_id_a and record_id_b; it may name no pair at all.
    """
    known = [{name: place for place, name in enumerate(ids)} for ids in (ids_a, ids_b)]
    seen: dict[tuple[int, int], int] = {}
    for batch in _batches(path, TRUTH_COLUMNS):
        for row, *names in zip(batch.rows, *batch.columns, strict=True):
            found = []
            for column, name, places in zip(TRUTH_COLUMNS, names, known, strict=True):
                place = places.get(name.strip())
                if place is None:
                    raise InputError(path, "names a record that is not in the file of records", row=row, column=column)
                found.append(place)
            first = seen.setdefault((found[0], found[1]), row)
            if first != row:
                raise InputError(path, f"is the same pair as row {first}", row=row, hint="name each pair once")
    return np.array(list(seen), dtype=np.int64).reshape(-1, 2)


def read_dataset(directory: Path, schema: Schema) -> tuple[Records, Records, NDArray[np.int64]]:
    """Both owners' records and the truth, from a.csv, b.csv and truth.csv (or .parquet) in a directory."""
    if not directory.is_dir():
        raise InputError(directory, "is not a directory", hint="a data set is a directory with a.csv, b.csv, truth.csv")
    path_a, path_b, path_truth = (_member(directory, name) for name in ("a", "b", "truth"))
    a, b = read_records(path_a, schema), read_records(path_b, schema)
    return a, b, read_truth(path_truth, a.ids, b.ids)


def _member(directory: Path, name: str) -> Path:
    found = [path for suffix in ("csv", "parquet") if (path := directory / f"{name}.{suffix}").exists()]
    if not found:
        raise InputError(directory, f"holds neither {name}.csv nor {name}.parquet")
    if len(found) > 1:
        raise InputError(directory, f"holds both {name}.csv and {name}.parquet", hint="keep the one that counts")
    return found[0]


def _batches(path: Path, needed: Sequence[str]) -> Iterator[Batch]:
    return parquet_batches(path, needed) if kind_of(path) == "parquet" else csv_batches(path, needed)


def _take_ids(path: Path, batch: Batch, column: str, rows: dict[str, int]) -> None:
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


def _coded(path: Path, batch: Batch, place: int, column: str, coder: _Coder) -> NDArray[np.int32]:
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
    coder = _Coder()
    for batch in _batches(path, [name]):
        codes = _coded(path, batch, 0, name, coder)
        distinct = tuple(coder.codes)
        values += [distinct[code] for code in codes.tolist()]
    return values
