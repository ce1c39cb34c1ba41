"""A data set with known truth: both owners' records, and the pairs that are the same person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.files.open_table import TableSource, open_table
from unveil.files.read import read_records
from unveil.records import Records
from unveil.schema import Schema

TRUTH_COLUMNS: Final = ("record_id_a", "record_id_b")


def read_truth(source: TableSource, ids_a: Sequence[str], ids_b: Sequence[str]) -> NDArray[np.int64]:
    """
    The true pairs as rows (position in ids_a, position in ids_b), shape (k, 2).

    The table has the columns record_id_a and record_id_b; it may name no pair at all.
    """
    known = [{name: place for place, name in enumerate(ids)} for ids in (ids_a, ids_b)]
    seen: dict[tuple[int, int], int] = {}
    table = open_table(source, needed=TRUTH_COLUMNS)
    path = table.path
    for batch in table.batches(TRUTH_COLUMNS):
        for row, *names in zip(batch.rows, batch.values(0), batch.values(1), strict=True):
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
        hint = (
            "without a truth, unveil link links two files"
            if name == "truth"
            else "a data set is a.csv, b.csv, truth.csv"
        )
        raise InputError(directory, f"holds neither {name}.csv nor {name}.parquet", hint=hint)
    if len(found) > 1:
        raise InputError(directory, f"holds both {name}.csv and {name}.parquet", hint="keep the one that counts")
    return found[0]
