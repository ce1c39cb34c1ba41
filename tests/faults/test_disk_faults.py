"""A party whose disk fails says so, keeps nothing half done, and goes on as if nothing had been once it is mended."""

from __future__ import annotations

import errno
import io
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from disk_faults import Fault, full, gone, limited, read_only, small_disk
from fleet import Fleet, ReviewerAtWork, Zygote, client, fleet
from log_checks import check_everything
from small_trial import SmallTrial, new_trial, small_schema
from wire_tap import ACKNOWLEDGED, read_tap
from zygote import PARTY_FAILED

from patience import PATIENCE, wait_until
from postgres import PostgresServer
from unveil.errors import StorageError
from unveil.lab.local_parties.folder import OWNERS, PARTY_FOLDERS, UNIT_FOLDERS
from unveil.runtime.host import Host
from unveil.runtime.worker import Worker
from unveil.storage.database import Database
from unveil.transport.failures import Busy, Unreachable
from unveil.transport.logs import logger

SCHEMA = small_schema(batches=(5,) * 6, budget=16, reviews=8)
_MOMENT = 1.0  # seconds
_BUSY = '"status": 503'
#: Tasks that are decided before the reviewer waits for a fault. More than `_MIDWAY` messages have arrived then.
_DECIDED, _MIDWAY = 4, 20


@pytest.fixture
def small(tmp_path: Path) -> SmallTrial:
    return new_trial(tmp_path / "trial", seed=2, people=60, schema=SCHEMA)


@contextmanager
def at_work(zygote: Zygote, small: SmallTrial, *, bound: bool = False) -> Iterator[Fleet]:
    """Parties with a reviewer; when the block ends, the linkage must come to its end and be as it should."""
    with (
        fleet(zygote, small, bound=bound) as parties,
        ReviewerAtWork(small, pause_after=_DECIDED) as parties.reviewer,
    ):
        yield parties
        parties.reviewer.go_on()
        parties.wait(lambda: parties.finished, what="the links have come")
    check_everything(small)


def acknowledged(small: SmallTrial) -> int:
    """How many messages units have acknowledged."""
    lines, _ = read_tap(small.trial.root / "wire.jsonl")
    return sum(line.what == ACKNOWLEDGED for line in lines)


def wait_for_messages(parties: Fleet, count: int) -> None:
    parties.wait(lambda: acknowledged(parties.small) >= count, what=f"{count} messages have arrived")


def is_busy(small: SmallTrial, owner: str, unit: str) -> bool:
    """Whether the unit answers 503 to the message that waits for it."""
    try:
        with Database.inspect(small.trial.database(owner)) as database:
            waiting = [
                one for log in database.logs() for one in log.outgoing(recipient=UNIT_FOLDERS[unit].value, limit=1)
            ]
    except StorageError:
        return False
    if not waiting:
        return False
    with client(small, owner, unit) as caller:
        try:
            caller.put(waiting[0].message_id, waiting[0].body)
        except (Busy, Unreachable) as error:  # not reached in time is no answer: it is asked again
            return isinstance(error, Busy)
    raise AssertionError(f"{unit} takes a message that it cannot write down")


def disturb_a_unit(parties: Fleet, unit: str, fault: Fault) -> None:
    """Once while the first messages come, which must be answered 503, and once in the middle of the linkage."""
    parties.start(*UNIT_FOLDERS)
    for each in UNIT_FOLDERS:
        parties.wait_until_listening(each)
    with fault(parties, unit):
        parties.start(*OWNERS)
        parties.wait(lambda: is_busy(parties.small, "owner-a", unit), what="503 for the sender")
    disturb_midway(parties, unit, fault)


def disturb_midway(parties: Fleet, party: str, fault: Fault) -> None:
    """Long enough for everybody to wait for this party in vain."""
    wait_for_messages(parties, _MIDWAY)
    with fault(parties, party):
        assert parties.reviewer is not None
        parties.reviewer.go_on()
        wait_for_silence(parties)
        assert not parties.finished, "the fault disturbs nobody"


def wait_for_silence(parties: Fleet) -> None:
    """Wait until no message has arrived for a while: everybody waits for somebody, or the linkage is over."""
    seen, since = -1, time.monotonic()

    def silent() -> bool:
        nonlocal seen, since
        now = acknowledged(parties.small)
        if now != seen:
            seen, since = now, time.monotonic()
        return time.monotonic() - since > _MOMENT

    parties.wait(silent, what="silence")


@pytest.mark.parametrize("fault", [limited, gone])
def test_a_record_unit_without_its_disk_answers_503_and_recovers(
    zygote: Zygote, small: SmallTrial, fault: Fault
) -> None:
    """Senders try again later; the process lives, and what it holds in memory is never ahead of its log."""
    with at_work(zygote, small) as parties:
        disturb_a_unit(parties, "record-unit", fault)
    assert "Traceback" not in parties.errors("record-unit")


@pytest.mark.parametrize("party", ["record-unit", "owner-a"])
def test_a_party_whose_disk_is_full_to_the_last_byte_recovers(zygote: Zygote, small: SmallTrial, party: str) -> None:
    """Not even its messages to stderr find room, which must end no thread of it."""
    with ExitStack() as stack:
        if not stack.enter_context(small_disk(small.trial.root / party, 16)):
            pytest.skip("this user may not mount a small disk")
        with at_work(zygote, small) as parties:
            if party in UNIT_FOLDERS:
                disturb_a_unit(parties, party, full)
            else:
                parties.start(*PARTY_FOLDERS)
                disturb_midway(parties, party, full)


@pytest.mark.parametrize(
    ("party", "fault"), [("review-unit", limited), ("attribute-unit", gone), ("owner-a", limited), ("owner-b", gone)]
)
def test_any_party_without_its_disk_for_a_moment_recovers(
    zygote: Zygote, small: SmallTrial, party: str, fault: Fault
) -> None:
    """Units that erase, and owners, who must not send what they could not charge."""
    with at_work(zygote, small) as parties:
        parties.start(*PARTY_FOLDERS)
        disturb_midway(parties, party, fault)


@pytest.mark.parametrize("party", ["attribute-unit", "owner-a"])
def test_a_party_that_cannot_write_does_not_start_and_says_why(zygote: Zygote, small: SmallTrial, party: str) -> None:
    """A clear message instead of a traceback; once the folder may be written, it goes on where it was."""
    with at_work(zygote, small, bound=True) as parties:
        parties.start(*PARTY_FOLDERS)
        wait_for_messages(parties, _MIDWAY)
        assert parties.kill(party)
        with read_only(parties, party):
            said = _start_in_vain(parties, party)
        assert "unveil: error: " in said
        assert "Traceback" not in said
        parties.start(party)


def _start_in_vain(parties: Fleet, party: str) -> str:
    """Start a party that must end by itself with a message; what it said."""
    before = len(parties.errors(party))
    parties.start(party)
    codes: list[int | None] = []

    def has_ended() -> bool:
        codes.append(parties.ended(party))
        return codes[-1] is not None

    wait_until(has_ended, f"{party}, which cannot write, ends")
    assert PARTY_FAILED == codes[-1]
    return parties.errors(party)[before:]


@pytest.mark.parametrize("how", [signal.SIGQUIT, signal.SIGINT])
def test_parties_on_postgresql_outlive_their_server(
    zygote: Zygote, postgres_server: PostgresServer, tmp_path: Path, how: signal.Signals
) -> None:
    """The server crashes, or is restarted in good order, while everybody writes; all connect again by themselves."""
    with postgres_server.databases(PARTY_FOLDERS) as databases:
        small = new_trial(tmp_path / "trial", seed=2, people=60, schema=SCHEMA, databases=databases)
        with at_work(zygote, small) as parties:
            parties.start(*PARTY_FOLDERS)
            for count in (8, _MIDWAY):
                wait_for_messages(parties, count)
                lose_the_server(parties, postgres_server, how)


def lose_the_server(parties: Fleet, server: PostgresServer, how: signal.Signals) -> None:
    """Until somebody was told to try again later."""
    before = busy_answers(parties)
    server.stop(how)
    try:
        parties.wait(lambda: busy_answers(parties) > before, what="503 for somebody")
    finally:
        server.start()


def busy_answers(parties: Fleet) -> int:
    """How often units have answered 503."""
    return sum(parties.errors(unit).count(_BUSY) for unit in UNIT_FOLDERS)


class _FullStream(io.StringIO):
    """A file on a full disk."""

    def write(self, text: str, /) -> int:
        del text
        raise OSError(errno.ENOSPC, "no space left")


class _FullOnce:
    """A host whose log cannot be written the first time."""

    log = None

    def __init__(self) -> None:
        self.tries, self.again = 0, threading.Event()

    def advance(self, *_: object) -> bool:
        self.tries += 1
        if self.tries == 1:
            raise StorageError("the disk is full")
        self.again.set()
        return False


def test_a_party_that_can_log_nothing_about_its_full_disk_decides_again(small: SmallTrial) -> None:
    """Logs often go to the same disk, and a thread that dies of that would not come back when the disk does."""
    host = _FullOnce()
    worker = Worker(small.trial.project(), cast("Host[Any]", host), logger(_FullStream()))
    worker.start()
    try:
        assert host.again.wait(PATIENCE)
    finally:
        worker.stop()
