"""Every example of the page on Python and every notebook runs, and shows no value of a record."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from tools import notebooks
from unveil.lab.synthetic import Registers, generate, write

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
_LEAST = 6  # characters of a value that is not there by chance


@pytest.fixture(scope="module")
def registers() -> Registers:
    return generate(records=400, overlap=0.4, errors=1, seed=5)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::unveil.UnveilWarning")  # of ids that number the generated people
def test_an_example_runs_and_prints_no_value(
    path: Path,
    registers: Registers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """People copy examples before they read."""
    (tmp_path / "people").mkdir()
    write(registers, tmp_path / "people")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    text = capsys.readouterr().out
    assert text
    values = {value for column in registers.a.columns.values() for value in column.distinct if len(value) >= _LEAST}
    assert set() == {value for value in values if value in text}


def test_the_page_shows_these_examples_and_no_others() -> None:
    """What stands on the page is what is run, linted and type-checked."""
    assert sorted(path.read_text(encoding="utf-8") for path in EXAMPLES) == sorted(BLOCK.findall(PAGE))


def test_two_frames_lead_to_persons_with_an_estimate_in_ten_lines() -> None:
    """It is what a notebook is opened for."""
    first = BLOCK.findall(PAGE)[0]
    lines = [line for line in first.splitlines() if line]
    assert len(lines) <= 10
    assert "estimate" in first
    assert "persons" in first


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_says(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m tools.notebooks` draws it anew; numbers may differ in their last digits."""
    monkeypatch.chdir(tmp_path)
    found = notebooks.read(path)
    assert notebooks.alike(found) == notebooks.alike(notebooks.executed(found))


def test_no_notebook_shows_a_value() -> None:
    """Names and ids of the people that it makes are in no output."""
    path = next(path for path in NOTEBOOKS if path.stem == "link-two-tables")
    found = notebooks.read(path)
    shown = json.dumps([cell.get("outputs") for cell in found["cells"]])
    people = generate(records=1000, overlap=0.3, errors=1, seed=7).a
    values = {value for column in people.columns.values() for value in column.distinct if len(value) >= _LEAST}
    assert set() == {value for value in (*values, *people.ids) if value in shown}


def test_a_cell_that_changed_is_noticed() -> None:
    """Otherwise the test above would prove nothing."""
    cell = {"cell_type": "code", "source": ["print('one')\n", "2 + 2"], "outputs": [], "metadata": {}}
    ran = notebooks.executed({"cells": [cell]})
    assert ["one\n"] == ran["cells"][0]["outputs"][0]["text"]
    assert {"text/plain": ["4"]} == ran["cells"][0]["outputs"][1]["data"]
    changed = notebooks.executed({"cells": [{**cell, "source": ["print('two')\n", "2 + 2"]}]})
    assert notebooks.alike(ran) != notebooks.alike(changed)
