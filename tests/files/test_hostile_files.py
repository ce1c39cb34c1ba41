"""Files that are wrong or hostile: each is refused with the place and a way out, and no value is shown."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.files.read import read_records
from unveil.files.source import FIELD_LIMIT
from unveil.schema import parse

SCHEMA = parse('name = "t"\n[[attributes]]\nname = "first_name"\n[[attributes]]\nname = "zip"\n')
HEADER = b"record_id,first_name,zip\n"
GOOD = b"1,CANARY,01\n"


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as found:
        read_records(path, SCHEMA)
    error = found.value
    assert "CANARY" not in f"{error} {error.hint} {error.args}"
    # Neither may a traceback tell: what was handled on the way here is cut off.
    assert error.__suppress_context__ or error.__context__ is None
    return error


def refused_bytes(tmp_path: Path, data: bytes, name: str = "people.csv") -> InputError:
    path = tmp_path / name
    path.write_bytes(data)
    return refused(path)


def zipped(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "CANARY")
    return buffer.getvalue()


ROWS = {
    "ragged, short": (GOOD + b"2,CANARY\n", 2, "2 cells, the header has 3"),
    "ragged, long": (GOOD + b"2,CANARY,1,CANARY\n", 2, "4 cells, the header has 3"),
    "empty line counts": (GOOD + b"\n2,CANARY\n", 3, "2 cells"),
    "duplicate id": (GOOD + b"2,x,y\n 1 ,CANARY,2\n", 3, "same id as row 1"),
    "duplicate id, canary": (b"CANARY,x,y\nCANARY,x,y\n", 2, "same id as row 1"),
    "empty id": (GOOD + b"  ,CANARY,2\n", 2, "no id"),
    "UTF-8 with a byte lost": (GOOD + b"2,CANARY\xe2\x82,2\n", 2, "not UTF-8"),
    "letters of no language": (GOOD + b"2,CANARY\xa4\xa6\xac,2\n", 2, "not UTF-8"),
    "cut off inside a character": (GOOD + b"2,x,CANARY\xc3", 2, "not UTF-8"),
    "overlong UTF-8": (GOOD + b"2,CANARY\xc0\x80,2\n", 2, "not UTF-8"),
    "surrogate in UTF-8": (GOOD + b"2,CANARY\xed\xa0\x80,2\n", 2, "not UTF-8"),
    "NUL": (GOOD + b"2,CANARY\x00,2\n", 2, "NUL byte"),
    "unclosed quote": (GOOD + b'2,"CANARY,2\n3,x,y\n', 2, "never closed"),
    "text after a quote": (GOOD + b'2,"CAN"ARY,2\n', 2, "closing quote"),
    "earlier mistake first": (b"1,CANARY\n" + b"2,\xff,1\n", 1, "2 cells"),
    "quoted line breaks are one row": (b'1,"a\nb\nc",2\n' + b"2,CANARY\n", 2, "2 cells"),
    "value too long": (GOOD + b"2," + b"CANARY" * FIELD_LIMIT + b",2\n", 2, "longer than 64 kB"),
    "value a little too long": (GOOD + b"2,x," + b"C" * (FIELD_LIMIT + 1) + b"\n", 2, "longer than 64 kB"),
    "id too long": (GOOD + b"C" * (FIELD_LIMIT + 1) + b",x,y\n", 2, "longer than 64 kB"),
    "ten megabytes": (GOOD + b'2,"' + b"CANARY " * 1_500_000 + b'",2\n', 2, "longer than 64 kB"),
    "ten megabytes of lines": (GOOD + b'2,"' + b"CANARY\n" * 1_500_000 + b'",2\n', 2, "longer than 64 kB"),
}


@pytest.mark.parametrize("case", ROWS)
def test_a_bad_row_is_named_by_its_number(tmp_path: Path, case: str) -> None:
    """Rows count from 1, the first after the header."""
    body, row, problem = ROWS[case]
    error = refused_bytes(tmp_path, HEADER + body)
    assert row == error.row
    assert problem in error.problem
    assert error.hint


def test_a_mistake_far_down_is_named_by_its_row(tmp_path: Path) -> None:
    """The count holds across batches and chunks."""
    rows = b"".join(b"%d,CANARY,00000\n" % row for row in range(1, 100_001))
    assert 100_001 == refused_bytes(tmp_path, HEADER + rows + b"x,CANARY\xe2\x82,1\n").row
    assert 100_002 == refused_bytes(tmp_path, HEADER + rows + b"x,a,1\ny,b\n").row


def test_a_value_of_just_the_limit_is_read(tmp_path: Path) -> None:
    """The limit itself is allowed."""
    path = tmp_path / "a.csv"
    path.write_bytes(HEADER + b"1," + b"a" * FIELD_LIMIT + b",2\n")
    assert FIELD_LIMIT == len(read_records(path, SCHEMA).columns["first_name"][0])


FILES = {
    "empty": (b"", "is empty"),
    "only blank lines": (b"\n\n\n", "no header"),
    "only a mark": (b"\xef\xbb\xbf", "no header"),
    "header only": (HEADER, "no records"),
    "header without line end": (HEADER.strip(), "no records"),
    "a packed zip": (gzip.compress(zipped("people.csv")), "zip archive"),
    "a packed file that broke off": (gzip.compress(HEADER + GOOD)[:-20], "damaged packed file"),
    "zip": (zipped("people.csv"), "zip archive"),
    "a zip that only looks like xlsx": (zipped("xl/workbook.xml"), "damaged workbook"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"CANARY" * 100, "Excel workbook (xls)"),
    "header broken": (b"record_id,first_name\xe2\x82,zip\n" + GOOD, "in the header: is not UTF-8"),
    "header with NUL": (b"record_id,first\x00_name,zip\n" + GOOD, "in the header: holds a NUL"),
    "header without end": (b"CANARY" * 400_000, "in the header"),
    "header with an open quote": (b'record_id,"first_name,zip\n1,CANARY,2\n', "header cannot be read"),
    "zeros": (b"\0" * 5000, "not text"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_is_no_table_is_refused_by_what_it_is(tmp_path: Path, case: str) -> None:
    """The message says what was handed over instead."""
    data, problem = FILES[case]
    error = refused_bytes(tmp_path, data)
    assert problem in error.problem
    assert error.row is None


def test_a_missing_column_is_named_with_the_header_that_is_near(tmp_path: Path) -> None:
    """People rename columns; the near name is most often the one meant."""
    error = refused_bytes(tmp_path, b"record_id,First-Name,postcode\n" + GOOD)
    assert "needed columns missing: first_name, zip" in error.problem
    assert error.hint is not None
    assert "first_name may be the file's First-Name" in error.hint
    assert "zip" not in error.hint, "one column alone may be a person's"


def test_a_missing_column_is_named_with_the_header_that_says_the_same(tmp_path: Path) -> None:
    """Other registers have other words; whoever copies the options from the hint has said which are which."""
    error = refused_bytes(tmp_path, b"record_id,Vorname,PLZ,Note\n" + GOOD.replace(b"\n", b",x\n"))
    assert error.hint is not None
    assert "--column first_name=Vorname --column zip=PLZ" in error.hint


def test_a_person_in_the_place_of_a_header_is_not_named(tmp_path: Path) -> None:
    """There are people whose name is a word for an attribute."""
    assert "Alter" not in str(refused_bytes(tmp_path, b"17,Alter,Berta,Wien\n" + GOOD))


def test_a_file_without_a_header_does_not_show_its_first_person(tmp_path: Path) -> None:
    """What stands in the place of a header may be somebody's name."""
    error = refused_bytes(tmp_path, b"1,CANARY,01\n2,CANARY,02\n")
    assert "record_id, first_name, zip" in error.problem
    assert error.hint is not None
    assert "must be a header" in error.hint


def test_a_needed_column_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    """Either could be meant."""
    error = refused_bytes(tmp_path, b"record_id,zip,first_name,zip\n1,2,CANARY,3\n")
    assert "column zip occurs twice (columns 2 and 4)" == error.problem


def test_a_header_of_a_million_columns_is_refused_quickly(tmp_path: Path) -> None:
    """Looking for near names must not take for ever."""
    assert "missing" in refused_bytes(tmp_path, b",".join(b"c%d" % i for i in range(130_000)) + b"\n").problem


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    """A pipe would block and a device might never end."""
    os.mkfifo(tmp_path / "pipe.csv")
    assert "not a plain file" in refused(tmp_path / "pipe.csv").problem
    assert "not a plain file" in refused(Path("/dev/null")).problem
    assert "directory" in refused(tmp_path).problem
    assert "no such file" in refused(tmp_path / "none.csv").problem
    assert "not a path" in refused(Path("a\0b")).problem


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may be root, so the refusal is played."""

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "people.csv").write_bytes(HEADER + GOOD)
    monkeypatch.setattr(Path, "open", denied)
    assert "no permission" in refused(tmp_path / "people.csv").problem


def parquet(tmp_path: Path, **columns: pa.Array) -> Path:
    table = pa.table({"record_id": ["1", "2"], "first_name": ["CANARY", "x"], "zip": ["1", "2"]} | columns)
    pq.write_table(table, tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


@pytest.mark.parametrize(
    "column", [pa.array([1.5, 2.5]), pa.array([b"CANARY", b"x"]), pa.array([True, False]), pa.array([["CANARY"], []])]
)
def test_a_parquet_column_of_another_type_is_refused(tmp_path: Path, column: pa.Array) -> None:
    """The text of a number with decimals, or of a list, is nobody's to guess."""
    error = refused(parquet(tmp_path, zip=column))
    assert "zip" == error.column
    assert "text, dates or whole numbers" in error.problem


@pytest.mark.parametrize(
    ("ids", "row", "problem"),
    [(["7", "7"], 2, "same id as row 1"), (["7", None], 2, "no id"), (["C" * (FIELD_LIMIT * 5), "2"], 1, "64 kB")],
)
def test_a_bad_row_of_parquet_is_named_by_its_number(
    tmp_path: Path, ids: list[str | None], row: int, problem: str
) -> None:
    """The same checks as for CSV."""
    error = refused(parquet(tmp_path, record_id=pa.array(ids)))
    assert row == error.row
    assert problem in error.problem


def test_broken_text_or_a_nul_in_parquet_is_named_by_its_row(tmp_path: Path) -> None:
    """Parquet says UTF-8 and does not check it."""
    broken = pa.array([b"x", b"CANARY\xff"]).view(pa.string())
    error = refused(parquet(tmp_path, first_name=broken))
    assert (2, "first_name") == (error.row, error.column)
    error = refused(parquet(tmp_path, first_name=pa.array(["x", "CANARY\0"])))
    assert (2, "holds a NUL byte") == (error.row, error.problem)


def test_a_parquet_file_without_a_needed_column_or_rows_is_refused(tmp_path: Path) -> None:
    """As with CSV."""
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"record_id": ["1"], "firstname": ["CANARY"]}), path)
    assert "missing: first_name, zip" in refused(path).problem
    pq.write_table(pa.table({name: pa.array([], pa.string()) for name in ("record_id", "first_name", "zip")}), path)
    assert "no records" in refused(path).problem


def test_a_parquet_name_on_another_file_is_refused(tmp_path: Path) -> None:
    """Most often an upload that failed."""
    assert "not a Parquet file" in refused_bytes(tmp_path, HEADER + GOOD, "people.parquet").problem


def test_a_truncated_parquet_file_is_refused_as_damaged(tmp_path: Path) -> None:
    """A copy that broke off."""
    data = parquet(tmp_path).read_bytes()
    assert "damaged" in refused_bytes(tmp_path, data[: len(data) // 2], "cut.parquet").problem


# The same damage every time: Arrow's own reader ends the process at one in some thousands, which is not ours to catch
# within it.
@settings(
    max_examples=40,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_parquet_file_with_any_byte_changed_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    """Nothing but an InputError may come out of a damaged file."""
    sound = bytearray(parquet(tmp_path).read_bytes())
    for place in data.draw(st.lists(st.integers(4, len(sound) - 1), min_size=1, max_size=3)):
        sound[place] = data.draw(st.integers(0, 255))
    (tmp_path / "changed.parquet").write_bytes(sound)
    try:
        assert 2 == len(read_records(tmp_path / "changed.parquet", SCHEMA))
    except InputError as error:
        assert "CANARY" not in str(error)
