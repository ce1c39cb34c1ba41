"""Tokens for people, and the end of a project at a unit."""

from __future__ import annotations

import io
import json
import stat
import time
from pathlib import Path

import pytest
from command_line import unveil as run

from unveil.errors import Closed
from unveil.lab.local_parties import folder
from unveil.lab.local_parties.folder import PROJECT, Trial
from unveil.lab.synthetic import generate, write
from unveil.protocol.codec import encode
from unveil.protocol.messages import Fingerprint
from unveil.protocol.roles import Role, owner
from unveil.runtime.assemble import cache_folder, unit_machine
from unveil.runtime.host import Host
from unveil.schema import built_in
from unveil.schema.presets import with_preset
from unveil.storage.database import Database


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    root = tmp_path_factory.mktemp("trial")
    (root / "people").mkdir()
    write(generate(records=100, overlap=0.2, errors=1, seed=1), root / "people")
    return folder.make(root, with_preset(built_in(), "unveil", budget=10), seed=1, key=bytes(range(32)))


def at(trial: Trial, unit: str) -> list[str]:
    return [unit, "--config", str(trial.config(unit)), "--demonstration"]


def test_a_token_is_written_once_and_kept_as_a_hash(trial: Trial, tmp_path: Path) -> None:
    """Whoever reads the database must not be able to review."""
    token = tmp_path / "ann.token"
    done = run(
        "token", "new", *at(trial, "review-unit"), "--project", PROJECT, "--for", "reviewer", "--out", str(token)
    )
    assert (0, 0o600) == (done.returncode, stat.S_IMODE(token.stat().st_mode))
    secret = token.read_text().strip()
    assert secret not in (done.stdout + done.stderr)
    files = [path for path in (trial.root / "review-unit").rglob("*") if path.is_file()]
    assert not any(secret.encode() in path.read_bytes() for path in files)
    listed = json.loads(run("token", "list", *at(trial, "review-unit"), "--json").stdout)
    assert [(PROJECT, "reviewer", False)] == [(each["project"], each["for"], each["expired"]) for each in listed]
    with Database.open(trial.database("review-unit"), role="review unit", demonstration=True) as database:
        found = database.tokens.check(secret, time.time())
        assert found is not None
        assert (PROJECT, "reviewer") == (found.project, found.role)
        unit, *options = at(trial, "review-unit")
        assert 0 == run("token", "revoke", unit, found.id, *options).returncode
        assert None is database.tokens.check(secret, time.time())


def test_a_token_that_cannot_be_written_is_not_issued(trial: Trial, tmp_path: Path) -> None:
    """Nothing is half done: nobody holds a token that the unit would take."""
    options = ["--project", PROJECT, "--for", "operator", "--out", str(tmp_path / "no" / "such" / "folder")]
    assert 1 == run("token", "new", *at(trial, "record-unit"), *options).returncode
    assert [] == json.loads(run("token", "list", *at(trial, "record-unit"), "--json").stdout)
    options[1] = "another"
    assert "no project is called that" in run("token", "new", *at(trial, "record-unit"), *options).stderr


def test_a_token_says_whom_it_is_for(trial: Trial, tmp_path: Path) -> None:
    """Only the review unit has reviews."""
    words = ("--project", PROJECT, "--out", tmp_path / "t", "--for")
    refused = run("token", "new", *at(trial, "attribute-unit"), *words, "reviewer")
    assert (1, False) == (refused.returncode, (tmp_path / "t").exists())
    assert "the attribute unit has no reviews\nhint: reviewers get tokens of the review unit" in refused.stderr
    done = run("token", "new", *at(trial, "attribute-unit"), *words, "operator")
    assert (0, True) == (done.returncode, " for an operator written to " in done.stdout)


def test_closing_names_the_projects_there_are_and_asks(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Owners close nothing; a script without --yes is told of it, and a no leaves everything as it is."""
    unit, *options = at(trial, "attribute-unit")
    wrong = run("project", "close", "strok", "--role", unit, *options, "--yes")
    assert (1, True) == (wrong.returncode, f"its projects: {PROJECT}" in wrong.stderr)
    assert 2 == run("project", "close", PROJECT, "--role", "owner", *options, "--yes").returncode
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    asked = run("project", "close", PROJECT, "--role", unit, *options)
    assert 1 == asked.returncode
    assert "unveil: error: nobody is there to answer\nhint: with --yes nothing is asked" in asked.stderr
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert "nothing was erased" in run("project", "close", PROJECT, "--role", unit, *options).stderr


def test_tokens_of_a_closed_project_are_shown_as_such(trial: Trial, tmp_path: Path) -> None:
    """They open nothing any more, and may be revoked."""
    words = ("--project", PROJECT, "--for", "reviewer", "--out", tmp_path / "t")
    assert 0 == run("token", "new", *at(trial, "review-unit"), *words).returncode
    assert "in force" in run("token", "list", *at(trial, "review-unit")).stdout
    unit, *options = at(trial, "review-unit")
    assert 0 == run("project", "close", PROJECT, "--role", unit, *options, "--yes").returncode
    listed = run("token", "list", *at(trial, "review-unit")).stdout
    assert listed.rstrip().endswith("  project closed")
    assert (tmp_path / "t").read_text().split(".")[1] in listed
    assert [True] == [each["closed"] for each in json.loads(run("token", "list", *at(trial, unit), "--json").stdout)]


def test_closing_leaves_counts_and_the_chain(trial: Trial) -> None:
    """And neither contents nor what was computed from them; a host that is at work notices."""
    remembered = cache_folder(trial.root / "record-unit" / "data", PROJECT)
    remembered.mkdir(parents=True)
    (remembered / "pairs.arrays").write_bytes(b"computed from encodings")
    with Database.open(trial.database("record-unit"), role="record unit", demonstration=True) as database:
        log, data = database.project(PROJECT), trial.root / "record-unit" / "data"
        host = Host(unit_machine(Role.RECORD_UNIT, trial.project(), log, data=data, seed=1), log, clock=time.time)
        frame = encode(Fingerprint(b"\x5a" * 16))
        host.take(owner("a"), "first", frame)
        host.take(owner("b"), "first", frame)
        host.advance()
        unit, *options = at(trial, "record-unit")
        close = ["project", "close", PROJECT, "--role", unit, *options, "--yes"]
        undelivered = run(*close)
        assert 1 == undelivered.returncode
        assert "2 messages were not delivered yet" in undelivered.stderr
        for one in log.outgoing(limit=2):
            log.delivered(one.message_id, recipient=one.recipient)
        early = run(*close)
        assert (1, "open") == (early.returncode, log.state)
        assert "the links were not found yet, and owners would wait for them" in early.stderr
        assert "--force" in early.stderr
        assert 0 == run(*close, "--force").returncode
        assert not remembered.exists()
        assert ("closed", []) == (log.state, log.verify())
        assert {"messages": 2, "decisions": 1} == {
            name: count for name, count in (log.summary() or {}).items() if name in ("messages", "decisions")
        }
        assert all(entry.body is None for entry in log.entries())
        with pytest.raises(Closed):
            host.take(owner("a"), "second", frame)
        with pytest.raises(Closed):
            host.advance()
