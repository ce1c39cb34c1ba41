"""`unveil schema propose` and `unveil schema check --data`: a schema from records, and a schema held against them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from command_line import unveil

from unveil.lab.synthetic import generate, write
from unveil.schema import built_in_text, load, parse


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a.csv and b.csv of generated patients."""
    folder = tmp_path_factory.mktemp("people")
    write(generate(records=800, seed=9, layout="clinic"), folder)
    (folder / "clinic.toml").write_text(built_in_text("clinic"), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def few(people: Path) -> Path:
    """The first 100 rows of a.csv, for what does not depend on what the schema says."""
    folder = people / "few"
    folder.mkdir()
    return write_rows(folder / "a.csv", rows_of(people / "a.csv")[:101])


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def write_rows(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_proposed_schema_passes_the_check_without_a_warning(people: Path, tmp_path: Path) -> None:
    """From a file to a schema and back to the file."""
    out = tmp_path / "mine.toml"
    done = unveil("schema", "propose", people / "a.csv", "--out", out)
    assert (0, "") == (done.returncode, done.stderr)
    assert f"schema for 800 records written to {out}" in done.stdout
    assert "date_of_birth  birth_date, by its name" in done.stdout
    assert "mine" == load(out).name
    checked = unveil("schema", "check", out, "--data", people / "a.csv", "--other", people / "b.csv")
    assert (0, "") == (checked.returncode, checked.stderr)
    assert "schema mine is valid" in checked.stdout
    assert "800 records, and 800 of the other owner" in checked.stdout
    assert "warning:" not in checked.stdout


def test_without_a_file_to_write_the_schema_is_printed(few: Path) -> None:
    """It can be piped; named after the file of records."""
    done = unveil("schema", "propose", few)
    assert 0 == done.returncode
    assert "a" == parse(done.stdout).name


def test_json_tells_roles_reasons_and_figures(people: Path) -> None:
    """For programs, the same as for people."""
    done = unveil("schema", "propose", people / "a.csv", "--other", people / "b.csv", "--json")
    found = json.loads(done.stdout)
    assert ({}, [], None) == (found["left_out"], found["figures"]["warnings"], found["file"])
    assert "family_name" == found["roles"]["last_name"]
    assert 800 == found["figures"]["records_other"]
    assert found["schema"]["blocking"]


def test_check_prints_figures_of_every_attribute_and_key(people: Path) -> None:
    """And where roles come from, and who is lost."""
    done = unveil("schema", "check", people / "clinic.toml", "--data", people / "a.csv")
    assert 0 == done.returncode
    for text in (
        "they stand in for the other owner's",
        "town*",
        "* by the attribute's name",
        "h for 0.40",
        "layer R: 2048 bits",
        "first_name+date_of_birth",
        "people lost by the keys",
        "%  given and family name exchanged",
    ):
        assert text in done.stdout


def test_check_json_is_the_same_as_an_object(people: Path) -> None:
    """What the schema says, and what it does."""
    done = unveil("schema", "check", people / "clinic.toml", "--data", people / "a.csv", "--json")
    found = json.loads(done.stdout)
    assert (True, "clinic", 6, 3) == (
        found["valid"], found["name"], len(found["figures"]["attributes"]), len(found["figures"]["keys"]),
    )  # fmt: skip
    assert 0.45 < found["figures"]["fill"] < 0.55
    assert found["figures"]["lost_to"]["given and family name exchanged"] > 0.99


def test_warnings_do_not_fail(people: Path, tmp_path: Path) -> None:
    """They are advice: exit status 0."""
    text = built_in_text("clinic").replace("h = 19\n", "h = 60\n").replace("weight = 8.48\n", "weight = 1.0\n")
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    done = unveil("schema", "check", tmp_path / "s.toml", "--data", people / "a.csv")
    assert 0 == done.returncode
    filled, weighed = [line for line in done.stdout.splitlines() if line.startswith("warning: ")]
    assert re.fullmatch(r"warning: first_name: filters are \d\d% full with h = 60; h = \d\d makes it 40%", filled)
    assert re.fullmatch(r"warning: weights are far from what the data say: first_name 1 instead of 8\.\d", weighed)


@pytest.mark.parametrize("as_json", [False, True])
def test_no_value_of_a_record_reaches_the_screen(people: Path, tmp_path: Path, *, as_json: bool) -> None:
    """Of thousands of names, streets, towns and dates not one; each ends like no word of ours, to be known."""
    header, *rows = rows_of(people / "a.csv")
    marked = [[cell + "qz" if re.search("[A-Za-z]{3}", cell) else cell for cell in row] for row in rows]
    assert all(sum(cell.endswith("qz") for cell in row) >= 3 for row in marked)
    data = write_rows(tmp_path / "marked.csv", [header, *marked])
    dates = {cell for row in rows for cell in row if re.fullmatch(r"\d{4}-\d\d-\d\d", cell)}
    assert len(dates) > 600
    for command in (
        ("check", people / "clinic.toml", "--data", data, "--other", people / "b.csv"),
        ("propose", data),
        ("propose", data, "--other", people / "b.csv"),
        ("propose", data, "--id", "city"),
    ):
        done = unveil("schema", *command, *(["--json"] * as_json))
        said = (done.stdout + done.stderr).casefold()
        assert said
        assert "qz" not in said
        assert not [date for date in dates if date in said or date.replace("-", "") in said]


def test_a_missing_column_is_named_with_a_near_one(people: Path, tmp_path: Path) -> None:
    """The file calls it otherwise."""
    text = (people / "a.csv").read_text(encoding="utf-8").replace("last_name", "Last Name", 1)
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    done = unveil("schema", "check", people / "clinic.toml", "--data", tmp_path / "a.csv")
    assert 1 == done.returncode
    assert "needed column missing: last_name" in done.stderr
    assert "last_name may be the file's Last Name" in done.stderr


def test_the_id_column_may_be_named_and_misnaming_it_is_answered(few: Path) -> None:
    """With what is near; and a column that does not identify is refused."""
    done = unveil("schema", "propose", few, "--id", "record")
    assert (1, True) == (done.returncode, "no column record (did you mean record_id?)" in done.stderr)
    done = unveil("schema", "propose", few, "--id", "city")
    assert (1, True) == (done.returncode, "column city is empty in a record, or the same in two" in done.stderr)
    assert 0 == unveil("schema", "propose", few, "--id", "record_id").returncode


def test_nothing_is_overwritten_unless_asked_for(few: Path, tmp_path: Path) -> None:
    """Before any work is done."""
    out = tmp_path / "mine.toml"
    out.write_text("mine", encoding="utf-8")
    done = unveil("schema", "propose", few, "--out", out)
    assert (1, "mine") == (done.returncode, out.read_text(encoding="utf-8"))
    assert "--force" in done.stderr
    assert 0 == unveil("schema", "propose", few, "--out", out, "--force").returncode
    assert "mine" == load(out).name


def test_the_other_file_needs_a_first(people: Path) -> None:
    """--other alone says nothing."""
    done = unveil("schema", "check", people / "clinic.toml", "--other", people / "b.csv")
    assert (1, True) == (done.returncode, "--other is held against --data" in done.stderr)


def test_columns_left_out_are_listed_with_the_reason(few: Path, tmp_path: Path) -> None:
    """On the screen and in the file."""
    rows = rows_of(few)
    rows = [
        [*rows[0], "clinic", "admitted"],
        *([*row, "north", f"2024-01-{at % 28 + 1:02d}"] for at, row in enumerate(rows[1:])),
    ]
    write_rows(tmp_path / "a.csv", rows)
    done = unveil("schema", "propose", tmp_path / "a.csv", "--out", tmp_path / "s.toml")
    assert "left out     clinic: the same in every record" in done.stdout
    assert "left out     admitted: a date, and nothing says that it is one of birth" in done.stdout
    assert "#   clinic: the same in every record" in (tmp_path / "s.toml").read_text(encoding="utf-8")


def test_help_gives_an_example() -> None:
    """Most people begin with one."""
    assert "Example: unveil schema propose" in unveil("schema", "propose", "--help").stdout
