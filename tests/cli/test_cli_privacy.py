"""`unveil privacy`: attacks are listed and played, and what is wrong is said in one line."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import unveil


def test_attacks_are_listed_with_their_controls() -> None:
    """People and programs get the same list."""
    listed = json.loads(unveil("privacy", "attacks", "--json").stdout)
    names = [each["name"] for each in listed["attacks"]]
    shown = unveil("privacy", "attacks").stdout
    assert {"graph-matching", "stripping", "known-people", "joining-pairs", "key-patterns"} <= set(names)
    assert "share of people found at first guess: at most 2 times a blind guess is asked of the default" in shown
    assert all(f"{name}: " in shown for name in names)
    assert {"own", "plain", "salted-4"} <= set(listed["encodings"])


def test_an_attack_and_its_control_are_played() -> None:
    """The order of an upload tells initials if it is that of a sorted file, and nothing as it is."""
    command = ("privacy", "attack", "upload-order", "--people", "300", "--tries", "2", "--json")
    strong, weak = (json.loads(unveil(*command, *more).stdout) for more in ((), ("--weak",)))
    assert weak["first"] > 0.9
    assert strong["first"] < 0.25
    assert 2 == len(strong["tries"])
    assert "--weak" in weak["command"]
    text = unveil("privacy", "attack", "upload-order", "--people", "300", "--tries", "2").stdout
    assert "try 2: " in text
    assert "chance" in text


def test_what_cannot_be_played_is_said_in_one_line(tmp_path: Path) -> None:
    """A misspelt attack, more people known than there are, a report over another one, evidence that is none."""
    done = unveil("privacy", "attack", "upload-ordr")
    assert (1, "unveil: error: no attack upload-ordr (did you mean upload-order?)") == (
        done.returncode,
        done.stderr.splitlines()[0],
    )
    done = unveil("privacy", "attack", "known-people", "--people", "100", "--known", "100")
    assert 1 == done.returncode
    assert "100 known people leave nobody to be found" in done.stderr
    there = tmp_path / "report.html"
    there.write_text("mine", encoding="utf-8")
    assert 1 == unveil("privacy", "report", "--out", there).returncode
    assert "mine" == there.read_text(encoding="utf-8")
    done = unveil("privacy", "report", "--out", tmp_path / "other.html", "--evidence", tmp_path)
    assert 1 == done.returncode
    assert "holds no evidence that can be read" in done.stderr
    assert ["report.html"] == [path.name for path in tmp_path.iterdir()]
