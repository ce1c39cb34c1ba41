"""Two hospitals' files as they are exported: the commands that a person types lead to as many links as clean files."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tools.two_hospitals import pairs, written

RECORDS = 3000
#: Of the true pairs.
CLOSE = 0.01


@dataclass(frozen=True)
class Linked:
    """What one command printed, and which pairs it linked."""

    told: dict[str, Any]
    stderr: str
    recall: float
    f1: float


def typed(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line as somebody types it in that folder."""
    words = [sys.executable, "-m", *line.split()]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path, Path]]:
    return written(tmp_path_factory.mktemp("hospitals"), RECORDS, seed=1)


@pytest.fixture(scope="module")
def as_exported(files: dict[str, tuple[Path, Path, Path]]) -> Linked:
    return linked(*files["as exported"])


def linked(a: Path, b: Path, truth: Path) -> Linked:
    """One command, without one line that somebody wrote; every file lies where it was exported to."""
    out = "--out links.csv --persons persons.parquet --report report.html --json"
    done = typed(f"unveil link {a.name} {b.name} {out}", a.parent)
    assert 0 == done.returncode, done.stderr
    found, true = pairs(a.parent / "links.csv"), pairs(truth)
    right = len(found & true)
    return Linked(json.loads(done.stdout), done.stderr, right / len(true), 2 * right / (len(found) + len(true)))


def test_the_files_are_what_hospitals_export(files: dict[str, tuple[Path, Path, Path]]) -> None:
    """Otherwise the tests below would prove nothing."""
    a, b, _ = files["as exported"]
    text = a.read_bytes()
    header, first = text.decode("latin-1").splitlines()[:2]
    assert "PatNr;Nachname;Vorname;Geburtsdatum;Geschlecht;Straße;PLZ;Ort" == header
    with pytest.raises(UnicodeDecodeError):
        text.decode("utf-8")
    assert 8 == len(first.split(";"))
    rows = list(csv.reader(text.decode("latin-1").splitlines(), delimiter=";"))[1:]
    assert RECORDS + RECORDS // 10 == len(rows)
    assert 0.08 < sum(not row[1] for row in rows) / len(rows) < 0.12
    assert {2, 5} == {row[3].find(".") for row in rows if row[3]} | {row[3].rfind(".") for row in rows if row[3]}
    assert b.read_bytes().startswith(b"PK")


def test_one_command_leads_from_two_exports_to_links_with_an_estimate(as_exported: Linked) -> None:
    """Nothing is written by hand: no schema, no script for ids and dates."""
    low, likely, high = as_exported.told["estimated_f1"]
    assert low < likely < high
    assert low <= as_exported.f1 <= high
    assert as_exported.told["links"] > 0.3 * RECORDS


def test_exports_are_linked_as_well_as_the_same_people_in_clean_files(
    files: dict[str, tuple[Path, Path, Path]], as_exported: Linked
) -> None:
    """A fifth of the links was once lost without a word, because one file wrote 09.01.1944."""
    assert linked(*files["the same, in one form"]).recall - CLOSE <= as_exported.recall


def test_what_was_chosen_is_told_and_no_value_is(
    files: dict[str, tuple[Path, Path, Path]], as_exported: Linked
) -> None:
    """Whoever trusts a proposal must be able to see it."""
    for line in (
        "read as Windows-1252",
        "record id: column PatNr and column Case ID",
        "geburtsdatum: column Geburtsdatum and column DOB, as birth date by its name",
        "plz: column PLZ and column Postal code, as postcode by its name",
    ):
        assert line in as_exported.stderr
    a, _, _ = files["as exported"]
    rows = list(csv.reader(a.read_text("latin-1").splitlines(), delimiter=";"))[1:]
    report = (a.parent / "report.html").read_text(encoding="utf-8")
    values = {row[at] for row in rows[:300] for at in (3, 5) if row[at]}
    assert set() == {value for value in values if value in as_exported.stderr + report}
