"""Small Parquet files that stand for gigabytes are refused before they take the memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.files import parquet_pages
from unveil.files.encoded import read_encodings, write_encodings
from unveil.files.read import read_column, read_records
from unveil.schema import parse

SCHEMA = 'name = "t"\n[[attributes]]\nname = "first_name"\n'
LONG = "CANARY" * 10_000

#: Reads a file in a process of its own, and tells by how many megabytes it grew.
READER = f"""
import resource, sys
from pathlib import Path
import pyarrow.parquet as pq
from unveil.errors import InputError
from unveil.files.read import read_records
from unveil.schema import parse
schema = parse({SCHEMA!r})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_records(Path(sys.argv[1]), schema)
    said = "read"
except InputError as error:
    said = error.problem
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, said)
"""


def ids(rows: int) -> pa.Array:
    return pa.array(np.arange(rows)).cast(pa.string())


def repeated(path: Path) -> None:
    """One long value that stands in every row: a dictionary of one entry, and a run of zeros that point to it."""
    rows = 20_000
    names = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), [LONG])
    pq.write_table(pa.table({"record_id": ids(rows), "first_name": names}), path, compression="zstd")


def one_page(path: Path) -> None:
    """A page of 300 MB that says the same over and over."""
    rows = 5_000
    names = pa.array([LONG] * rows)
    table = pa.table({"record_id": ids(rows), "first_name": names})
    pq.write_table(
        table, path, compression="zstd", use_dictionary=False, data_page_size=1 << 30, write_statistics=False
    )


def many_pages(path: Path) -> None:
    """The same in pages of a megabyte."""
    rows = 5_000
    table = pa.table({"record_id": ids(rows), "first_name": pa.array([LONG] * rows)})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)


def prefixes(path: Path) -> None:
    """Each value as its difference to the one before, which is none."""
    rows = 5_000
    table = pa.table({"record_id": ids(rows), "first_name": pa.array([LONG] * rows)})
    pq.write_table(table, path, use_dictionary=False, column_encoding={"first_name": "DELTA_BYTE_ARRAY"})


def rows_of_nothing(path: Path) -> None:
    """So many rows that the numbers of them alone fill the memory."""
    rows = 20_000_000
    pq.write_table(
        pa.table({"record_id": pa.nulls(rows, pa.string()), "first_name": pa.nulls(rows, pa.string())}), path
    )


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [repeated, one_page, many_pages, prefixes, rows_of_nothing])
def test_a_bomb_is_refused_and_takes_little_memory(tmp_path: Path, bomb: Callable[[Path], None]) -> None:
    """Each is under 100 kB and decodes to between 160 MB and 1.2 GB."""
    path = tmp_path / "people.parquet"
    bomb(path)
    assert 100_000 > path.stat().st_size or bomb is rows_of_nothing
    done = subprocess.run([sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=True)
    grown, said = done.stdout.strip().split(" ", 1)
    assert 100 > int(grown)
    assert said.startswith(("would become far larger", "is written in an encoding"))


def test_a_page_that_lies_in_the_footer_is_measured_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is allowed follows from the pages, whatever the footer says about them."""
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"record_id": ids(3000), "first_name": pa.array(["x" * 90] * 3000)}), path)
    monkeypatch.setattr(parquet_pages, "LARGEST_PAGE", 3000)
    with pytest.raises(InputError, match="would become far larger"):
        read_records(path, parse(SCHEMA))


def test_a_file_of_encodings_may_not_swell_either(tmp_path: Path) -> None:
    """Filters hardly shrink, so one that did is no encoding of people."""
    path = tmp_path / "e.parquet"
    n, m = 4_000, 1 << 18
    filters = np.zeros((n, m // 64), dtype=np.uint64)
    write_encodings(
        path, ids=[str(i) for i in range(n)], filters=filters, m=m, blocking=np.zeros((n, 0, 16), np.uint8), metadata={}
    )
    assert 1_000_000 > path.stat().st_size
    with pytest.raises(InputError, match="would become far larger"):
        read_encodings(path)


TEXTS = st.lists(
    st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=12)), min_size=1, max_size=60
)


@settings(max_examples=40, deadline=None)
@given(
    values=TEXTS,
    large=st.booleans(),
    dictionary=st.booleans(),
    version=st.sampled_from(["1.0", "2.0"]),
    codec=st.sampled_from(["none", "snappy", "zstd", "gzip"]),
    group=st.integers(1, 70),
)
def test_honest_files_of_any_writer_are_read_as_before(  # noqa: PLR0917 - one for each choice
    tmp_path_factory: pytest.TempPathFactory,
    values: list[str | None],
    large: bool,  # noqa: FBT001
    dictionary: bool,  # noqa: FBT001
    version: str,
    codec: str,
    group: int,
) -> None:
    """Both page formats, every codec, dictionaries or none, several row groups, missing values."""
    path = tmp_path_factory.mktemp("honest") / "people.parquet"
    column = pa.array(values, pa.large_string() if large else pa.string())
    table = pa.table({"name": column, "number": pa.array(range(len(values)))})
    pq.write_table(
        table,
        path,
        use_dictionary=dictionary,
        data_page_version=version,
        compression=codec,
        row_group_size=group,
        data_page_size=64,
    )
    if any("\0" in (value or "") for value in values):
        return
    assert [(value or "").strip() for value in values] == read_column(path, "name")
    assert [str(number) for number in range(len(values))] == read_column(path, "number")
