"""Heads of other parties' logs: noted with what they send, and enough to notice a log that was set back."""

from __future__ import annotations

import shutil
from pathlib import Path

from unveil.storage.database import Database
from unveil.storage.log.outbox import Outgoing

HEAD, LATER = b"\1" * 32, b"\2" * 32


def test_heads_are_noted_with_messages_and_deliveries(url: str) -> None:
    """In the same transaction: what was taken was taken with the head that came with it."""
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        assert log.noted("owner a") is None
        log.append(kind="message", sender="owner a", message_id="1", body=b"x", time=1.0, heard=HEAD)
        assert HEAD == log.noted("owner a")
        log.append(kind="message", sender="owner a", message_id="2", body=b"x", time=1.0)
        assert HEAD == log.noted("owner a"), "nothing was told"
        log.append(kind="decision", body=b"y", time=1.0, outgoing=[Outgoing("owner b", "w", b"wish")])
        log.delivered("w", recipient="owner b", heard=LATER)
        log.note("owner a", LATER)
        assert (LATER, LATER, None) == (log.noted("owner a"), log.noted("owner b"), log.noted("owner c"))
        assert database.project("another").noted("owner a") is None
        assert [] == log.verify()
    with Database.open(url, role="record unit") as database:
        assert LATER == database.project("flu").noted("owner b")


def test_a_log_holds_each_of_its_heads_and_no_other(url: str) -> None:
    """Erasures are entries too."""
    with Database.open(url, role="record unit") as database:
        log, other = database.project("flu"), database.project("another")
        heads = [log.head[1]]
        for number in range(3):
            log.append(kind="message", sender="owner a", message_id=str(number), body=b"x", time=1.0)
            heads.append(log.head[1])
        log.erase([1], time=2.0)
        heads.append(log.head[1])
        log.close({}, {}, time=3.0)
        heads.append(log.head[1])
        assert 6 == len(set(heads))
        assert all(log.holds(head) for head in heads)
        assert not any(other.holds(head) for head in heads)
        assert not log.holds(HEAD)


def test_an_older_copy_does_not_hold_what_came_later(tmp_path: Path) -> None:
    """Nor does a copy that went its own way: it has as many entries, and other heads."""
    path, copy = tmp_path / "now.db", tmp_path / "older.db"
    with Database.open(path, role="owner", identity="a") as database:
        database.project("flu").append(kind="decision", body=b"first", time=1.0)
    shutil.copy(path, copy)
    for place, body in ((path, b"answered"), (copy, b"otherwise")):
        with Database.open(place, role="owner", identity="a") as database:
            database.project("flu").append(kind="decision", body=body, time=2.0)
    with Database.inspect(path) as now, Database.inspect(copy) as older:
        (one,), (other,) = now.logs(), older.logs()
        assert one.head[0] == other.head[0]
        assert one.holds(one.head[1])
        assert not other.holds(one.head[1])
