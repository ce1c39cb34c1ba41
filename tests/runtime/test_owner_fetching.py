"""The one loop in which an owner fetches, and whoever asks the record unit how it stands; units are made up."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from patience import wait_until
from unveil.errors import Closed, Conflict, ProtocolError, UnveilError
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT
from unveil.runtime.owner.delivery import reason
from unveil.runtime.owner.fetcher import Fetcher, FetchPace
from unveil.runtime.owner.unit_watch import UnitWatch
from unveil.transport.failures import Rejected, Unreachable
from unveil.transport.status import CLOSED, RecordUnitStatus

QUICK = FetchPace(wait=0, first_pause=0.001, longest_pause=0.01)
AWAY = Unreachable("https://unit", "gone")


class Mailbox:
    """Stands in for a UnitClient with messages, which may fail."""

    def __init__(self, *found: bytes | UnveilError) -> None:
        self.left, self.acknowledged = list(found), list[str]()

    def mail(self, _wait: int) -> tuple[str, bytes] | None:
        if not self.left:
            return None
        first = self.left[0]
        if isinstance(first, UnveilError):
            raise self.left.pop(0)  # type: ignore[misc]
        return str(len(self.left)), first

    def acknowledge(self, message_id: str) -> None:
        self.acknowledged.append(message_id)
        self.left.pop(0)


class Taken:
    """Stands in for a worker whose host takes messages, but for one that breaks the protocol."""

    def __init__(self, *mailboxes: Mailbox) -> None:
        self.clients = dict(zip((str(RECORD_UNIT), str(ATTRIBUTE_UNIT)), mailboxes, strict=False))
        self.frames: list[bytes] = []
        self.host = SimpleNamespace(take=self.take)

    def take(self, _unit: object, _message_id: str, frame: bytes) -> None:
        if frame == b"broken":
            raise ProtocolError("broken")
        self.frames.append(frame)

    def start(self) -> None: ...
    def wake(self) -> None: ...
    def stop(self) -> None: ...


def fetching(worker: Any, **settings: Any) -> Fetcher:
    fetcher = Fetcher(worker, pace=QUICK, **settings)
    fetcher.start()
    return fetcher


def test_nothing_is_fetched_once_the_time_has_come() -> None:
    """An upload stops at the message that says that the owners agree: the next may be a wish, not to be taken yet."""
    mailbox = Mailbox(b"hello", b"agreed", b"wish")
    worker = Taken(mailbox)
    fetcher = fetching(worker, units=(RECORD_UNIT,), until=lambda: b"agreed" in worker.frames)
    for thread in fetcher._threads:
        thread.join(5)
        assert not thread.is_alive()
    assert [b"hello", b"agreed"] == worker.frames
    assert [b"wish"] == mailbox.left


def test_a_message_that_breaks_the_protocol_is_dropped_and_does_not_block() -> None:
    """It is acknowledged, or it would come again for ever."""
    refused: list[ProtocolError] = []
    worker = Taken(Mailbox(b"broken", b"whole"), Mailbox(b"other"))
    fetcher = fetching(worker, on_refusal=refused.append)
    wait_until(lambda: {b"whole", b"other"} == set(worker.frames), "both units were asked")
    fetcher.stop()
    assert 1 == len(refused)


@pytest.mark.parametrize("failure", [AWAY, Closed("closed")])
def test_a_unit_that_fails_is_asked_again_and_the_failure_is_known_by_its_kind(failure: UnveilError) -> None:
    """Whoever watches tells a closed project from a lost network by the kind of error, not by its words."""
    worker = Taken(Mailbox(failure, b"whole"))
    fetcher = Fetcher(worker, units=(RECORD_UNIT,), pace=FetchPace(0, 0.3, 0.3))  # type: ignore[arg-type]
    fetcher.start()
    wait_until(lambda: failure is fetcher.failures.get(str(RECORD_UNIT)), "the failure is known")
    wait_until(lambda: not fetcher.failures and [b"whole"] == worker.frames, "it went on")
    fetcher.stop()


def test_a_call_that_found_nothing_is_known_by_when_it_began() -> None:
    """An answer that came before our fingerprint had arrived is about another one."""
    worker = Taken(Mailbox())
    fetcher = Fetcher(worker, units=(RECORD_UNIT,), pace=QUICK)  # type: ignore[arg-type]
    assert fetcher.found_empty(RECORD_UNIT) < 0
    fetcher.start()
    wait_until(lambda: fetcher.found_empty(RECORD_UNIT) > 0, "the mailbox is empty")
    fetcher.stop()


class Asked:
    """Stands in for a UnitClient that gives these answers, the last one again and again."""

    def __init__(self, *answers: RecordUnitStatus | UnveilError) -> None:
        self._answers, self.times, self.closed = list(answers), 0, threading.Event()

    def status(self) -> RecordUnitStatus:
        self.times += 1
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, UnveilError):
            raise answer
        return answer

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None:
        self.closed.set()


def test_a_watch_holds_the_last_status_and_why_there_is_no_newer_one() -> None:
    """A unit that is away for a moment has not changed its mind."""
    client = Asked(RecordUnitStatus(finished=False), AWAY, Closed("closed"))
    watch = UnitWatch(client, longest_pause=1.0)  # type: ignore[arg-type]
    watch.ask()
    assert watch.latest is not None
    assert (RecordUnitStatus(finished=False), None) == (watch.latest.status, watch.failure)
    watch.ask()
    assert (RecordUnitStatus(finished=False), AWAY) == (watch.latest.status, watch.failure)
    watch.ask()
    assert (RecordUnitStatus(state=CLOSED), None) == (watch.latest.status, watch.failure)


def test_a_watch_asks_at_once_when_something_is_about_to_change() -> None:
    """A person waits for it."""
    client = Asked(RecordUnitStatus())
    watch = UnitWatch(client, longest_pause=600.0)  # type: ignore[arg-type]
    watch._pause = 600.0
    watch.start()
    wait_until(lambda: 1 == client.times, "it was asked once")
    watch.ask_soon()
    wait_until(lambda: client.times > 1, "it was asked again")
    watch.stop()
    assert client.closed.wait(5)


def test_people_are_told_what_the_unit_says_or_else_the_kind_of_refusal() -> None:
    """A word is better than none."""
    assert ["more than 9 records", "Rejected", "Conflict"] == [
        reason(error) for error in (Rejected("more than 9 records"), Rejected(""), Conflict("other bytes"))
    ]
