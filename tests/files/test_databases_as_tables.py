"""Records that a query brings from a database are those of the file, and nothing is written or shown."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from unveil.errors import InputError, SettingError
from unveil.files.read import read_own
from unveil.files.reading import Reading
from unveil.schema import parse

SCHEMA = parse('name = "t"\n[[attributes]]\nname = "name"\n[[attributes]]\nname = "zip"\n')
ROWS = [("1", "Jürgen Groß", 4103), ("2", "Renée", None)]
EXPECTED = [("1", "Jürgen Groß", "4103"), ("2", "Renée", "")]
QUERY = "select id as record_id, name, zip from people order by id"


@pytest.fixture(params=["sqlite", "duckdb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    path = tmp_path / "people.db"
    connection = sqlite3.connect(path) if request.param == "sqlite" else duckdb.connect(str(path))
    connection.execute("create table people (id text, name text, zip integer)")
    connection.executemany("insert into people values (?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    return f"{request.param}:{path}"


def cells(source: str, query: str | None = QUERY) -> list[tuple[str, ...]]:
    records = read_own(Path(source), SCHEMA, Reading(query=query)).records
    return list(zip(records.ids, *(column.values() for column in records.columns.values()), strict=True))


def test_what_a_query_brings_is_read_like_a_file(database: str) -> None:
    """Whole numbers are their digits, and what is missing is missing."""
    assert EXPECTED == cells(database)


def test_a_database_needs_a_query_and_a_file_takes_none(database: str, tmp_path: Path) -> None:
    """The hint says the option."""
    with pytest.raises(SettingError, match="not what to read"):
        cells(database, None)
    (tmp_path / "people.csv").write_text("record_id,name,zip\n1,a,b\n")
    with pytest.raises(SettingError, match="asked of a database"):
        cells(str(tmp_path / "people.csv"))


@pytest.mark.parametrize(
    "query", ["drop table people", "delete from people", "insert into people values ('3', 'CANARY', 1)"]
)
def test_a_query_cannot_write(database: str, query: str) -> None:
    """Whoever pastes the wrong query loses nothing; the error shows no value."""
    with pytest.raises(InputError, match="query") as refused:
        cells(database, query)
    assert "CANARY" not in str(refused.value)
    assert EXPECTED == cells(database)


def test_a_query_of_duckdb_reads_no_other_file(tmp_path: Path) -> None:
    """A query that somebody sent must not read what lies elsewhere on the machine."""
    path, other = tmp_path / "people.db", tmp_path / "other.csv"
    duckdb.connect(str(path)).close()
    other.write_text("record_id,name,zip\n1,a,b\n")
    with pytest.raises(InputError, match="the query failed"):
        cells(f"duckdb:{path}", f"from '{other}'")


def test_no_database_is_made_where_there_is_none(tmp_path: Path) -> None:
    """SQLite would make one, and find no table in it."""
    for kind in ("sqlite", "duckdb"):
        with pytest.raises(InputError, match="no such file"):
            cells(f"{kind}:{tmp_path / 'people.db'}")
    assert [] == list(tmp_path.iterdir())


def test_a_password_on_the_command_line_is_refused() -> None:
    """Everybody on the machine sees command lines."""
    with pytest.raises(SettingError, match="password") as refused:
        cells("postgresql://me:CANARY@127.0.0.1:1/people")
    assert "CANARY" not in str(refused.value)
