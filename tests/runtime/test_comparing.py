"""A record unit that compares for long: it tells how far it is, answers meanwhile, and stops when it is told to."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patience import PATIENCE, wait_until
from small_unit import PROJECT, A, B, agree, host, people, project, upload
from unveil.engines.reference.engine import ReferenceEngine
from unveil.errors import Cancelled
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.pairs import Pairs
from unveil.protocol.codec import encode
from unveil.protocol.messages import Fingerprint
from unveil.protocol.roles import Role
from unveil.roles.record_unit.machine import RecordUnit
from unveil.runtime.assemble import cache_folder
from unveil.runtime.host import Host, WorkUnderWay, seconds_left
from unveil.runtime.units import RecordUnitService
from unveil.runtime.worker import Worker
from unveil.storage.database import Database
from unveil.transport.logs import logger
from unveil.transport.port import OPERATOR, Caller

RECORDS = 20  # of each owner, so there are 400 candidates, in 20 pieces
PIECES = 20
SOON = 20.0  # seconds in which any answer comes that does not wait for the comparison


class SlowEngine(ReferenceEngine):
    """Compares in pieces; `pause` is called before each, and may take as long as it likes."""

    def __init__(self) -> None:
        self.pause: Callable[[], object] = lambda: None
        self.runs = self.pieces = 0

    def block_pairs(self, a: Bits, b: Bits, blocks: Blocks, **options: Any) -> Iterator[Pairs]:
        """As the reference engine, piece by piece; but for counts of strangers, which nobody follows."""
        if "progress" not in options:
            yield from super().block_pairs(a, b, blocks, **options)
            return
        self.runs += 1
        done, progress = 0, options["progress"]
        for left, right in blocks.candidates(chunk=RECORDS * RECORDS // PIECES):
            self.pause()
            self.pieces += 1
            found = self.similarities(a, b, left, right)
            keep = found >= options["floor"]
            done += len(left)
            progress(done)
            yield Pairs(left[keep], right[keep], found[keep])


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> SlowEngine:
    """The engine that the unit takes."""
    made = SlowEngine()
    monkeypatch.setattr("unveil.engines.choose", lambda _: made)
    return made


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "log.sqlite", role="record unit") as made:
        yield made


def ready(database: Database, data: Path) -> Host[RecordUnit]:
    """A record unit that has everything it has to compare."""
    made = host(database, data, project())
    agree(made)
    register = people(1, RECORDS)
    upload(made, A, register)
    upload(made, B, np.concatenate([register[:5], people(2, RECORDS - 5)]))
    return made


def at_work(of: Host[RecordUnit], notes: io.StringIO) -> Worker:
    """A worker that has begun."""
    made = Worker(project(), of, logger(notes))
    made.start()
    return made


def compared(of: Host[RecordUnit]) -> bool:
    return of.look(lambda unit: unit.comparison is not None)


def test_the_share_grows_while_the_unit_compares(engine: SlowEngine, database: Database, tmp_path: Path) -> None:
    """From the first piece to the last; before and afterwards there is no work under way."""
    unit = ready(database, tmp_path)
    assert unit.working is None
    seen: list[WorkUnderWay | None] = []
    engine.pause = lambda: seen.append(unit.working)
    unit.advance()
    assert unit.working is None
    found = [one for one in seen if one is not None]
    assert PIECES <= len(found) == len(seen)
    assert {"comparing"} == {one.name for one in found}
    shares = [one.share for one in found]
    assert sorted(shares) == shares
    assert 0 < shares[0] < shares[PIECES - 1] < 1


def test_the_unit_answers_and_takes_messages_while_it_compares(
    engine: SlowEngine, database: Database, tmp_path: Path
) -> None:
    """The engine stands still until everybody was served: whoever had to wait for it would wait too long."""
    unit, go_on = ready(database, tmp_path), threading.Event()
    engine.pause = lambda: go_on.wait(PATIENCE)
    worker = at_work(unit, io.StringIO())
    service = RecordUnitService(Role.RECORD_UNIT, {PROJECT: worker}, database)
    with ThreadPoolExecutor(1) as callers:
        try:
            wait_until(lambda: worker.working is not None and engine.runs, "the unit compares")
            status = callers.submit(service.status, PROJECT, Caller(OPERATOR)).result(SOON)
            assert ("open", 0, False) == (status["state"], status["kept_pairs"], status["finished"])
            assert isinstance(status["comparing"], float)
            assert 0 <= status["comparing"] < 1
            owners = callers.submit(service.status, PROJECT, Caller("owner", "a")).result(SOON)
            told = owners["comparing"], owners["comparing_left"]
            assert (None, None) == told, "how fast it goes says something about the other register"
            hello = encode(Fingerprint(b"\x01" * 16))
            callers.submit(service.take, PROJECT, Caller("owner", "a"), "hello again", hello).result(SOON)
            assert worker.working is not None
            assert ("comparing", 0) == (worker.working.name, engine.pieces)
            go_on.set()
            wait_until(lambda: compared(unit), "the pairs are compared")
            assert worker.working is None
        finally:
            go_on.set()
            worker.stop()


def test_stopping_a_worker_ends_a_comparison_and_loses_nothing(
    engine: SlowEngine, database: Database, tmp_path: Path
) -> None:
    """It would have lasted for minutes; the next start compares, and comes to what an undisturbed unit comes to."""
    unit, notes = ready(database, tmp_path), io.StringIO()
    engine.pause = lambda: time.sleep(0.05 if engine.pieces < 3 else 0.5)  # a second is not enough for the rest
    worker = at_work(unit, notes)
    wait_until(lambda: engine.pieces >= 3, "the unit compares")
    begun = time.monotonic()
    worker.stop()
    assert time.monotonic() - begun < 1
    assert engine.pieces < PIECES
    assert (None, None) == (unit.working, unit.machine.comparison)
    assert [] == list(cache_folder(tmp_path, PROJECT).glob("*"))
    engine.pause = lambda: None
    again = host(database, tmp_path, project())
    worker = at_work(again, notes)
    wait_until(lambda: compared(again), "the pairs are compared")
    worker.stop()
    assert ("", 5) == (notes.getvalue(), again.machine.kept_pairs)
    assert [] == database.project(PROJECT).verify()


def test_after_a_restart_the_result_comes_from_the_cache(
    engine: SlowEngine, database: Database, tmp_path: Path
) -> None:
    """The log goes on after the comparison, so the fold needs it; it is not computed again."""
    first = ready(database, tmp_path)
    first.advance()
    assert 1 == engine.runs
    again = host(database, tmp_path, project())
    assert first.machine.layer.p.tolist() == again.machine.layer.p.tolist()
    assert first.machine.kept_pairs == again.machine.kept_pairs >= 5
    assert 1 == engine.runs


def test_a_lost_cache_costs_the_time_to_compare_and_that_can_be_cancelled_too(
    engine: SlowEngine, database: Database, tmp_path: Path
) -> None:
    """A fold that needs the comparison tells how far it is, and leaves no half-folded machine behind."""
    first = ready(database, tmp_path)
    first.advance()
    for path in cache_folder(tmp_path, PROJECT).iterdir():
        path.unlink()
    again = host(database, tmp_path, project())
    seen: list[WorkUnderWay | None] = []
    engine.pause = lambda: seen.append(again.working)
    with pytest.raises(Cancelled, match="comparing was stopped"):
        again.advance(lambda: len(seen) > 3)
    assert all(seen)
    assert again.working is None
    assert again._machine is None
    assert first.machine.layer.p.tolist() == again.machine.layer.p.tolist()


def test_two_threads_that_find_the_same_work_due_finish_it_once(
    engine: SlowEngine, database: Database, tmp_path: Path
) -> None:
    """Both compare; the second finds that its work is due no more, and drops what it found."""
    unit, both = ready(database, tmp_path), threading.Barrier(2)
    waited: list[int] = []

    def wait_for_the_other() -> None:
        if threading.get_ident() not in waited:
            waited.append(threading.get_ident())
            both.wait(PATIENCE)

    engine.pause = wait_for_the_other
    threads = [threading.Thread(target=unit.advance) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert 2 == engine.runs
    assert len(unit.machine.layer) == unit.machine.kept_pairs >= 5
    assert [] == database.project(PROJECT).verify()


def test_a_machine_that_was_folded_anew_meanwhile_does_its_own_work(
    engine: SlowEngine, database: Database, tmp_path: Path
) -> None:
    """A message cannot be written while the unit compares: its machine is thrown away, the result is not."""
    unit = ready(database, tmp_path)
    thrown_away: list[object] = []

    def throw_away() -> None:
        if not thrown_away:
            thrown_away.append(unit._machine)
            unit._machine = None  # as after a write that failed

    engine.pause = throw_away
    assert unit.advance()
    assert 1 == engine.runs  # the second time it is found in the cache
    assert thrown_away != [unit.machine]
    assert unit.machine.kept_pairs >= 5


@pytest.mark.parametrize(
    ("share", "spent", "left"),
    [(0.0, 9.0, None), (0.01, 9.0, None), (0.25, 10.0, 30.0), (0.5, 8.0, 8.0), (1.0, 8.0, 0.0), (0.5, -3.0, 0.0)],
)
def test_the_rest_takes_as_long_for_each_share_as_what_is_done(share: float, spent: float, left: float | None) -> None:
    """Nothing is said before enough is done, nor a time below 0 where somebody has set the clock back."""
    assert left == seconds_left(share, spent)


def test_a_share_is_a_share() -> None:
    """A count or a percentage in its place would be shown to people as it is."""
    for share in (-0.1, 1.1, 43.0):
        with pytest.raises(ValueError, match="a share of"):
            WorkUnderWay("comparing", share)
