"""`unveil link` on two files of records: one command from what people have to links with an estimate."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pexpect
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from command_line import Done, unveil

from patience import PATIENCE
from unveil.files.write import plain_id

GERMAN = {"first_name": "Vorname", "last_name": "Nachname", "zip": "PLZ", "city": "Wohnort", "record_id": "Fallnummer"}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    assert 0 == unveil("generate", "--records", "1500", "--overlap", "0.3", "--seed", "4", "--out", folder).returncode
    return folder


@pytest.fixture(scope="module")
def linked(people: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The shortest way: two files and where to write."""
    out = tmp_path_factory.mktemp("linked")
    more = ("--persons", out / "persons.parquet", "--report", out / "report.html")
    return out, unveil("link", people / "a.csv", people / "b.csv", "--out", out / "links.csv", *more)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def f1_of(links: Path, folder: Path) -> float:
    found, truth = (
        {(plain_id(row["record_id_a"]), plain_id(row["record_id_b"])) for row in rows(path)}
        for path in (links, folder / "truth.csv")
    )
    return 2 * len(found & truth) / (len(found) + len(truth))


def with_header(path: Path, new: Path, names: dict[str, str]) -> Path:
    """The file with other names for its columns, and semicolons between them."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    columns = [names.get(name, name) for name in header.split(",")]
    new.write_text("\n".join([";".join(columns), *(line.replace(",", ";") for line in lines)]), encoding="utf-8")
    return new


def test_one_command_and_no_written_line_lead_from_two_files_to_links_with_an_estimate(
    people: Path, linked: tuple[Path, Done]
) -> None:
    """Everything that nobody said is proposed, and told."""
    out, done = linked
    assert 0 == done.returncode, done.stderr
    f1 = f1_of(out / "links.csv", people)
    assert f1 > 0.95
    low, high = (float(word) for word in done.stdout.split("estimated F1")[1].split("\n")[0].split()[2::2])
    assert low <= f1 <= high
    for said in ("no schema was given", "last_name: column last_name, as family name by its name", "no key was given"):
        assert said in done.stderr
    assert {"probability", "person", "similarity"} < set(rows(out / "links.csv")[0])


def test_every_record_has_a_person_in_the_format_that_the_name_asks_for(linked: tuple[Path, Done]) -> None:
    """Parquet by its name."""
    table = pq.read_table(linked[0] / "persons.parquet")
    assert ["file", "record_id", "person"] == table.column_names
    assert 3000 == table.num_rows


def test_neither_report_nor_screen_holds_a_value_or_an_id(people: Path, linked: tuple[Path, Done]) -> None:
    """The report is sent around; no masked pair is in it either."""
    out, done = linked
    text = (out / "report.html").read_text(encoding="utf-8") + done.stdout + done.stderr
    values = {value for row in rows(people / "a.csv") for value in row.values() if len(value) > 5}
    assert len(values) > 1000
    assert set() == {value for value in values if value in text}
    assert "nobody knows" in text.lower()
    assert "<script" not in text


def test_the_same_files_give_the_same_links_without_a_key(
    people: Path, linked: tuple[Path, Done], tmp_path: Path
) -> None:
    """The key is made from the files, so that a result can be had again."""
    again = tmp_path / "links.csv"
    assert 0 == unveil("link", people / "a.csv", people / "b.csv", "--out", again).returncode
    assert (linked[0] / "links.csv").read_bytes() == again.read_bytes()


def test_a_schema_and_a_key_can_be_given_and_json_tells_all(people: Path, tmp_path: Path) -> None:
    """For whoever has them; the result is JSON by its name."""
    unveil("key", "new", tmp_path / "key")
    out = tmp_path / "links.json"
    more = ("--schema", "person", "--key", tmp_path / "key", "--json")
    done = unveil("link", people / "a.csv", people / "b.csv", "--out", out, *more)
    said = json.loads(done.stdout)
    links = json.loads(out.read_text(encoding="utf-8"))
    assert (str(out), len(links), True) == (said["file"], said["links"], said["estimate_trusted"])
    assert said["opened_pairs"] > 0
    assert ([], [], None) == (said["warnings"], said["column_warnings"], said["same_file"])
    assert "no schema was given" not in done.stderr


@pytest.mark.parametrize("schema", [(), ("--schema", "person")])
def test_columns_of_either_file_can_be_named(people: Path, tmp_path: Path, schema: tuple[str, ...]) -> None:
    """Two organisations name columns in their own ways; a proposal finds most of them by itself."""
    b = with_header(people / "b.csv", tmp_path / "b.csv", GERMAN)
    named = [f"--column-b={attribute}={column}" for attribute, column in GERMAN.items() if attribute != "record_id"]
    out = tmp_path / "links.csv"
    done = unveil("link", people / "a.csv", b, *schema, *named, "--id-b", "Fallnummer", "--out", out)
    assert 0 == done.returncode, done.stderr
    assert f1_of(out, people) > 0.95


def test_a_proposal_finds_the_columns_of_the_other_file_by_what_they_hold(people: Path, tmp_path: Path) -> None:
    """Nobody has to name what can be seen; what was taken for what is told."""
    b = with_header(people / "b.csv", tmp_path / "b.csv", GERMAN)
    done = unveil("link", people / "a.csv", b, "--out", tmp_path / "links.csv")
    assert 0 == done.returncode, done.stderr
    assert "last_name: column last_name and column Nachname" in done.stderr
    assert "record id: column record_id and column Fallnummer" in done.stderr
    assert f1_of(tmp_path / "links.csv", people) > 0.95


def test_a_schema_that_does_not_fit_the_file_names_the_option(people: Path, tmp_path: Path) -> None:
    """The cure is a word on the command line, not an editor."""
    b = with_header(people / "b.csv", tmp_path / "b.csv", GERMAN)
    done = unveil("link", people / "a.csv", b, "--schema", "person", "--out", tmp_path / "links.csv")
    assert 1 == done.returncode
    assert "b.csv: needed columns missing" in done.stderr
    assert "--column" in done.stderr


def test_one_file_named_twice_and_a_copy_of_it_are_warned_of(people: Path, tmp_path: Path) -> None:
    """Links of a file with itself look perfect."""
    copy = tmp_path / "copy.csv"
    copy.write_bytes((people / "a.csv").read_bytes())
    for other, said in ((people / "a.csv", "was named twice"), (copy, "1,500 records stand in both files")):
        done = unveil("link", people / "a.csv", other, "--out", tmp_path / "links.csv", "--force")
        assert 0 == done.returncode, done.stderr
        assert f"{said}" in done.stdout.split("warning: ")[1]


def test_a_column_that_is_no_such_thing_is_warned_of_by_name(people: Path, tmp_path: Path) -> None:
    """The families of one file stand under the places of birth of the other: nothing would agree, without a word."""
    swapped = {"last_name": "place_of_birth", "place_of_birth": "last_name", "zip": "first_name", "first_name": "zip"}
    b = with_header(people / "b.csv", tmp_path / "b.csv", swapped)
    done = unveil("link", people / "a.csv", b, "--schema", "person", "--out", tmp_path / "links.csv")
    warned = [line for line in done.stdout.splitlines() if line.startswith("warning: ")]
    assert any(f"{b}, column zip: " in line for line in warned)


def test_a_file_without_an_id_has_its_rows_numbered(people: Path, tmp_path: Path) -> None:
    """Whoever has no id still knows which row it was."""
    a = tmp_path / "a.csv"
    a.write_text("\n".join(line.partition(",")[2] for line in (people / "a.csv").read_text().splitlines()))
    done = unveil("link", a, people / "b.csv", "--out", tmp_path / "links.csv")
    assert "record id: the number of the row and column record_id" in done.stderr
    assert {row["record_id_a"] for row in rows(tmp_path / "links.csv")} <= set(map(str, range(1, 1501)))


def test_a_threshold_links_records_without_any_model(people: Path, tmp_path: Path) -> None:
    """The plain way remains; there is nothing to estimate or to report."""
    out = tmp_path / "links.csv"
    files = (people / "a.csv", people / "b.csv")
    plain = ("--schema", "paper", "--threshold", "0.78", "--one-to-one")
    done = unveil("link", *files, *plain, "--out", out, "--json")
    assert json.loads(done.stdout)["estimated_f1"] is None
    assert "probability" not in rows(out)[0]
    assert 0.7 < f1_of(out, people) < 0.95
    refused = unveil("link", *files, *plain, "--out", out, "--force", "--report", tmp_path / "report.html")
    assert (1, True) == (refused.returncode, "leave --threshold out" in refused.stderr)


def test_what_is_for_records_is_refused_for_encodings(people: Path, tmp_path: Path) -> None:
    """A schema would change nothing about what is encoded already."""
    unveil("key", "new", tmp_path / "key")
    encoded = tmp_path / "a.parquet"
    unveil("encode", people / "a.csv", "--key", tmp_path / "key", "--out", encoded)
    for more in (("--schema", "person"), ("--key", tmp_path / "key"), ("--review",)):
        done = unveil("link", encoded, encoded, "--out", tmp_path / "links.csv", *more)
        assert 1 == done.returncode
        assert "encodings" in done.stderr


def test_links_go_to_stdout_and_to_an_arrow_file(people: Path, tmp_path: Path) -> None:
    """Pipelines take them as they come; what is told to people is on stderr then."""
    unveil("key", "new", tmp_path / "key")
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for source, out in zip(("a.csv", "b.csv"), files, strict=True):
        unveil("encode", people / source, "--schema", "person", "--key", tmp_path / "key", "--out", out)
    piped = unveil("link", *files, "--out", "-", "--threshold", "0.8")
    assert 0 == piped.returncode, piped.stderr
    assert "links" in piped.stderr
    saved = unveil("link", *files, "--out", tmp_path / "links.feather", "--threshold", "0.8")
    assert 0 == saved.returncode, saved.stderr
    rows = list(csv.DictReader(piped.stdout.splitlines()))
    table = pyarrow.feather.read_table(tmp_path / "links.feather")
    assert [row["record_id_a"] for row in rows] == table["record_id_a"].to_pylist()
    assert len(rows) > 10
    refused = unveil("link", *files, "--out", "-", "--json")
    assert "--json prints there" in refused.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are not to be had on Windows")
def test_a_person_reviews_at_the_terminal_quits_and_goes_on(people: Path, tmp_path: Path) -> None:
    """In a real terminal; no label is lost, and what was decided is in the result."""
    out = tmp_path / "links.csv"
    arguments = ["-m", "unveil", "link", str(people / "a.csv"), str(people / "b.csv"), "--schema", "person"]
    arguments += ["--review", "--terminal", "--budget", "20", "--out", str(out), "--json"]

    def start() -> pexpect.spawn:
        return pexpect.spawn(sys.executable, arguments, dimensions=(30, 100), encoding="utf-8", timeout=PATIENCE)

    first = start()
    first.expect("pair 1 of")
    first.expect("quit")
    first.send("m")
    first.expect("pair 2 of")
    first.expect("quit")
    first.send("q")
    first.expect(pexpect.EOF)
    first.wait()
    first.close()
    assert (75, False) == (first.exitstatus, out.exists())
    second = start()
    second.expect("pair 2 of")
    second.expect("quit")
    second.send("n")
    for _ in range(100):
        if second.expect(["quit", pexpect.EOF]) == 1:
            break
        second.send("\r" if "hands them in" in str(second.before) else "n")
    second.wait()
    second.close()
    assert 0 == second.exitstatus
    tasks = json.loads((tmp_path / "links.review.json").read_text(encoding="utf-8"))["tasks"].values()
    assert 1 == [task["label"] for task in tasks].count("match")
    assert 0 < len(tasks) <= 20
