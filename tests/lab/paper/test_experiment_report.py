"""The page and the command: closed, offline, escaped, complete; JSON with the documented keys."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from small_grid import PLAN, whole
from typer.testing import CliRunner

from unveil.charts.markup import VOID
from unveil.cli.app import app
from unveil.cli.commands import register
from unveil.lab.paper import cells
from unveil.lab.paper.cells import GridCell, Plan
from unveil.lab.paper.deviations import privacy_deviations, quality_deviations
from unveil.lab.paper.experiment import Outcome
from unveil.lab.paper.findings import Findings
from unveil.lab.paper.outputs import summary
from unveil.lab.paper.report import render

HOSTILE = "</td></svg><script>alert('x')</script><img src=x onerror=\"y\">&\u202e\x00"
KEYS = [
    "version", "preset", "quick", "thresholds", "seeds", "missing", "runs", "planned_runs", "computed_now",
    "wall_seconds", "work_seconds", "explanation", "cells", "baselines", "privacy", "deviations",
]  # fmt: skip
CELL_KEYS = [
    "name", "dataset", "budget", "error", "encoding", "runs", "thresholds", "losing_runs", "seconds", "initial",
    "final", "trajectory", "figures", "rounds_to_record_level", "published", "deviations",
]  # fmt: skip
STEP_KEYS = [
    "reviewed_pairs", "clerical_labels", "micro", "plain", "low", "high", "lowest", "highest",
]  # fmt: skip


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole(tmp_path_factory.getbasetemp())[0]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return whole(tmp_path_factory.getbasetemp())[1]


class Outline(HTMLParser):
    """Follows the tags of a document; a tag that is closed wrongly fails at once."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.ids: list[str] = []
        self.values: list[str] = []
        self.words: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.values += [f"{key}={value}" for key, value in attrs]
        self.ids += [value or "" for key, value in attrs if key == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)


def page(found: Findings) -> str:
    return render(found, summary(found, wall_seconds=12.0, computed=3))


def test_the_page_is_whole_and_loads_nothing(outcome: Outcome) -> None:
    """It is opened from disk, mailed, and read in places without a network."""
    document = outcome.files[2].read_text(encoding="utf-8")
    outline = Outline(document)
    assert [] == outline.open
    assert set() == outline.names & {"script", "link", "img", "iframe", "object", "base", "form", "input"}
    assert len(outline.ids) == len(set(outline.ids))
    assert not re.search(r"https?:|url\(|@import|src=|href=", document)
    assert any(value.startswith("content=default-src 'none';") for value in outline.values)


def test_the_page_shows_every_part(outcome: Outcome) -> None:
    """A part that silently vanished would not be missed."""
    words = " ".join(Outline(outcome.files[2].read_text(encoding="utf-8")).words)
    for heading in (
        "What deviates from the publication", "E1M: how far a budget goes", "The other sets", "Folded filters (XOR)",
        "Without review", "What frequent bits give away", "What reached the reviewer", "What it took",
        "All averages and ranges",
    ):  # fmt: skip
        assert heading in words
    assert "published <.200" in words
    for cell in PLAN.cells:
        assert cell.name in words


def test_names_from_outside_cannot_break_out_of_their_place(outcome: Outcome) -> None:
    """Names of folders and presets are text, whatever they hold."""
    found = outcome.findings
    average = next(iter(found.cells.values()))
    cell = GridCell(HOSTILE, 300, 0.2)
    hostile = replace(
        found, preset=HOSTILE, missing=(HOSTILE,), cells={**found.cells, cell: average},
        baselines={HOSTILE: found.baselines["E1M"]}, records={HOSTILE: (1, 1)}, review={HOSTILE: found.review["E1M"]},
        preparation={HOSTILE: 1.0},
    )  # fmt: skip
    outline = Outline(page(hostile))
    assert set() == outline.names & {"script", "img"}
    assert [] == outline.open
    assert not any(value.startswith("onerror") for value in outline.values)


def test_a_page_with_little_on_it_is_still_a_page(outcome: Outcome) -> None:
    """One cell without a published figure, nothing measured."""
    found = outcome.findings
    cell = GridCell("E2M", 20, 0.0)
    bare = replace(
        found, plan=Plan((cell,), (0.0,), (1,)), cells={cell: found.cells[cell]}, baselines={}, records={},
        record_bits={}, attribute_bits={}, review={}, preparation={}, measuring=0.0,
    )  # fmt: skip
    words = " ".join(Outline(page(bare)).words)
    assert "None of the cells that were run has a published figure" in words
    assert "What reached the reviewer" not in words


def test_deviations_are_sorted_and_name_what_was_measured_only(outcome: Outcome) -> None:
    """The first line of the table is the first thing to look into."""
    found = outcome.findings
    for rows in (quality_deviations(found), privacy_deviations(found)):
        assert len(rows) > 5
        sizes = [abs(row.deviation) for row in rows]
        assert sorted(sizes, reverse=True) == sizes
    assert {row.where.split()[0].split(",")[0] for row in quality_deviations(found)} == {"E1M", "E1M-XOR", "E2M"}
    starts = [row for row in quality_deviations(found) if row.measure == "initial_mean"]
    assert ["E1M"] == [row.where for row in starts]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    register()
    monkeypatch.setattr(cells, "GRID", PLAN.cells)
    monkeypatch.setattr(cells, "OFFSETS", PLAN.offsets)
    monkeypatch.setattr(cells, "SEEDS", PLAN.seeds)


@pytest.mark.usefixtures("small")
def test_json_holds_the_documented_keys(sets: Path, outcome: Outcome, tmp_path: Path) -> None:
    """Scripts of others read this object: a renamed key breaks them. It is summary.json, too."""
    shutil.copy(outcome.files[3], tmp_path)  # what is computed already need not be computed for this
    words = ["experiment", "paper", "--data", sets, "--out", tmp_path, "--jobs", "1", "--engine", "reference", "--json"]
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert 0 == done.exit_code, done.output
    result: dict[str, Any] = json.loads(done.stdout)
    assert KEYS == list(result)
    assert result == json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert all(CELL_KEYS == list(cell) for cell in result["cells"])
    assert all(STEP_KEYS == list(step) for cell in result["cells"] for step in cell["trajectory"])
    assert [cell["figures"] for cell in outcome.summary["cells"]] == [cell["figures"] for cell in result["cells"]]
    xor = next(cell for cell in result["cells"] if cell["encoding"] == "clk-xor")
    assert {"gain": {"value": 0.076, "how": "stated"}} == xor["published"]
    assert xor["figures"]["gain"] - 0.076 == pytest.approx(xor["deviations"]["gain"])


@pytest.mark.usefixtures("small")
def test_the_command_tells_people_what_it_found(sets: Path, outcome: Outcome, tmp_path: Path) -> None:
    """A quick run takes what it needs from the journal of a whole one."""
    shutil.copy(outcome.files[3], tmp_path)
    words = [
        "experiment",
        "paper",
        "--data",
        sets,
        "--out",
        tmp_path,
        "--quick",
        "--jobs",
        "1",
        "--engine",
        "reference",
    ]
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert 0 == done.exit_code, done.output
    assert "E1M b=200 err=0.2" in done.stdout
    assert "published" in done.stdout
    assert str(tmp_path / "report.html") in done.stdout.replace("\n", "")
    content = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert content["quick"]
    assert (6, 6, 0) == (content["runs"], content["planned_runs"], content["computed_now"])
    assert any("quick run" in sentence for sentence in content["explanation"])


@pytest.mark.parametrize(
    ("words", "told"), [(["--jobs", "0"], "--jobs must be at least 1"), (["--preset", "none"], "no preset none")]
)
def test_wrong_settings_are_refused_before_anything_is_written(
    sets: Path, tmp_path: Path, words: list[str], told: str
) -> None:
    """Half an hour later would be late."""
    register()
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["experiment", "paper", "--data", str(sets), "--out", str(out), *words])
    assert told == str(done.exception)
    assert not out.exists()
