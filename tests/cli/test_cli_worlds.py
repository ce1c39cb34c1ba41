"""`unveil experiment worlds` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import unveil


def test_worlds_are_linked_and_summed_up(tmp_path: Path) -> None:
    """The seeds name the worlds: the same command gives the same figures."""
    words = ("experiment", "worlds", "--count", "3", "--largest", "400", "--budget", "20", "--json")
    lines = tmp_path / "worlds.jsonl"
    done = unveil(*words, "--out", str(lines))
    assert 0 == done.returncode, done.stderr
    found = json.loads(done.stdout)
    assert [10_000, 10_001, 10_002] == [one["seed"] for one in found["worlds"]]
    assert 3 == found["summary"]["worlds"]
    assert found["worlds"] == [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    for one in found["worlds"]:
        assert 0 <= one["final"] <= 1


def test_without_json_there_is_a_table_and_what_it_comes_to() -> None:
    """A row for each world, and one sentence."""
    done = unveil("experiment", "worlds", "--first", "1", "--count", "1", "--largest", "300", "--budget", "0")
    assert 0 == done.returncode, done.stderr
    assert "supervised" in done.stdout
    assert "worlds with shared people" in done.stdout
