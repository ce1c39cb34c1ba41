"""Whoever changes a log behind its back is found out."""

# ruff: noqa: S608 - names of tables and columns are those of the database

from __future__ import annotations

from sqlite3 import IntegrityError
from typing import Any

import psycopg
import pytest
from databases import TABLES, columns, fill, raw
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from unveil.storage import sqlite
from unveil.storage.database import Database
from unveil.storage.log.log import ProjectLog
from unveil.storage.log.outbox import Outgoing

#: Columns that say which row of a table is meant.
KEYS = {
    "projects": ("id",), "log": ("project", "seq"), "bodies": ("project", "seq", "part"),
    "nonces": ("project", "seq", "part"), "outgoing": ("project", "position"), "erasures": ("project", "seq"),
    "kept": ("project", "name"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of logs are written here, and none need survive a power cut."""
    monkeypatch.setattr(sqlite, "_PRAGMAS", (*sqlite._PRAGMAS, "PRAGMA synchronous = OFF"))


def build(log: ProjectLog, data: st.DataObject) -> None:
    """A log of a few random steps."""
    for n in range(data.draw(st.integers(1, 6), label="steps")):
        step = data.draw(st.sampled_from(["message", "decision", "erase", "deliver"]), label="step")
        if step in {"message", "decision"}:
            sent = [Outgoing("owner", f"{n}.{k}", b"sent") for k in range(data.draw(st.integers(0, 2), label="sent"))]
            log.append(
                kind="message" if step == "message" else "decision",
                sender="owner" if step == "message" else "",
                message_id=f"m{n}" if step == "message" else "",
                body=data.draw(st.binary(max_size=20), label="body"),
                stub=data.draw(st.binary(max_size=5), label="stub"),
                time=data.draw(st.floats(0, 2e9), label="time"),
                outgoing=sent,
            )
        elif step == "erase":
            log.erase(data.draw(st.lists(st.integers(1, 6), max_size=3), label="erase"), time=7.0)
        elif waiting := log.outgoing():
            log.delivered(waiting[0].message_id, recipient="owner")
    if data.draw(st.booleans(), label="close"):
        log.close({"n": 1}, {"links": b"table"})


def changed(value: Any, data: st.DataObject) -> Any:
    """Another value of the same type."""
    if isinstance(value, bytes):
        if value and data.draw(st.booleans(), label="flip"):
            place, bit = data.draw(st.integers(0, len(value) - 1)), data.draw(st.integers(0, 7))
            return value[:place] + bytes([value[place] ^ (1 << bit)]) + value[place + 1 :]
        return value[:-1] if value and data.draw(st.booleans(), label="cut") else value + b"\0"
    if isinstance(value, str):
        return data.draw(st.sampled_from([value + "x", value[1:] or "y", "open", "closed", "erasure", "message"]))
    return value + data.draw(st.sampled_from([-1, 1, 2, 7]))


def tamper(url: str, data: st.DataObject) -> None:
    """Change one row: a column of it, or its being there."""
    table = data.draw(st.sampled_from([t for t in TABLES if raw(url, f"SELECT * FROM {t}")]), label="table")
    names = columns(url, table)
    row = dict(
        zip(names, data.draw(st.sampled_from(sorted(raw(url, f"SELECT * FROM {table}"), key=repr))), strict=True)
    )
    where = " AND ".join(f"{key} = ?" for key in KEYS[table])
    which = [row[key] for key in KEYS[table]]
    how = data.draw(st.sampled_from(["edit", "edit", "remove", "copy"]), label="how")
    if how == "remove":
        raw(url, f"DELETE FROM {table} WHERE {where}", which)
        return
    column = data.draw(st.sampled_from(names), label="column")
    value = changed(row[column], data)
    assume(value != row[column])
    try:
        if how == "edit":
            raw(url, f"UPDATE {table} SET {column} = ? WHERE {where}", [value, *which])
        else:
            marks = ", ".join("?" * len(names))
            raw(url, f"INSERT INTO {table} VALUES ({marks})", list((row | {column: value}).values()))
    except (IntegrityError, psycopg.IntegrityError):
        assume(False)


def found(database: Database) -> list[str]:
    return database.strays() + [problem for log in database.logs() for problem in log.verify()]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_any_single_change_is_reported_and_none_where_there_was_none(url: str, data: st.DataObject) -> None:
    """Every column of every table that a log is made of, every row removed or added."""
    with Database.open(url, role="record unit") as database:
        for table in TABLES:
            raw(url, f"DELETE FROM {table}")
        log = database.project("flu")
        # A project without an entry can be removed unnoticed: there is nothing of it that could be missed.
        log.append(kind="decision", body=b"begin", time=0.0)
        build(log, data)
        assert [] == found(database)
        tamper(url, data)
        assert [] != found(database)


def test_two_entries_that_changed_places_are_reported(url: str) -> None:
    """Order is what a decision rests on."""
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        fill(log)
        for old, new in ((2, 99), (3, 2), (99, 3)):
            for table in ("log", "bodies", "nonces", "outgoing"):
                raw(url, f"UPDATE {table} SET seq = ? WHERE seq = ?", [new, old])
        problems = log.verify()
    assert {"entry 2", "entry 3"} <= {problem.split(":")[0] for problem in problems}


def test_a_report_names_the_entry_and_the_reason_and_no_value(url: str) -> None:
    """An auditor needs a place to look; a report may be shown to anybody."""
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        fill(log)
        raw(url, "UPDATE log SET sender = 'SECRET' WHERE seq = 2")
        # The sender is part of what the body is sealed for, so that does not open any more either.
        expected = ["entry 2: it was changed, or the entry before it", "entry 2: its body was changed"]
        assert expected == log.verify()
        raw(url, "DELETE FROM bodies WHERE seq = 3 AND part = 0")
        assert "entry 3: its body is missing" in log.verify()
        raw(url, "DELETE FROM outgoing WHERE part = 1")
        assert (
            "entry 3: what it sent, or what was delivered before it, was changed, removed or added to" in log.verify()
        )


@pytest.mark.parametrize("rewritten", [False, True])
def test_a_log_cut_short_or_written_anew_is_found_by_a_noted_head(url: str, rewritten: bool) -> None:  # noqa: FBT001
    """Whoever can write the database can also mend its head; only a head noted elsewhere shows that."""
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        fill(log)
        log.append(kind="decision", body=b"unwelcome", time=4.0)
        noted = log.head
        (hashed,) = raw(url, "SELECT hash FROM log WHERE seq = 5")[0]
        for table in ("log", "bodies", "nonces"):
            raw(url, f"DELETE FROM {table} WHERE seq = 6")
        assert ["the log ends at entry 5, its head was written for entry 6 or was changed"] == log.verify()
        raw(url, "UPDATE projects SET head_seq = 5, head_hash = ?", [hashed])
        if rewritten:
            log.append(kind="decision", body=b"welcome", time=4.0)
        assert [] == log.verify()
        expected = "entry 6: its hash is not the one that was noted" if rewritten else (
            "the log ends at entry 5, before the noted entry 6"
        )  # fmt: skip
        assert [expected] == log.verify(noted)


def test_a_noted_head_holds_while_the_log_grows(url: str) -> None:
    """An auditor's note is checked weeks later."""
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        start = log.head
        fill(log)
        noted = log.head
        log.erase([2], time=7.0)
        log.close({}, {})
        assert ([], []) == (log.verify(noted), log.verify(start))
        assert [] != log.verify((0, noted[1]))
