"""Every column of a file is read, and a person in the place of a header is not."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unveil.errors import InputError
from unveil.files.columns import read_columns


def written(folder: Path, text: str) -> Path:
    path = folder / "people.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_named_column_is_read_whatever_separates_them(tmp_path: Path, delimiter: str) -> None:
    """Columns without a name, such as the row numbers that some programs write, are passed over."""
    lines = [["", "id", "Vor name", "Ort"], ["0", "a1", " Ann ", "Wien"], ["1", "a2", "", "Wien"]]
    found = read_columns(written(tmp_path, "\n".join(delimiter.join(line) for line in lines) + "\n"))
    assert {"id": ["a1", "a2"], "Vor name": ["Ann", ""], "Ort": ["Wien", "Wien"]} == {
        name: column.values() for name, column in found.columns.items()
    }
    assert {} == dict(found.unreadable)


def test_a_parquet_file_tells_which_columns_are_no_text(tmp_path: Path) -> None:
    """They are named with their type, so that somebody can write them as text."""
    path = tmp_path / "people.parquet"
    day = pa.array([1, 2], pa.date32())
    columns = {"id": ["a", "b"], "plz": [1010, 1020], "born": day, "rate": [0.5, 1.5], "ill": [True, False]}
    pq.write_table(pa.table(columns), path)
    found = read_columns(path)
    expected = {"id": ["a", "b"], "plz": ["1010", "1020"], "born": ["1970-01-02", "1970-01-03"]}
    assert expected == {n: column.values() for n, column in found.columns.items()}
    reasons = {"ill": "of type bool: write it as text", "rate": "numbers that are not whole: write it as text"}
    assert reasons == dict(found.unreadable)


@pytest.mark.parametrize(
    "text",
    [
        "a1,Quilla,Zwettl,1984-05-12\na2,Bo,Wien,1990-01-02\n",
        "a1,quilla@zwettl.example,Zwettl\na2,bo@b.example,Wien\n",
        "Quilla,Zwettl,x\nBo,Wien,y\nquilla,zwettl,z\n",
        "Quilla,Zwettl,Quilla\nBo,Wien,y\n",
    ],
)
def test_a_file_without_a_header_is_refused_and_its_first_person_not_shown(tmp_path: Path, text: str) -> None:
    """Names of columns are printed and written; a person's values must not be taken for them."""
    with pytest.raises(InputError) as refused:
        read_columns(written(tmp_path, text))
    assert "quilla" not in f"{refused.value} {refused.value.hint}".lower()
    assert "zwettl" not in f"{refused.value} {refused.value.hint}".lower()


@pytest.mark.parametrize(
    ("text", "problem"),
    [("id,name\n", "has a header and no records"), ("", "is empty"), ("id,name\n1,Ann,x\n", "has 3 cells")],
)
def test_a_file_without_records_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    """With what is wrong with it."""
    with pytest.raises(InputError, match=problem):
        read_columns(written(tmp_path, text))


def test_a_value_that_cannot_be_taken_is_named_by_row_and_column(tmp_path: Path) -> None:
    """As for every other way to read a file."""
    with pytest.raises(InputError) as refused:
        read_columns(written(tmp_path, f"id,name\n1,Ann\n2,{'x' * 70_000}\n"))
    assert (2, "name") == (refused.value.row, refused.value.column)


def test_a_parquet_file_of_measures_alone_is_refused(tmp_path: Path) -> None:
    """There is nothing to propose."""
    path = tmp_path / "measures.parquet"
    pq.write_table(pa.table({"rate": [0.5, 1.5]}), path)
    with pytest.raises(InputError, match="no column of text or whole numbers"):
        read_columns(path)
