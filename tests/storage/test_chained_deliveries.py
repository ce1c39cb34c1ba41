"""What was delivered, and that it was, is covered by the chain as soon as there is a next entry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from databases import encrypted_alone, raw

from unveil.storage.database import Database
from unveil.storage.log import chain, contents
from unveil.storage.log.log import ProjectLog
from unveil.storage.log.outbox import Outgoing
from unveil.storage.migrations import MIGRATIONS


@pytest.fixture
def log(url: str) -> Iterator[ProjectLog]:
    """Entry 1 sends two messages."""
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        sent = [Outgoing("attribute unit", "labels", b"labels"), Outgoing("owner a", "wish", b"wish")]
        log.append(kind="decision", body=b"asked", time=1.0, outgoing=sent)
        yield log


def more(log: ProjectLog, kind: str) -> None:
    """One more entry."""
    match kind:
        case "erasure":
            log.erase([1], time=2.0)
        case "close":
            log.close({}, {}, time=2.0)
        case _:
            log.append(kind="message" if kind == "message" else "decision", body=b"more", time=2.0)


def suppress(url: str, covered_by: int) -> None:
    """What whoever can write the database does so that the labels are never sent: as if they had been delivered."""
    raw(url, "UPDATE outgoing SET delivered = ? WHERE message_id = 'labels'", [covered_by])
    raw(url, "UPDATE nonces SET nonce = ? WHERE seq = 1 AND part = 1", [contents.ERASED])
    raw(url, "DELETE FROM bodies WHERE seq = 1 AND part = 1")


@pytest.mark.parametrize("claimed", [1, 2, 3, 5])
def test_a_message_that_was_suppressed_is_noticed(url: str, log: ProjectLog, claimed: int) -> None:
    """Whichever entry the delivery is said to come before: none of those that are written covers it."""
    for _ in range(2):
        more(log, "decision")
    noted = log.head
    suppress(url, claimed)
    assert ["wish"] == [one.message_id for one in log.outgoing(limit=9)]
    assert [] != log.verify()
    assert [] != log.verify(noted)


def test_a_delivery_after_the_last_entry_is_said_to_be_uncovered(url: str, log: ProjectLog) -> None:
    """Nothing tells it from a message that was suppressed just now, so an auditor is told how many there are."""
    assert 0 == log.uncovered()
    suppress(url, log.head[0] + 1)
    assert ([], 1) == (log.verify(), log.uncovered())


@pytest.mark.parametrize("kind", ["message", "decision", "erasure", "close"])
@pytest.mark.parametrize("change", ["another", "later", "undone"])
def test_the_next_entry_covers_a_delivery(url: str, log: ProjectLog, kind: str, change: str) -> None:
    """Whatever entry that is. Another message in its place, another time, or none: each is noticed."""
    ((nonce,),) = raw(url, "SELECT nonce FROM nonces WHERE part = 2")
    ((body,),) = raw(url, "SELECT body FROM bodies WHERE part = 2")
    head = log.head
    log.delivered("wish", recipient="owner a")
    assert (head, 1, []) == (log.head, log.uncovered(), log.verify(head))
    more(log, kind)
    assert (0, []) == (log.uncovered(), log.verify(head))
    if change == "another":
        suppress(url, 2)
        raw(url, "UPDATE outgoing SET delivered = 0 WHERE message_id = 'wish'")
    elif change == "later":
        raw(url, "UPDATE outgoing SET delivered = 3 WHERE message_id = 'wish'")
    else:
        raw(url, "UPDATE outgoing SET delivered = 0 WHERE message_id = 'wish'")
    if change != "later" and kind != "close":  # put back what was erased: only the chain shows it then
        raw(url, "UPDATE nonces SET nonce = ? WHERE part = 2", [nonce])
        raw(url, "INSERT INTO bodies VALUES (1, 1, 2, ?, 2)", [body])
    own = "what the project keeps or did not send" if kind == "close" else (
        "what it erased" if kind == "erasure" else "what it sent"
    )  # fmt: skip
    expected = f"entry 2: {own}, or what was delivered before it, was changed, removed or added to"
    assert [expected] == log.verify()


def test_a_delivery_costs_no_entry_and_is_noted_once(log: ProjectLog) -> None:
    """There is one for every message, and it may be reported twice, with an entry in between."""
    log.delivered("wish", recipient="owner a")
    more(log, "decision")
    log.delivered("wish", recipient="owner a")
    assert (2, 0, []) == (log.head[0], log.uncovered(), log.verify())


@pytest.mark.parametrize("closed", [False, True])
def test_the_log_of_an_earlier_release_opens_and_verifies(
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    closed: bool,  # noqa: FBT001
) -> None:
    """There `delivered` was 0 or 1 and no hash covered it; what was delivered is covered by the next entry."""
    with Database.open(url, role="record unit") as database, monkeypatch.context() as earlier:
        earlier.setattr(chain, "with_deliveries", lambda attached, _: attached)
        earlier.setattr(contents, "seal", encrypted_alone)
        log = database.project("flu")
        sent = [Outgoing("owner a", str(n), b"wish") for n in range(3)]
        log.append(kind="decision", body=b"asked", time=1.0, outgoing=sent)
        log.delivered("0", recipient="owner a")
        more(log, "message")
        log.delivered("1", recipient="owner a")
        if closed:
            more(log, "close")
        noted = log.head
    raw(url, "UPDATE outgoing SET delivered = 1 WHERE delivered <> 0")
    raw(url, "DROP INDEX outgoing_delivered")
    for table in ("witnesses", "people", "visits", "passkeys"):
        raw(url, f"DROP TABLE {table}")
    raw(url, "ALTER TABLE bodies DROP COLUMN form")
    raw(url, "UPDATE meta SET value = '1'")
    with Database.open(url, role="record unit") as database:
        log = database.project("flu")
        assert [(str(len(MIGRATIONS)),)] == raw(url, "SELECT value FROM meta")
        assert ([], 0 if closed else 2) == (log.verify(noted), log.uncovered())
        if not closed:
            assert ["2"] == [one.message_id for one in log.outgoing(limit=9)]
            log.delivered("2", recipient="owner a")
            more(log, "decision")
            assert ([], 0) == (log.verify(noted), log.uncovered())
        raw(url, "UPDATE outgoing SET delivered = 0 WHERE message_id = '0'")
        assert [] != log.verify(noted)
