"""`unveil key new`: makes a key file and keeps its mouth shut."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from unveil.cli import main
from unveil.files import key_file as keyfile


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["unveil", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_key_file_is_made_and_the_key_not_printed(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A key in a terminal's history is a leaked key."""
    path = tmp_path / "project.key"
    assert 0 == run(monkeypatch, "key", "new", path, *words)
    out, err = capsys.readouterr()
    assert str(path) in out
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    written = path.read_text().splitlines()[1]
    assert 32 == len(keyfile.read(path))
    assert written not in out + err
    assert keyfile.read(path).hex() not in out + err


def test_a_reminder_says_who_needs_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Owners with different keys find no links, and a unit with the key can decode."""
    run(monkeypatch, "key", "new", tmp_path / "k")
    assert "every owner of the project needs this same key, and nobody else" in capsys.readouterr().err


def test_json_is_one_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing beside it."""
    run(monkeypatch, "key", "new", tmp_path / "k", "--json")
    out, err = capsys.readouterr()
    assert ({"file": str(tmp_path / "k")}, "") == (json.loads(out), err)


def test_an_existing_file_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no --force for keys."""
    (tmp_path / "k").write_text("CANARY")
    assert 1 == run(monkeypatch, "key", "new", tmp_path / "k")
    out, err = capsys.readouterr()
    assert err.startswith(f"unveil: error: {tmp_path / 'k'}: exists already\nhint: ")
    assert "CANARY" not in out + err
    assert "CANARY" == (tmp_path / "k").read_text()


def test_wrong_usage_ends_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts tell wrong usage from failure."""
    assert 2 == run(monkeypatch, "key", "new")
    assert 2 == run(monkeypatch, "key", "old", "x")


def test_help_gives_an_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Most people begin with one."""
    assert 0 == run(monkeypatch, "key", "new", "--help")
    told = capsys.readouterr().out
    assert "Example: unveil key new project.key" in told
    (switch,) = (line for line in told.splitlines() if "--json" in line)
    assert "<bool>" not in switch  # it takes no word
