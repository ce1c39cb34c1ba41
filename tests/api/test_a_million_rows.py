"""A million records of a data frame are read without a Python object for each value."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from unveil.files.read import read_records
from unveil.lab.synthetic import generate
from unveil.schema import built_in

ROWS = 1_000_000
PEOPLE = 3000
#: Bytes of the smallest text that Python has; an object for each value could not be had for less.
SMALLEST = sys.getsizeof("a")


@cache
def million() -> Any:
    """The values of a few people, each of whom stands there hundreds of times under an id of its own."""
    records = generate(records=PEOPLE, seed=1).a
    rows = pa.array(np.random.default_rng(0).integers(0, PEOPLE, ROWS))
    columns = {name: pa.array(column.values()).take(rows) for name, column in records.columns.items()}
    return pa.table({"record_id": pa.array(np.arange(ROWS)).cast(pa.string()), **columns})


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame.from_arrow], ids=["polars", "pandas"])
def test_there_are_as_many_objects_as_distinct_values_and_never_more_memory(frame: Callable[[Any], Any]) -> None:
    """Seven million objects would take half a gigabyte and most of the time."""
    table = frame(million())
    gc.collect()
    before = sys.getallocatedblocks()
    tracemalloc.start()
    records = read_records(table, built_in())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    kept = sys.getallocatedblocks() - before
    distinct = sum(len(column.distinct) for column in records.columns.values())
    assert ROWS == len(records)
    assert kept < distinct + 5000
    assert peak / (ROWS * len(records.columns)) < SMALLEST / 2
