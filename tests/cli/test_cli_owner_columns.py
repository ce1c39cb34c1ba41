"""
Which column leaves as which attribute: each owner says it itself, sees it, and confirms what does not seem to fit.

A project file once could name the columns, no fingerprint knew them, and a diagnosis was sent as a city.
"""

from __future__ import annotations

import csv
import json
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Done, unveil
from owner_trial import OwnerTrial

from unveil.lab.local_parties import folder
from unveil.projects.owner_config import OwnerConfig
from unveil.protocol.messages import Fingerprint
from unveil.runtime.owner.column_check import FILE_NAME, UnconfirmedColumns
from unveil.runtime.owner.service import OwnerService
from unveil.runtime.owner.stop import StopFlag
from unveil.schema import built_in

DIAGNOSES = ("Stroke", "Diabetes mellitus", "Asthma", "Migraine")


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[OwnerTrial]:
    """Owner a has diagnoses in its file."""
    with OwnerTrial(tmp_path / "trial") as made:
        path = made.trial.data("owner-a")
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0], "diagnosis"])
            writer.writeheader()
            writer.writerows({**row, "diagnosis": DIAGNOSES[at % 4]} for at, row in enumerate(rows))
        yield made


def configure(trial: OwnerTrial, text: str) -> None:
    """Say which columns owner a's attributes are read from."""
    path = trial.owner("a") / "unveil.toml"
    path.write_text(path.read_text().replace("[tls]", f"{text}\n[tls]"))


def check(trial: OwnerTrial, *more: str) -> Done:
    done = unveil("owner", "check", trial.owner("a"), "--demonstration", *more)
    assert "Traceback" not in done.stderr
    assert not any(diagnosis in done.stdout + done.stderr for diagnosis in DIAGNOSES), "no value is shown"
    return done


def test_a_project_file_that_names_a_column_is_refused_everywhere(trial: OwnerTrial) -> None:
    """Units do not start with it and owners do not begin; the word says that no fingerprint changes without it."""
    path = trial.root / "project.toml"
    fingerprint = trial.trial.project().fingerprint()
    sound = path.read_text()
    path.write_text(sound.replace('name = "city"\n', 'name = "city"\ncolumn = "diagnosis"\n', 1))
    unit = subprocess.run(
        [sys.executable, "-m", "unveil", "serve", "record-unit", "--demonstration",
         "--config", str(trial.root / "record-unit" / "unit.toml")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert 1 == unit.returncode
    upload = unveil("owner", "upload", trial.owner("a"), "--demonstration")
    shown = unveil("project", "show", path)
    for done in (unit.stderr, check(trial).stderr, upload.stderr, shown.stderr):
        assert "schema.attributes.4.column: a project file names no columns" in done
        assert "changes no fingerprint" in done
        assert "unveil owner init --column" in done
    path.write_text(sound)
    assert fingerprint == trial.trial.project().fingerprint()


def test_a_column_that_does_not_fit_is_not_sent_before_somebody_has_confirmed_it(trial: OwnerTrial) -> None:
    """With real units: not even the fingerprint leaves. Once it is confirmed, it is sent."""
    trial.start_units()
    configure(trial, '[columns]\ncity = "diagnosis"')
    asked = check(trial)
    assert 1 == asked.returncode
    assert "to be confirmed: nothing in the name of the column says city (town, suburb or city)" in asked.stdout
    for command in ("upload", "run"):
        _, err = trial.end(trial.start(command, "a"), 1)
        assert "nothing is sent" in err
        assert "city <- diagnosis: nothing in the name of the column says city" in err
        assert f"unveil owner check {trial.owner('a')}" in err
    assert [] == trial.received("record-unit", "a")
    assert not (trial.owner("a") / "log.sqlite").exists()

    assert 0 == check(trial, "--yes").returncode
    assert "confirmed, although nothing in the name" in check(trial).stdout
    assert 0o600 == stat.S_IMODE((trial.owner("a") / FILE_NAME).stat().st_mode)
    other = trial.start("upload", "b")
    assert "all 300 records" in trial.end(trial.start("upload", "a"))[0]
    trial.end(other)
    assert any(isinstance(message, Fingerprint) for message in trial.received("record-unit", "a"))


def test_a_confirmation_covers_what_was_shown_and_no_more(trial: OwnerTrial) -> None:
    """Another column, another attribute, or values that came later are asked about again."""
    service = OwnerService(trial.owner("a"), demonstration=True)
    configure(trial, '[columns]\ncity = "diagnosis"')
    service.confirm(service.check().doubtful)
    assert () == service.check().doubtful
    config = trial.owner("a") / "unveil.toml"
    sound = config.read_text()
    config.write_text(sound.replace('city = "diagnosis"', 'place_of_birth = "diagnosis"'))
    assert ["place_of_birth"] == [one.attribute for one in service.check().doubtful]
    config.write_text(sound)
    data = trial.trial.data("owner-a")
    data.write_text(data.read_text().replace("Asthma", "J45.9").replace("Stroke", "I63.9").replace("Migraine", "G43"))
    assert [["name", "contents"]] == [[doubt.kind for doubt in one.doubts] for one in service.check().doubtful]
    with pytest.raises(UnconfirmedColumns):
        service.upload(StopFlag())
    (trial.owner("a") / FILE_NAME).write_text('{"city": 1}')
    assert "does not say which columns were confirmed" in check(trial).stderr


def test_check_shows_columns_and_how_values_are_written(trial: OwnerTrial) -> None:
    """Attribute, column, format, lengths, gaps, distinct values; nothing is asked where all fits."""
    done = check(trial)
    assert 0 == done.returncode, done.stdout
    line = next(line for line in done.stdout.splitlines() if line.startswith("  year_of_birth  "))
    assert ["year_of_birth", "<-", "year_of_birth", "9999", "(100.0%)"] == line.split()[:5]
    assert " 4 to 4 characters " in line
    told = json.loads(check(trial, "--json").stdout)["columns"]
    assert list(trial.trial.project().linkage.names) == [one["attribute"] for one in told]
    found = next(one for one in told if one["attribute"] == "zip")
    assert ("postcode", "zip", "99999", [], False) == (
        found["role"], found["column"], found["look"]["format"], found["doubts"], found["confirmed"],
    )  # fmt: skip


def test_json_tells_what_is_to_be_confirmed_and_fails(trial: OwnerTrial) -> None:
    """A program that goes by the exit code goes no further."""
    configure(trial, '[columns]\ncity = "diagnosis"')
    done = check(trial, "--json")
    assert 1 == done.returncode
    (one,) = [one for one in json.loads(done.stdout)["columns"] if one["doubts"]]
    assert ("city", "diagnosis", ["name"]) == (
        one["attribute"],
        one["column"],
        [each["kind"] for each in one["doubts"]],
    )
    assert 0 == check(trial, "--json", "--yes").returncode
    assert 0 == check(trial, "--json").returncode


def begin(trial: OwnerTrial, folder: Path, *more: str) -> Done:
    root = trial.root
    return unveil(
        "owner", "init", folder, "--project", root / "project.toml", "--name", "a",
        "--data", trial.trial.data("owner-a"), "--key", root / "project.key",
        "--certificate", root / "pki" / "owner-a.pem", "--tls-key", root / "pki" / "owner-a.key",
        "--authority", root / "pki" / "authority.pem", *more,
    )  # fmt: skip


def test_an_owner_names_its_columns_when_its_folder_is_made(trial: OwnerTrial, tmp_path: Path) -> None:
    """They are kept in its configuration; a column of the same meaning needs no word."""
    data = trial.trial.data("owner-a")
    before = OwnerService(trial.owner("a"), demonstration=True).check()
    header, _, rest = data.read_text().partition("\n")
    data.write_text(header.replace("record_id", "pid").replace("last_name", "Nachname") + "\n" + rest)
    unsaid = begin(trial, tmp_path / "a")
    assert 1 == unsaid.returncode
    assert "unveil owner init" in unsaid.stderr
    assert "[columns]" in unsaid.stderr
    done = begin(trial, tmp_path / "a", "--column", "last_name=Nachname", "--id", "pid")
    assert 0 == done.returncode, done.stderr
    mapping = OwnerConfig.load(tmp_path / "a").columns
    assert ("pid", {"last_name": "Nachname"}) == (mapping.id, mapping.columns)
    report = OwnerService(tmp_path / "a").check()
    assert before.attributes == report.attributes, "the same values are read"
    assert () == report.doubtful
    doubtful = begin(
        trial, tmp_path / "b", "--column", "last_name=Nachname", "--column", "city=diagnosis", "--id", "pid"
    )
    assert 0 == doubtful.returncode
    assert "note: city <- diagnosis: nothing in the name" in doubtful.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--column", "city"], "not of the form attribute=column"),
        (["--column", "city="], "not of the form attribute=column"),
        (["--column", "city=zip", "--column", "city=zip"], "attribute city is given twice"),
        (["--column", "cty=zip"], "columns.cty: the project has no such attribute (did you mean city?)"),
        (["--column", "city=zip"], '"zip" is read twice'),
        (["--column", "city=record_id"], '"record_id" is read twice'),
        (["--id", "zip"], '"zip" is read twice'),
    ],
)
def test_columns_that_cannot_be_are_explained(trial: OwnerTrial, tmp_path: Path, words: list[str], said: str) -> None:
    """And no folder is made."""
    done = begin(trial, tmp_path / "a", *words)
    assert 1 == done.returncode
    assert said in done.stderr
    assert not (tmp_path / "a").exists()


def test_a_trial_keeps_the_columns_of_its_schema_with_the_owners(tmp_path: Path) -> None:
    """Whoever tries a schema of their own on one machine gets the same parties as in the field."""
    (tmp_path / "people").mkdir()
    for name in "ab":
        (tmp_path / "people" / f"{name}.csv").write_text("")
    schema = built_in().read_from({"city": "ort"}, id_column="pid")
    made = folder.make(tmp_path, schema, seed=1, key=bytes(range(32)))
    assert built_in() == made.project().linkage
    for owner in folder.OWNERS:
        config = OwnerConfig.load(made.config(owner), demonstration=True)
        assert schema == config.columns.of(made.project().linkage, source="x")
