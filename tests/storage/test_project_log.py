"""A project's log keeps what it acknowledged, in order, once, on SQLite and on PostgreSQL."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from databases import fill
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.errors import Closed, DuplicateError, SettingError
from unveil.storage.database import Database
from unveil.storage.log.log import ProjectLog
from unveil.storage.log.outbox import Outgoing


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    with Database.open(url, role="record unit") as opened:
        yield opened


@pytest.fixture
def log(database: Database) -> ProjectLog:
    return database.project("flu")


def test_entries_come_back_in_order_and_whole(url: str, log: ProjectLog) -> None:
    """The state of a party is the fold of these, so nothing may be lost or changed."""
    fill(log)
    with Database.open(url, role="record unit") as again:
        found = [
            (e.seq, e.kind, e.sender, e.message_id, e.body, e.stub, e.time) for e in again.project("flu").entries()
        ]
    assert [
        (1, "message", "owner a", "m1", None, b"left over", 1.0),
        (2, "message", "owner b", "m2", b"second", b"", 2.0),
        (3, "decision", "", "", b"wish", b"", 3.5),
        (4, "decision", "", "", b"", b"", 3.5),
    ] == found


def test_entries_after_a_number_and_past_a_batch(log: ProjectLog) -> None:
    """Reading goes in batches of 500 entries or 8 MB; the seams must not show."""
    for n in range(510):
        log.append(kind="decision", body=bytes([n % 256]), time=float(n))
    for _ in range(3):
        log.append(kind="decision", body=bytes(5 << 20), time=0.0)
    assert list(range(1, 514)) == [entry.seq for entry in log.entries()]
    assert [512, 513] == [entry.seq for entry in log.entries(after=511)]
    assert 5 << 20 == sum(len(entry.body or b"") for entry in log.entries(after=512))


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    body=st.binary(max_size=200),
    kept=st.none() | st.binary(max_size=50),
    stub=st.binary(max_size=50),
    sender=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20),
    time=st.floats(allow_nan=False, allow_infinity=False),
)
def test_any_entry_comes_back_and_verifies(
    log: ProjectLog, *, body: bytes, kept: bytes | None, stub: bytes, sender: str, time: float
) -> None:
    """Whatever bytes, text or time: both databases must give back exactly what they took, or the hash differs."""
    seq = log.append(kind="message", sender=sender, body=body, kept=kept, stub=stub, time=time)
    (entry,) = log.entries(after=seq - 1)
    assert (sender, body if kept is None else kept, stub, time) == (entry.sender, entry.body, entry.stub, entry.time)
    assert [] == log.verify()


@pytest.mark.parametrize("change", [{"time": math.nan}, {"sender": "a\0b"}, {"message_id": "\ud800"}])
def test_what_no_database_can_hold_is_refused(log: ProjectLog, change: dict[str, Any]) -> None:
    """One database would fail late, the other store something else."""
    plain: dict[str, Any] = {"kind": "message", "body": b"", "time": 0.0}
    with pytest.raises(SettingError):
        log.append(**plain | change)
    assert (0, []) == (log.head[0], list(log.entries()))
    assert log.find("a\0b", "x") is None


def test_the_same_id_twice_is_refused_and_changes_nothing(log: ProjectLog) -> None:
    """A repeated upload must not be counted twice."""
    log.append(kind="message", sender="owner a", message_id="m1", body=b"one", time=1.0)
    head = log.head
    with pytest.raises(DuplicateError):
        log.append(
            kind="message", sender="owner a", message_id="m1", body=b"two", time=2.0, outgoing=[Outgoing("b", "x", b"")]
        )
    assert (head, [], []) == (log.head, log.outgoing(), log.verify())
    assert 2 == log.append(kind="message", sender="owner b", message_id="m1", body=b"one", time=1.0)


def test_an_entry_whose_message_was_sent_before_is_refused_whole(log: ProjectLog) -> None:
    """Entry and messages are one transaction: neither may exist without the other."""
    sent = [Outgoing("owner a", "w1", b"wish")]
    log.append(kind="decision", body=b"d", time=1.0, outgoing=sent)
    with pytest.raises(DuplicateError):
        log.append(kind="decision", body=b"e", time=2.0, outgoing=[Outgoing("owner a", "w0", b"new"), *sent])
    assert ([b"d"], ["w1"]) == ([e.body for e in log.entries()], [p.message_id for p in log.outgoing(limit=9)])
    assert [] == log.verify()


def test_a_repetition_is_told_from_another_message_of_the_same_id(log: ProjectLog) -> None:
    """By what came in, not by what was kept of it; once it is erased nobody can tell."""
    seq = log.append(kind="message", sender="a", message_id="m", body=b"whole", kept=b"half", time=1.0)
    known = log.find("a", "m")
    assert known is not None
    assert (seq, True, False, False) == (known.seq, known.same(b"whole"), known.same(b"half"), known.same(b""))
    log.erase([seq], time=7.0)
    known = log.find("a", "m")
    assert known is not None
    assert known.same(b"whole") is None
    assert (None, None, None) == (log.find("a", "n"), log.find("b", "m"), log.find("a", ""))


def test_messages_wait_in_order_until_delivered(log: ProjectLog) -> None:
    """A mailbox gives the oldest first, each recipient its own, and a delivery may be reported twice."""
    for n in range(3):
        sent = [Outgoing("owner a", f"a{n}", b"A%d" % n), Outgoing("owner b", f"b{n}", b"B%d" % n)]
        log.append(kind="decision", body=b"", time=0.0, outgoing=sent)
    assert ["a0", "b0", "a1", "b1", "a2", "b2"] == [p.message_id for p in log.outgoing(limit=9)]
    assert [("a0", b"A0")] == [(p.message_id, p.body) for p in log.outgoing(recipient="owner a")]
    for _ in range(2):
        log.delivered("a0", recipient="owner a")
    log.delivered("a1", recipient="owner b")  # not theirs
    assert ["a1", "a2"] == [p.message_id for p in log.outgoing(recipient="owner a", limit=9)]
    assert {"messages": 0, "decisions": 3, "erased": 0, "sent": 6, "waiting": 5} == log.counts()
    assert [] == log.verify()


def test_an_erased_body_is_gone_and_its_stub_stays(log: ProjectLog) -> None:
    """Erasing twice, or what never was, does nothing; the entry keeps its place."""
    fill(log)
    head = log.head
    log.erase([1, 77], time=7.0)
    assert head == log.head
    log.erase([2, 3, 1], time=7.0)
    assert [None, None, None, b""] == [entry.body for entry in log.entries()]
    assert b"left over" == next(log.entries()).stub
    assert (3, []) == (log.counts()["erased"], log.verify())


def test_a_closed_project_keeps_its_chain_and_what_was_asked_for(log: ProjectLog) -> None:
    """Nothing but counts and the link table remains, and that it is all of it can still be shown."""
    fill(log)
    before = log.head
    log.close({"links": 7}, {"link table": b"\0table"})
    assert "closed" == log.state
    assert [(None, b"")] * 4 == [(entry.body, entry.stub) for entry in log.entries()]
    assert ({"links": 7}, b"\0table", None) == (log.summary(), log.kept("link table"), log.kept("other"))
    assert ([], []) == (log.outgoing(limit=9), log.verify(before))
    with pytest.raises(Closed):
        log.append(kind="decision", body=b"late", time=9.0)
    with pytest.raises(Closed):
        log.close({}, {})
    log.erase([2], time=7.0)
    log.delivered("w2", recipient="owner b")
    assert [] == log.verify()


def test_projects_of_one_database_do_not_meet(database: Database) -> None:
    """One process serves many projects; closing one leaves the others as they are."""
    one, two = database.project("one"), database.project("two")
    for log in (one, two):
        fill(log)
    one.close({}, {})
    assert ("open", [None, b"second"]) == (two.state, [entry.body for entry in two.entries()][:2])
    assert ([], []) == (one.verify(), two.verify())
    assert one.head != two.head


def test_threads_share_a_log(log: ProjectLog) -> None:
    """The server answers requests from many threads; each entry has a place of its own."""
    seqs: list[int] = []

    def work(name: str) -> None:
        for n in range(20):
            seqs.append(log.append(kind="message", sender=name, message_id=str(n), body=name.encode(), time=0.0))
            assert 1 <= len(list(log.entries()))

    threads = [threading.Thread(target=work, args=(f"owner {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(range(1, 81)) == sorted(seqs)
    assert [] == log.verify()


def test_another_process_reads_and_writes_beside(url: str, log: ProjectLog) -> None:
    """A command such as `unveil owner ledger` opens the database of a running party."""
    fill(log)
    with Database.open(url, role="record unit") as beside, Database.inspect(url) as auditor:
        assert 6 == beside.project("flu").append(kind="decision", body=b"theirs", time=5.0)
        assert 7 == log.append(kind="decision", body=b"ours", time=6.0)
        assert [[]] == [each.verify() for each in auditor.logs()]
        assert [b"theirs", b"ours"] == [entry.body for entry in beside.project("flu").entries(after=5)]


def test_nothing_prints_a_body(log: ProjectLog) -> None:
    """A log line or traceback may show these objects."""
    log.append(kind="decision", body=b"SECRET", time=0.0, outgoing=[Outgoing("a", "m", b"SECRET")])
    shown = repr([*log.entries(), *log.outgoing(), Outgoing("a", "m", b"SECRET")])
    assert ("SECRET" in shown, 3) == (False, shown.count("6 bytes"))
