"""Columns that are read together as one: a date in three parts, a street and its number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.files.columns import read_columns
from unveil.files.read import read_own
from unveil.files.reading import Reading
from unveil.records import Column
from unveil.schema import Schema

SCHEMA = Schema.model_validate({
    "name": "s",
    "attributes": [{"name": "birth", "type": "date"}, {"name": "street"}],
    "input": {"id": "id"},
})  # fmt: skip
TOGETHER = Reading(columns={"birth": "y+m+d", "street": "road + no"})
TEXT = "id,y,m,d,no,road\n1,1944,1,9,7,High Street\n2,1950,,,,Mill Lane\n"


@given(st.lists(st.tuples(*[st.sampled_from(["", "a", "b c"])] * 3), min_size=1, max_size=20))
def test_values_stand_behind_each_other_and_gaps_leave_none(rows: list[tuple[str, str, str]]) -> None:
    """Row by row, each distinct value held once."""
    columns = [Column.of([row[at] for row in rows]) for at in range(3)]
    found = Column.joined(columns)
    assert [" ".join(filter(None, row)) for row in rows] == found.values()
    assert len(set(found.distinct)) == len(found.distinct)
    assert np.int32 == found.codes.dtype


def test_a_schema_reads_them_as_they_are_said(tmp_path: Path) -> None:
    """The date comes into its one form, and a year alone stays one."""
    path = tmp_path / "a.csv"
    path.write_text(TEXT)
    own = read_own(path, SCHEMA, TOGETHER)
    assert ["1944-01-09", "1950"] == own.records.columns["birth"].values()
    assert ["High Street 7", "Mill Lane"] == own.records.columns["street"].values()


def test_a_column_of_that_very_name_goes_before(tmp_path: Path) -> None:
    """A plus sign is no rare sign in the name of a column."""
    path = tmp_path / "a.csv"
    path.write_text("id,y,y+m,m\n1,1944,12.05.1984,1\n")
    own = read_own(
        path, SCHEMA.model_copy(update={"attributes": SCHEMA.attributes[:1]}), Reading(columns={"birth": "y+m"})
    )
    assert ["1984-05-12"] == own.records.columns["birth"].values()


def test_a_part_that_is_not_there_is_named(tmp_path: Path) -> None:
    """It is a slip like any other."""
    path = tmp_path / "a.csv"
    path.write_text(TEXT)
    with pytest.raises(InputError, match="needed column missing: month"):
        read_own(path, SCHEMA, Reading(columns={"birth": "y+month+d", "street": "road"}))


def test_a_look_at_the_file_has_them_in_the_place_of_their_parts(tmp_path: Path) -> None:
    """Whatever is proposed rests on them."""
    path = tmp_path / "a.csv"
    path.write_text(TEXT)
    assert {"id", "y+m+d", "road + no"} == set(read_columns(path, TOGETHER).columns)
