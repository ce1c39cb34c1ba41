"""`unveil engines` and `unveil bench`: what a person or a script reads."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from unveil.cli import main
from unveil.cli.bench import WHAT

PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "peers"


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["unveil", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_engines_lists_each_engine_with_its_state(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An engine that is missing says why and what to do; one that is there needs neither."""
    assert 0 == run(monkeypatch, "engines", "--no-measure", "--json")
    found = json.loads(capsys.readouterr().out)
    rows = {row["name"]: row for row in found["engines"]}
    assert ["reference", "cpu", "gpu", "spark"] == list(rows)
    assert rows[found["auto"]]["available"]
    assert 1 <= rows["cpu"]["threads"]
    for row in rows.values():
        assert row["available"] == (row["reason"] is None) == (row["hint"] is None)


def test_engines_prints_which_one_auto_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The question that brings people to this command."""
    assert 0 == run(monkeypatch, "engines", "--no-measure")
    assert 1 == capsys.readouterr().out.count("auto takes this one")


def test_a_rate_is_measured_and_not_made_up() -> None:
    """The reference engine makes more than a million and fewer than 10^13 comparisons a second on any machine."""
    from unveil.engines import choose
    from unveil.lab.bench.speed import comparisons_per_second

    assert 1e6 < comparisons_per_second(choose("reference"), seconds=0.01) < 1e13


def test_bench_compare_without_the_peer_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figures of a tool that is not there are null, never guessed."""
    monkeypatch.setattr("unveil.lab.bench.compare.QUICK", (300, 600))
    assert 0 == run(
        monkeypatch, "bench", "compare", "--quick", "--json", "--peers", tmp_path / "none", "--programs", PROGRAMS
    )
    found = json.loads(capsys.readouterr().out)
    assert (None, None, "make bench installs anonlink in .venv-peers") == (found["peer"], found["ratio"], found["hint"])
    assert [300, 600] == [size["records"] for size in found["sizes"]]
    assert all(size["rate"] == pytest.approx(size["records"] ** 2 / size["seconds"]) for size in found["sizes"])


def test_bench_outside_the_repository_measures_and_says_what_the_comparison_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An installed wheel has no programs of others; its own figures are worth having all the same."""
    monkeypatch.setattr("unveil.lab.bench.compare.QUICK", (300, 600))
    monkeypatch.chdir(tmp_path)
    assert 0 == run(monkeypatch, "bench", "compare", "--quick", "--json", "--peers", sys.executable)
    found = json.loads(capsys.readouterr().out)
    assert found["ours"] > 0
    assert found["peer"] is None
    assert found["hint"].startswith("comparing with anonlink needs the repository of Unveil")


def test_every_benchmark_answers_to_the_same_call() -> None:
    """The command registers them by name alone."""
    import importlib
    import inspect

    for what in WHAT:
        assert ["quick", "peers"] == list(
            inspect.signature(importlib.import_module(f"unveil.lab.bench.{what}").run).parameters
        )


def test_an_unknown_benchmark_is_refused_with_the_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelling must not look like a fast machine."""
    assert 1 == run(monkeypatch, "bench", "comapre")
    assert "compare, blocks, encode, keyed" in capsys.readouterr().err
