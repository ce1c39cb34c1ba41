"""A content that was changed behind Unveil's back is noticed when it is read, and nobody acts on it."""

# ruff: noqa: S608 - names of tables and columns are those of the database

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from databases import encrypted_alone, fill, let_go, raw
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.storage import sqlite
from unveil.storage.database import Database
from unveil.storage.log import contents
from unveil.storage.log.contents import Damaged
from unveil.storage.log.log import ProjectLog
from unveil.storage.log.outbox import Outgoing
from unveil.transport.courier import Courier

WISH = Outgoing("attribute_unit", "w1", b"a wish for two records")


def flipped(data: bytes, place: int) -> bytes:
    """The same bytes with one bit changed."""
    at, bit = divmod(place % (8 * len(data)), 8)
    return data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :]


def read_everything(log: ProjectLog) -> None:
    """What a party does with its log: fold it, and look what is to be sent."""
    list(log.entries())
    log.outgoing(limit=99)


class Recipient:
    """Remembers what it was handed."""

    def __init__(self) -> None:
        self.got: list[bytes] = []

    def put(self, message_id: str, frame: bytes) -> None:
        del message_id
        self.got.append(frame)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many logs are written here, and none need survive a power cut."""
    monkeypatch.setattr(sqlite, "_PRAGMAS", (*sqlite._PRAGMAS, "PRAGMA synchronous = OFF"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_one_flipped_bit_of_any_content_or_nonce_is_noticed_on_reading(url: str, data: st.DataObject) -> None:
    """A machine that folds a changed body would go on from what nobody sent."""
    with Database.open(url, role="record unit") as database:
        for table in ("projects", "log", "bodies", "nonces", "outgoing", "erasures"):
            raw(url, f"DELETE FROM {table}")
        log = database.project("flu")
        fill(log)
        read_everything(log)
        table, column = data.draw(st.sampled_from([("bodies", "body"), ("nonces", "nonce")]))
        rows = raw(url, f"SELECT seq, part, {column} FROM {table} ORDER BY seq, part")
        seq, part, value = data.draw(st.sampled_from([row for row in rows if any(row[2])]))
        changed = flipped(value, data.draw(st.integers(0, 10_000)))
        raw(url, f"UPDATE {table} SET {column} = ? WHERE seq = ? AND part = ?", [changed, seq, part])
        with pytest.raises(Damaged, match=f"entry {seq}: contents were changed"):
            read_everything(log)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE bodies SET form = 1 WHERE seq = 3 AND part = 0",
        "UPDATE bodies SET form = 7 WHERE seq = 3 AND part = 0",
        "DELETE FROM bodies WHERE seq = 3 AND part = 0",
        "DELETE FROM bodies WHERE seq = 3 AND part = 2",
        "UPDATE log SET sender = 'owner b' WHERE seq = 1",
        "UPDATE log SET kind = 'decision' WHERE seq = 2",
        "UPDATE outgoing SET recipient = 'owner a' WHERE part = 2",
        "UPDATE outgoing SET message_id = 'w9' WHERE part = 2",
        "DELETE FROM erasures",
    ],
)
def test_contents_belong_to_their_place(url: str, change: str) -> None:
    """Taken away, ascribed to another party or readdressed, a content does not open; nor does it pass for erased."""
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        fill(log)
        raw(url, change)
        with pytest.raises(Damaged, match="entry"):
            read_everything(log)


@pytest.mark.parametrize("other", ["another entry", "another project", "another role"])
def test_a_body_put_in_the_place_of_another_does_not_open(url: str, other: str) -> None:
    """With its nonce and its size, byte for byte: an answer of yesterday, or of another project."""
    role = "attribute unit" if other == "another role" else "record unit"
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        log.append(kind="decision", body=b"yes", time=1.0)
        log.append(kind="decision", body=b"no!", time=2.0)
        name = "flu" if other == "another role" else "measles"
        with Database.open(url, role=role, demonstration=True) as second:
            if other != "another entry":
                second.project(name).append(kind="decision", body=b"no!", time=1.0)
        seq, project = (2, 1) if other == "another entry" else (1, 2)
        for table, column in (("bodies", "body"), ("nonces", "nonce")):
            ((value,),) = raw(url, f"SELECT {column} FROM {table} WHERE project = ? AND seq = ?", [project, seq])
            raw(url, f"UPDATE {table} SET {column} = ? WHERE project = 1 AND seq = 1", [value])
        with pytest.raises(Damaged, match="entry 1: contents were changed"):
            list(log.entries())


def test_a_message_that_was_changed_is_never_handed_to_a_courier(url: str) -> None:
    """It waits, and is sent once the database is put right; what is sound goes out as before."""
    unit = Recipient()
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        log.append(kind="decision", body=b"asked", time=1.0, outgoing=[WISH])
        told: list[str] = []
        report = lambda recipient, _, error: told.append(f"{recipient}: {type(error).__name__}")  # noqa: E731
        courier = Courier(log, WISH.recipient, unit, report=report, rng=random.Random(1))
        ((body,),) = raw(url, "SELECT body FROM bodies WHERE part = 1")
        raw(url, "UPDATE bodies SET body = ? WHERE part = 1", [flipped(body, 3)])
        assert courier.step() > 0
        assert courier.step() > 0
        assert ([], [f"{WISH.recipient}: Damaged"]) == (unit.got, told)
        raw(url, "UPDATE bodies SET body = ? WHERE part = 1", [body])
        assert (0.0, [WISH.body]) == (courier.step(), unit.got)


def _flip_body(url: str) -> None:
    ((body,),) = raw(url, "SELECT body FROM kept WHERE name = 'links'")
    raw(url, "UPDATE kept SET body = ? WHERE name = 'links'", [flipped(body, 9)])


@pytest.mark.parametrize(
    "change",
    [
        _flip_body,
        lambda url: raw(url, "DELETE FROM kept WHERE name = 'links'"),
        lambda url: raw(url, "UPDATE kept SET name = 'knots' WHERE name = 'links'"),
        lambda url: raw(url, "DELETE FROM log WHERE kind = 'close'"),
    ],
    ids=["flipped", "removed", "renamed", "without its entry"],
)
def test_what_a_closed_project_keeps_is_checked_when_it_is_read(url: str, change: Callable[[str], object]) -> None:
    """Links are read from there months later."""
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        fill(log)
        log.close({"sent": 2}, {"links": b"a table of links"})
        assert (b"a table of links", {"sent": 2}) == (log.kept("links"), log.summary())
        change(url)
        for look in (lambda: log.kept("links"), log.summary):
            with pytest.raises(Damaged, match="what the closed project keeps was changed"):
                look()


def test_a_database_of_an_earlier_release_opens_and_its_contents_are_checked_too(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its contents were encrypted alone; the commitments in its log show a change."""
    with Database.open(url, role="record unit") as database, monkeypatch.context() as earlier:
        earlier.setattr(contents, "seal", encrypted_alone)
        fill(database.project("flu"))
    raw(url, "ALTER TABLE bodies DROP COLUMN form")
    for table in ("people", "visits", "passkeys"):
        raw(url, f"DROP TABLE {table}")
    raw(url, "UPDATE meta SET value = '3'")
    let_go(url)
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        assert [None, b"second", b"wish", b""] == [entry.body for entry in log.entries()]
        assert [b"another wish"] == [one.body for one in log.outgoing(limit=9)]
        log.append(kind="decision", body=b"new", time=9.0)
        assert ([], {1, 2}) == (log.verify(), {form for (form,) in raw(url, "SELECT form FROM bodies")})
        ((body,),) = raw(url, "SELECT body FROM bodies WHERE seq = 3 AND part = 2")
        raw(url, "UPDATE bodies SET body = ? WHERE seq = 3 AND part = 2", [flipped(body, 5)])
        with pytest.raises(Damaged, match="entry 3: contents were changed"):
            log.outgoing(limit=9)


def test_an_entry_is_sealed_for_its_number_when_another_process_wrote_meanwhile(tmp_path: Path) -> None:
    """Contents are sealed before the database is locked, for the number that the entry will probably have."""
    url = f"sqlite:///{tmp_path}/unit.db"
    with Database.open(url, role="record unit") as one, Database.open(url, role="record unit") as other:
        logs = [one.project("flu"), other.project("flu")]
        for n in range(6):
            logs[n // 2 % 2].append(kind="decision", body=b"%d" % n, time=1.0, outgoing=[Outgoing("a", str(n), b"w")])
        assert [b"0", b"1", b"2", b"3", b"4", b"5"] == [entry.body for entry in logs[0].entries()]
        assert (6, []) == (len(logs[1].outgoing(limit=9)), logs[1].verify())
