"""The commands on the pages for newcomers run as they stand, in their order, on files such as the pages speak of."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unveil.cli.app import app
from unveil.cli.commands import register
from unveil.lab.synthetic import exported, generate, write, write_exported

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FEW = 250
register()


def lines(page: str) -> list[str]:
    """Every command of the page but the one that waits for a person."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = [line for block in BLOCK.findall(text) for line in block.splitlines() if line.startswith("unveil ")]
    return [line for line in found if "--review" not in line]


def run(line: str) -> None:
    """Run it with fewer people."""
    words = shlex.split(re.sub(r"--records \d+", f"--records {FEW}", line), comments=True)[1:]
    done = CliRunner().invoke(app, words)
    assert (0, line) == (done.exit_code, line), done.output


def rewrite(source: Path, target: Path, names: dict[str, str], *, codec: str = "utf-8", delimiter: str = ",") -> None:
    """A generated file with other names of columns, in another encoding."""
    with source.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    with target.open("w", encoding=codec, newline="") as file:
        header = [names.get(name, name) for name in rows[0]]
        csv.writer(file, delimiter=delimiter).writerows(
            [header, *([*row[:3], f"{row[3]}Ä", *row[4:]] for row in rows[1:])]
        )


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(generate(records=FEW, overlap=0.4, seed=6), tmp_path / "people")
    return tmp_path


def test_the_page_on_files_runs_as_it_stands(here: Path) -> None:
    """It is the first page on which somebody types the name of an own file."""
    rewrite(here / "people" / "a.csv", here / "patients.csv", {"record_id": "PatNr", "last_name": "Nachname"},
            codec="latin-1", delimiter=";")  # fmt: skip
    made = exported(generate(records=FEW, overlap=0.4, layout="clinic", seed=6), seed=6)
    write_exported(made, here)
    (here / "hospital-a.csv").rename(here / "hospital.csv")
    (here / "hospital-b.xlsx").rename(here / "registry.xlsx")
    (here / "export.xlsx").write_bytes((here / "registry.xlsx").read_bytes())
    run("unveil key new project.key")
    commands = lines("files.md")
    assert len(commands) >= 4
    for line in commands:
        run(line)
    assert (here / "both.toml").exists()


def test_the_page_on_one_place_runs_as_it_stands(here: Path) -> None:
    """One command leads from two files to links, and so do the others of the page."""
    (here / "a.csv").write_bytes((here / "people" / "a.csv").read_bytes())
    names = {"record_id": "Fallnummer", "last_name": "Nachname", "zip": "PLZ"}
    rewrite(here / "people" / "b.csv", here / "b.csv", names)
    commands = lines("one-place.md")
    assert len(commands) >= 4
    for line in commands:
        for path in (here / "links.csv", here / "persons.csv", here / "report.html"):
            path.unlink(missing_ok=True)  # each line is typed on a day of its own
        run(line)
