"""Record ids in Arrow memory: the same ids as in a file, without an object for each, and the same refusals."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from unveil.errors import InputError
from unveil.files.arrow_ids import ArrowIds
from unveil.files.columns import read_columns
from unveil.files.read import read_own, read_records
from unveil.files.reading import Reading
from unveil.files.source import FIELD_LIMIT
from unveil.schema import parse

SCHEMA = parse('name = "t"\n[[attributes]]\nname = "first_name"\n[[attributes]]\nname = "zip"\n')
PEOPLE = {"record_id": ["r1", " r2 ", "7"], "first_name": ["ANN", "", "EVE"], "zip": ["00501", "00501", None]}


def table(**changes: object) -> pa.Table:
    return pa.table({**PEOPLE, **changes})


def test_a_table_in_memory_gives_the_records_of_the_same_file(tmp_path: Path) -> None:
    """Whoever saves a data frame and whoever hands it over get the same links."""
    path = tmp_path / "people.csv"
    path.write_text("record_id,first_name,zip\nr1,ANN,00501\n r2 ,,00501\n7,EVE,\n", encoding="utf-8")
    from_file, from_memory = read_records(path, SCHEMA), read_records(table(), SCHEMA)
    assert ("r1", "r2", "7") == tuple(from_memory.ids)
    assert from_memory.ids == from_file.ids
    for name in SCHEMA.names:
        assert from_file.columns[name].values() == from_memory.columns[name].values()


@pytest.mark.parametrize(
    ("ids", "row", "said"),
    [
        (["a", "b", "a"], 3, "has the same id as row 1"),
        (["a", None, "b"], 2, "the record has no id"),
        (["a", "b", "  "], 3, "the record has no id"),
        (["a", "b\0", "c"], 2, "NUL"),
        (["a", "b" * (FIELD_LIMIT + 1), "c"], 2, "is longer than"),
    ],
)
def test_an_id_that_identifies_nobody_is_named_by_its_row(ids: list[str | None], row: int, said: str) -> None:
    """As in a file."""
    with pytest.raises(InputError, match=said) as refused:
        read_records(table(record_id=ids), SCHEMA)
    assert (row, "record_id") == (refused.value.row, refused.value.column)


@pytest.mark.parametrize("ids", [[3, 1, 2], pa.array(["x", "y", "z"]).dictionary_encode(), pa.array([1.0, 2.0, 30.0])])
def test_ids_of_any_readable_type_are_text(ids: object) -> None:
    """Numbers are what a person would write."""
    found = list(read_records(table(record_id=ids), SCHEMA).ids)
    assert found in (["3", "1", "2"], ["x", "y", "z"], ["1", "2", "30"])


def test_rows_can_be_numbered_instead() -> None:
    """A data frame often has no id of its own."""
    own = read_own(table().drop_columns(["record_id"]), SCHEMA, Reading(id="row"))
    assert own.records.ids == ["1", "2", "3"]


def test_a_slice_of_a_table_has_its_own_ids_and_digest() -> None:
    """Arrow hands out windows on larger arrays; what lies outside must not matter."""
    whole = pa.table({name: pa.concat_arrays([pa.array(column)] * 2) for name, column in PEOPLE.items()}).slice(3)
    assert read_records(whole, SCHEMA).digest() == read_records(table(), SCHEMA).digest()
    other = table(record_id=["r1", "r", "27"])  # the same letters, divided otherwise
    assert read_records(other, SCHEMA).digest() != read_records(table(), SCHEMA).digest()


def test_ids_can_be_looked_at_like_any_sequence() -> None:
    """Most of the code does not know what they are."""
    ids = ArrowIds(pa.array(["a", "b", "c"]))
    assert (3, "b", ["b", "c"]) == (len(ids), ids[1], list(ids[1:]))
    assert ["c", "a"] == list(ids.take(np.array([2, 0])))
    assert ids != ["a", "b"]
    assert "a" not in repr(ids).replace("ArrowIds", "")


@pytest.mark.parametrize("every_column", [False, True])
def test_reading_a_large_table_makes_no_object_for_each_value(every_column: bool) -> None:  # noqa: FBT001 - a case
    """200,000 records of three columns would be 600,000 objects; what is held is arrays and the distinct values."""
    n = 200_000
    codes = np.arange(n)
    large = pa.table(
        {
            "record_id": pa.array(codes).cast(pa.string()),
            "first_name": pa.array([f"name {one}" for one in range(500)]).take(pa.array(codes % 500)),
            "zip": pa.array([f"{one:05}" for one in range(900)]).take(pa.array(codes % 900)),
        }
    )
    tracemalloc.start()
    try:
        found = read_columns(large).columns if every_column else read_records(large, SCHEMA)
        objects = sum(one.count for one in tracemalloc.take_snapshot().statistics("filename"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found
    assert objects < n / 10
    assert peak < 60 * n, "three objects of 50 bytes or more for each record would be 150"
