"""`unveil check`: a file in numbers, a schema's columns found in it, and two owners' files held against each other."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from command_line import Done, unveil

from unveil.lab.synthetic import generate, write

Row = dict[str, str]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    folder = tmp_path_factory.mktemp("people")
    write(generate(records=600, overlap=0.3, layout="clinic", seed=3), folder)
    with (folder / "a.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def save(path: Path, rows: list[Row]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def checked(*words: str | Path) -> Done:
    done = unveil("check", *words)
    assert 0 == done.returncode, done.stderr
    return done


def against(tmp_path: Path, ours: list[Row], theirs: list[Row], *more: str) -> str:
    """What is said of our file against the profile of theirs."""
    profile = tmp_path / "theirs.json"
    checked(save(tmp_path / "theirs.csv", theirs), "--out", profile, "--force", *more)
    return checked(save(tmp_path / "ours.csv", ours), "--against", profile, *more).stdout


def test_a_file_is_shown_by_formats_and_roles_and_never_by_a_value(people: list[Row], tmp_path: Path) -> None:
    """Whoever exports a file looks at it before it goes anywhere; screens are seen by others."""
    profile = tmp_path / "profile.json"
    done = checked(save(tmp_path / "people.csv", people), "--out", profile)
    assert "600 records, identified by column record_id" in done.stdout
    assert "first_name: given name by its name" in done.stdout
    assert "9999-99-99 (100%)" in done.stdout
    assert "schema new --from" in done.stderr
    said = (done.stdout + done.stderr + profile.read_text()).casefold()
    values = {row[name].casefold() for row in people for name in ("first_name", "last_name", "street", "record_id")}
    assert set() == {value for value in values if len(value) > 4 and f" {value} " in said}


def test_columns_are_found_for_a_schema_and_the_options_printed(people: list[Row], tmp_path: Path) -> None:
    """They are copied into the next command; a column that nobody finds is asked for by name."""
    names = {"record_id": "Nr", "first_name": "Vorname", "last_name": "Nachname", "date_of_birth": "geb. am"}
    rows = [{names.get(name, name): value for name, value in row.items() if name != "sex"} for row in people]
    out = checked(save(tmp_path / "people.csv", rows), "--schema", "clinic").stdout
    assert "--column first_name=Vorname --column last_name=Nachname --column 'date_of_birth=geb. am' --id Nr" in out
    assert "no column seems to be sex: name it with --column sex=COLUMN" in out


def test_what_looks_wrong_is_warned_of_by_column(people: list[Row], tmp_path: Path) -> None:
    """Each of these cost somebody links once."""
    rows = [
        {
            **row,
            "date_of_birth": "unknown" if at % 10 == 0 else row["date_of_birth"],
            "last_name": "TEST" if at % 9 == 0 else row["last_name"],
        }
        for at, row in enumerate(people)
    ]
    out = checked(save(tmp_path / "people.csv", [*rows, {**rows[1], "record_id": "again"}])).stdout
    assert "warning: column date_of_birth: cannot be read as dates and count as missing: 60 values" in out
    assert "warning: column last_name: one value stands in" in out
    assert "warning: 2 records (0.3%) are like another one" in out


def test_two_files_that_fit_are_told_so_and_other_notations_are_named(people: list[Row], tmp_path: Path) -> None:
    """A difference that a type settles is no warning."""
    german = [{**row, "date_of_birth": ".".join(reversed(row["date_of_birth"].split("-")))} for row in people]
    out = against(tmp_path, people, german)
    assert "nothing speaks against the two files fitting each other" in out
    assert "note: date_of_birth: written 9999-99-99 here and 99.99.9999 there; as date both are compared" in out


@pytest.mark.parametrize(
    ("column", "wrong", "said"),
    [
        (
            "date_of_birth",
            lambda value: ".".join(reversed(value.split("-"))),
            "date_of_birth: written 9999-99-99 here and 99.99.9999 there",
        ),
        ("first_name", lambda value: value[:1], "first_name: values have"),
        ("city", lambda value: "" if value < "M" else value, "city: missing in"),
        (
            "last_name",
            lambda value: f"{value} {value}",
            "last_name: several words in 0% of the values here and 100% there",
        ),
        ("last_name", lambda value: f"{value}ש", "last_name: letters beyond a to z"),
    ],
)
def test_what_will_not_match_under_a_schema_is_named_by_attribute(
    people: list[Row], tmp_path: Path, column: str, wrong: Callable[[str], str], said: str
) -> None:
    """The built-in schema takes values as they stand; nobody further on could tell."""
    theirs = [{**row, column: wrong(row[column])} for row in people]
    out = against(tmp_path, people, theirs, "--schema", "clinic")
    assert f"warning: {said}" in out


def test_a_column_that_only_one_file_has_is_named(people: list[Row], tmp_path: Path) -> None:
    """Attributes that one owner lacks cannot be compared."""
    fewer = [{name: value for name, value in row.items() if name != "street"} for row in people]
    assert "warning: street: the other file has no column of it" in against(tmp_path, people, fewer)
    assert "warning: street: the other file has it, and this one has no column" in against(tmp_path, fewer, people)


def test_json_has_the_same(people: list[Row], tmp_path: Path) -> None:
    """Pipelines check files, too."""
    done = checked(save(tmp_path / "people.csv", people), "--json")
    found = json.loads(done.stdout)
    assert 600 == found["records"]
    assert "9999-99-99" == next(one for one in found["columns"] if one["attribute"] == "date_of_birth")["format"]


@pytest.mark.parametrize(
    "text", ["{}", "[1]", "name,town\n", '{"kind": "unveil profile 1", "records": "many"}', "[" * 5000]
)
def test_what_is_no_profile_is_refused_with_the_cure(people: list[Row], tmp_path: Path, text: str) -> None:
    """People send the file itself, which is what this is to avoid."""
    other = tmp_path / "their.json"
    other.write_text(text)
    done = unveil("check", save(tmp_path / "people.csv", people), "--against", other)
    assert 1 == done.returncode
    assert "is no profile of a file" in done.stderr
    assert "unveil check FILE --out profile.json" in done.stderr


def test_a_table_of_postgresql_is_looked_at_like_a_file(people: list[Row], postgres_url: str) -> None:
    """Registers are databases more often than files; nothing can be written through a query."""
    with psycopg.connect(postgres_url) as connection:
        connection.execute("create table people (id text, vorname text, geboren date)")
        rows = [(row["record_id"], row["first_name"], row["date_of_birth"]) for row in people]
        connection.cursor().executemany("insert into people values (%s, %s, %s)", rows)
    out = checked(postgres_url, "--query", "select * from people order by id").stdout
    assert "600 records, identified by column id" in out
    assert "9999-99-99 (100%)" in out
    done = unveil("check", postgres_url, "--query", "delete from people")
    assert "the query failed" in done.stderr
    assert "600 records" in checked(postgres_url, "--query", "select * from people").stdout
