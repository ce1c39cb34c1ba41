"""Reading records: what stands in the file is what comes out."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.files.read import read_records
from unveil.lab.evaluation.dataset import read_dataset, read_truth
from unveil.schema import Schema, parse

SCHEMA = parse('name = "t"\n[[attributes]]\nname = "first_name"\n[[attributes]]\nname = "zip"\ncolumn = "zip_code"\n')
HEADER = "record_id,first_name,zip_code\n"

# Text that UTF-8 can hold, rich in what makes CSV hard; NUL is refused elsewhere.
TEXT = st.text(
    st.one_of(
        st.sampled_from(list("\",;\t\r\n '=|\\\u2028\x85\x1c\ufeff")),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    ),
    max_size=12,
)


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(tmp_path: Path, text: str | bytes, schema: Schema = SCHEMA) -> list[tuple[str, ...]]:
    records = read_records(written(tmp_path / "people.csv", text), schema)
    return list(zip(records.ids, *(column.values() for column in records.columns.values()), strict=True))


def test_values_stay_the_text_that_they_are(tmp_path: Path) -> None:
    """A ZIP code keeps its zeros, and a person may be called Null: nothing is parsed."""
    expected = [("1", "NA", "00501"), ("2", "null", "1e5"), ("3", "=1+1", "")]
    assert expected == read(tmp_path, HEADER + "1,NA,00501\n2,null,1e5\n3,=1+1,\n")


def test_columns_are_found_by_name_and_others_ignored(tmp_path: Path) -> None:
    """Owners export what they have, in the order they have it."""
    assert [("7", "ada", "01")] == read(tmp_path, "zip_code,extra,record_id,extra,first_name\n01,x,7,y,ada\n")


def test_attributes_have_the_names_of_the_schema_not_of_the_file(tmp_path: Path) -> None:
    """The file's zip_code is the schema's zip."""
    records = read_records(written(tmp_path / "a.csv", HEADER + "1,ada,2\n"), SCHEMA)
    assert ["first_name", "zip"] == list(records.columns)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_common_dialect_is_read(tmp_path: Path, delimiter: str, end: str, mark: str) -> None:
    """Spreadsheets of half of Europe write semicolons, and some programs a byte order mark."""
    lines = [["record_id", "first_name", "zip_code"], ["1", "ada", "01"], ["2", '"a,;\tb"', ""]]
    text = mark + end.join(delimiter.join(cells) for cells in lines)
    assert [("1", "ada", "01"), ("2", "a,;\tb", "")] == read(tmp_path, text)


def test_empty_lines_are_skipped(tmp_path: Path) -> None:
    """Files often end in one, and editors leave them."""
    assert [("1", "a", "b"), ("2", "c", "d")] == read(tmp_path, HEADER + "\n1,a,b\n   \n2,c,d\n\n\n")


def test_blanks_around_a_value_are_trimmed_and_a_blank_cell_is_missing(tmp_path: Path) -> None:
    """Fixed-width exports pad; the padding is no part of a name."""
    path = written(tmp_path / "a.csv", HEADER + " 1 , ada  b ,\u00a0\n2,,x\n")
    records = read_records(path, SCHEMA)
    assert ("1", "2") == tuple(records.ids)
    assert ["ada  b", ""] == records.columns["first_name"].values()
    assert [True, False] == records.columns["zip"].missing().tolist()


def test_a_repeated_value_is_held_once_even_if_padded_differently(tmp_path: Path) -> None:
    """Encoding costs once per distinct value."""
    records = read_records(written(tmp_path / "a.csv", HEADER + "1,ada,1\n2, ada,1\n3,ada ,1\n"), SCHEMA)
    assert (("ada",), [0, 0, 0]) == (
        records.columns["first_name"].distinct,
        records.columns["first_name"].codes.tolist(),
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=20), delimiter=st.sampled_from(",;\t"))
def test_what_the_csv_module_writes_is_read_back_trimmed(
    tmp_path: Path, rows: list[tuple[str, str]], delimiter: str
) -> None:
    """Quotes, line breaks and any script survive."""
    path = tmp_path / "round.csv"
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle, delimiter=delimiter, quoting=csv.QUOTE_ALL)
        writer.writerow(["record_id", "first_name", "zip_code"])
        writer.writerows((f"r{row}", *cells) for row, cells in enumerate(rows))
    records = read_records(path, SCHEMA)
    assert [first.strip() for first, _ in rows] == records.columns["first_name"].values()
    assert [second.strip() for _, second in rows] == records.columns["zip"].values()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(body=st.binary(max_size=60) | st.text('",;\n\r a1\t', max_size=60).map(str.encode))
def test_any_bytes_after_the_header_are_read_or_refused_with_a_row(tmp_path: Path, body: bytes) -> None:
    """No file of any content makes anything but records or an InputError."""
    path = written(tmp_path / "fuzz.csv", HEADER.encode() + body)
    try:
        records = read_records(path, SCHEMA)
    except InputError as error:
        assert error.row is not None or "no records" in error.problem
    else:
        assert len(records) > 0
        assert len(set(records.ids)) == len(records)


@pytest.mark.parametrize("chunk", [1, 2, 3, 7])
def test_where_a_chunk_ends_does_not_matter(tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk may end inside a character, inside a quoted value or between CR and LF."""
    text = "\ufeff" + (HEADER + '1,"é\r\nü",ß\n2,€,"𝄞 ""x"""\n').replace("\n", "\r\n").replace("\r\r", "\r")
    expected = read(tmp_path, text)
    monkeypatch.setattr("unveil.files.csv_rows._CHUNK", chunk)
    assert 2 == len(expected)
    assert expected == read(tmp_path, text)


@pytest.mark.parametrize("chunk", [1, 2, 3, 7])
def test_where_a_chunk_ends_does_not_change_the_count_of_rows(
    tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CR and LF in two chunks are still one line end, not an empty line between two."""
    monkeypatch.setattr("unveil.files.csv_rows._CHUNK", chunk)
    for body in (b"1,a,b\n2,c\n", b"1,a,b\n2,\xe2\x82,c\n", b"1,a,b\n2,c,\0\n"):
        with pytest.raises(InputError) as found:
            read(tmp_path, (HEADER.encode() + body).replace(b"\n", b"\r\n"))
        assert 2 == found.value.row


def test_parquet_gives_the_same_as_csv(tmp_path: Path) -> None:
    """Null is missing, whole numbers become their decimal text, dictionaries their values."""
    table = pa.table(
        {
            "zip_code": pa.array(["00501", None, " x "]).dictionary_encode(),
            "record_id": pa.array([3, 2, 1], pa.uint64()),
            "unused": [0.5, 0.5, 0.5],
            "first_name": pa.array([" ada", "", None], pa.large_string()),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    records = read_records(tmp_path / "a.parquet", SCHEMA)
    assert ("3", "2", "1") == tuple(records.ids)
    assert ["ada", "", ""] == records.columns["first_name"].values()
    assert ["00501", "", "x"] == records.columns["zip"].values()


def test_the_contents_decide_not_the_name(tmp_path: Path) -> None:
    """A Parquet file that was named .csv is still one."""
    pq.write_table(pa.table({"record_id": ["1"], "first_name": ["a"], "zip_code": ["b"]}), tmp_path / "a.csv")
    assert 1 == len(read_records(tmp_path / "a.csv", SCHEMA))


def test_fifty_thousand_records_are_read_well_within_a_second(tmp_path: Path) -> None:
    """Reading must not be what people wait for; it takes about 0.2 s, so only a blunder fails this."""
    rows = "".join(f"r{i},name{i % 3000},{i % 90000:05d}\n" for i in range(50_000))
    path = written(tmp_path / "big.csv", HEADER + rows)
    start = time.process_time()
    assert 50_000 == len(read_records(path, SCHEMA))
    assert time.process_time() - start < 1.0


def test_truth_becomes_positions(tmp_path: Path) -> None:
    """Evaluation works with rows, not with ids."""
    path = written(tmp_path / "truth.csv", "record_id_b,record_id_a\ny,a2\n x ,a1\n")
    found = read_truth(path, ["a1", "a2"], ["x", "y"])
    assert [[1, 1], [0, 0]] == found.tolist()
    assert np.int64 == found.dtype


def test_truth_without_pairs_is_an_empty_array(tmp_path: Path) -> None:
    """Two files may share nobody."""
    path = written(tmp_path / "truth.csv", "record_id_a,record_id_b\n")
    assert (0, 2) == read_truth(path, ["a"], ["b"]).shape


@pytest.mark.parametrize(
    ("body", "row", "column"),
    [("a,x\nCANARY,x\n", 2, "record_id_a"), ("a,CANARY\n", 1, "record_id_b"), ("a,x\n\na,x\n", 3, None)],
)
def test_truth_that_does_not_fit_is_refused_by_row(tmp_path: Path, body: str, row: int, column: str | None) -> None:
    """An unknown id, or the same pair twice, would bend every figure."""
    path = written(tmp_path / "truth.csv", "record_id_a,record_id_b\n" + body)
    with pytest.raises(InputError) as found:
        read_truth(path, ["a"], ["x"])
    assert (row, column) == (found.value.row, found.value.column)
    assert "CANARY" not in str(found.value)


def test_a_data_set_is_read_from_its_directory(tmp_path: Path) -> None:
    """CSV and Parquet may stand side by side."""
    written(tmp_path / "a.csv", HEADER + "1,ada,01\n")
    pq.write_table(pa.table({"record_id": [9], "first_name": ["ada"], "zip_code": ["01"]}), tmp_path / "b.parquet")
    written(tmp_path / "truth.csv", "record_id_a,record_id_b\n1,9\n")
    a, b, truth = read_dataset(tmp_path, SCHEMA)
    assert (("1",), ("9",), [[0, 0]]) == (tuple(a.ids), tuple(b.ids), truth.tolist())


def test_a_data_set_with_a_part_missing_or_twice_is_refused(tmp_path: Path) -> None:
    """It says which part."""
    with pytest.raises(InputError, match=r"neither a\.csv nor a\.parquet"):
        read_dataset(tmp_path, SCHEMA)
    written(tmp_path / "a.csv", HEADER)
    written(tmp_path / "a.parquet", "")
    with pytest.raises(InputError, match=r"both a\.csv and a\.parquet"):
        read_dataset(tmp_path, SCHEMA)
    with pytest.raises(InputError, match="not a directory"):
        read_dataset(tmp_path / "a.csv", SCHEMA)
