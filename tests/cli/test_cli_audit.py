"""`unveil audit`: whole or not, which entry and why; what a closed project keeps."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import unveil.cli.audit  # noqa: F401 - joins the application
from unveil.cli.app import app
from unveil.errors import StorageError, UnveilError
from unveil.storage.database import Database
from unveil.storage.log.outbox import Outgoing


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "unit.db"
    with Database.open(path, role="record unit") as opened:
        for project in ("flu", "pox"):
            for n in range(3):
                opened.project(project).append(kind="decision", body=b"SECRET", time=float(n))
    return path


def run(*words: str | Path, command: str = "verify") -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["audit", command, *map(str, words)])
    if isinstance(done.exception, UnveilError):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def edit(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_a_whole_log_is_said_to_be_whole_and_its_head_shown(database: Path) -> None:
    """The head is what an auditor takes along."""
    code, out, err = run(database)
    assert (0, "") == (code, err)
    flu, pox = out.splitlines()
    assert flu.startswith("flu (record unit): whole, 3 entries, open, head 3:")
    assert pox.startswith("pox")
    head = flu.rsplit(" ", 1)[1]
    assert 0 == run(database, "--project", "flu", "--head", head)[0]
    assert 1 == run(database, "--project", "pox", "--head", head)[0]


def test_deliveries_that_no_entry_covers_yet_are_counted(database: Path) -> None:
    """Nothing tells them from messages that somebody suppressed, so an auditor should know of them."""
    with Database.open(database, role="record unit") as opened:
        log = opened.project("flu")
        sent = [Outgoing("owner a", str(n), b"SECRET") for n in range(2)]
        log.append(kind="decision", body=b"SECRET", time=3.0, outgoing=sent)
        for n, ending in enumerate(("", "; 1 delivery since, which the next entry will cover")):
            shown = run(database, "--project", "flu")[1]
            assert shown.endswith(f"head {log.head[0]}:{log.head[1].hex()}{ending}\n")
            assert n == json.loads(run(database, "--project", "flu", "--json")[1])["projects"][0]["uncovered"]
            log.delivered(str(n), recipient="owner a")


def test_a_broken_log_is_named_with_entry_and_reason(database: Path) -> None:
    """Exit code 1, on stderr, and the other project is still said to be whole."""
    edit(database, "UPDATE bodies SET body = x'00' WHERE seq = 2 AND project = 1")
    code, out, err = run(database)
    assert (1, "unveil: error: flu (record unit): entry 2: its body was changed\n") == (code, err)
    assert ("pox", False) == (out[:3], "SECRET" in out + err)
    assert 0 == run(database, "--project", "pox")[0]


@pytest.mark.parametrize("broken", [False, True])
def test_json_says_the_same(database: Path, broken: bool) -> None:  # noqa: FBT001
    """For a program that watches over several units."""
    if broken:
        edit(database, "DELETE FROM log WHERE seq = 3 AND project = 1")
    code, out, _ = run(database, "--project", "flu", "--json")
    found: dict[str, Any] = json.loads(out)
    assert (int(broken), not broken, ["flu"]) == (code, found["whole"], [row["project"] for row in found["projects"]])
    assert broken == bool(found["projects"][0]["problems"])


def test_an_unknown_project_and_rows_of_no_project_are_failures(database: Path) -> None:
    """Nothing found is not the same as nothing wrong."""
    assert (1, "unveil: error: there is no project none\n") == run(database, "--project", "none")[::2]
    edit(database, "DELETE FROM projects WHERE id = 2")
    code, _, err = run(database)
    assert (1, True) == (code, "unveil: error: 3 rows of log belong to no project\n" in err)


@pytest.mark.parametrize("words", [("--head", "3:ab"), ("--project", "flu", "--head", "x")])
def test_a_head_is_a_number_and_a_hash_of_one_project(database: Path, words: tuple[str, ...]) -> None:
    assert 2 == run(database, *words)[0]


def test_a_file_that_is_missing_is_not_made(tmp_path: Path) -> None:
    """An audit changes nothing, least of all where it was pointed at the wrong place."""
    with pytest.raises(StorageError, match="no such file"):
        run(tmp_path / "none.db")
    assert [] == list(tmp_path.iterdir())


def test_what_a_closed_project_keeps_can_be_read(database: Path, tmp_path: Path) -> None:
    """Counts, and the links by the handles of each owner; an open project and a wrong name are explained."""
    handles, links = (bytes([16 * row + n for n in range(16)]) for row in (1, 2)), bytes(range(16))
    tables = {f"owner {name}": handle + links for name, handle in zip("ab", handles, strict=True)}
    with Database.open(database, role="record unit") as opened:
        opened.project("flu").close({"messages": 4, "decisions": 3}, tables, time=9.0)
    out = tmp_path / "links.csv"
    code, said, _ = run(database, "--project", "flu", "--out", out, command="kept")
    assert (0, f"project flu: 3 decisions, 4 messages\n2 link ids written to {out}\n") == (code, said)
    assert [
        '"owner","handle","link_id"',
        '"owner a","101112131415161718191a1b1c1d1e1f","000102030405060708090a0b0c0d0e0f"',
        '"owner b","202122232425262728292a2b2c2d2e2f","000102030405060708090a0b0c0d0e0f"',
    ] == out.read_text().splitlines()
    told = json.loads(run(database, "--project", "flu", "--json", command="kept")[1])
    assert {"project": "flu", "messages": 4, "decisions": 3, "links": 2} == told
    for project, words in (("pox", "project pox is open"), ("flux", "there is no project flux")):
        with pytest.raises(UnveilError, match=words):
            run(database, "--project", project, command="kept")
    with pytest.raises(UnveilError, match="exists already"):
        run(database, "--project", "flu", "--out", out, command="kept")


def test_a_copy_in_a_folder_that_nobody_can_write_to_is_checked(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An auditor gets a read-only medium; a log that was not copied whole is told from one that is none."""
    archive = tmp_path / "archive"
    archive.mkdir()
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(archive / "copy.db")) as target:
        source.backup(target)
    with monkeypatch.context() as read_only:
        read_only.setattr("os.access", lambda *_: False)  # root may write anywhere, whatever the modes are
        code, out, _ = run(archive / "copy.db")
        assert (0, 2) == (code, out.count("whole, 3 entries"))
        assert ["copy.db"] == [path.name for path in archive.iterdir()]
        (archive / "copy.db-wal").write_bytes(b"not checkpointed")
        with pytest.raises(StorageError, match="write-ahead log cannot be read"):
            run(archive / "copy.db")
    with pytest.raises(StorageError, match="is a folder, not a database"):
        run(archive)
