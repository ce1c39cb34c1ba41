"""Delivery through failures: everything arrives once and in order, and nothing after the end."""

from __future__ import annotations

import io
import json
import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patience import PATIENCE
from unveil.errors import Closed, Conflict, StorageError, TooEarly, UnveilError
from unveil.transport.courier import Courier, Couriers, Pace
from unveil.transport.failures import Busy, Refused, Rejected, Unreachable
from unveil.transport.logs import logger

RECIPIENTS = ("record unit", "attribute unit")


@dataclass(frozen=True)
class Letter:
    message_id: str
    body: bytes


@dataclass
class Shelf:
    """An outbox in memory; `forgets` holds, for each time something is delivered, whether noting it fails."""

    letters: dict[str, list[Letter]]
    forgets: list[bool] = field(default_factory=list)
    looked: threading.Event = field(default_factory=threading.Event)  # somebody has asked what there is

    def outgoing(self, *, recipient: str, limit: int = 1) -> Sequence[Letter]:
        found = self.letters.get(recipient, [])[:limit]
        self.looked.set()
        return found

    def delivered(self, message_id: str, *, recipient: str, heard: bytes | None = None) -> None:
        del heard
        if self.forgets and self.forgets.pop():
            raise StorageError("full")
        self.letters[recipient] = [letter for letter in self.letters[recipient] if letter.message_id != message_id]


@dataclass
class Door:
    """A recipient that fails as told: ("lost", "unheard", ...), and takes each id once."""

    fates: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    calls: int = 0
    called: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Event = field(default_factory=threading.Event)  # something was taken

    def put(self, message_id: str, frame: bytes) -> None:
        self.calls += 1
        self.called.set()
        fate = self.fates.pop(0) if self.fates else "well"
        assert message_id.encode() == frame
        if fate in {"well", "unheard"} and message_id not in self.taken:
            self.taken.append(message_id)
            self.arrived.set()
        if fate != "well":
            raise FATES[fate]


FATES: dict[str, UnveilError] = {
    "lost": Unreachable("x", "the connection failed"),
    "unheard": Unreachable("x", "no answer in time"),  # it arrived, but the answer did not
    "busy": Busy("x"),
    "early": TooEarly("x", "Labels", "no such batch"),
    "refused": Refused("x"),
    "rejected": Rejected("no"),
    "conflict": Conflict("other body"),
    "closed": Closed("closed"),
}
fates = st.lists(st.sampled_from([*FATES, "well"]), max_size=12)


def _letters(count: int) -> list[Letter]:
    return [Letter(f"m{i}", f"m{i}".encode()) for i in range(count)]


def _courier(shelf: Shelf, recipient: str, door: Door, reports: list[tuple[str, str, UnveilError]]) -> Courier:
    return Courier(shelf, recipient, door, report=lambda *what: reports.append(what), rng=random.Random(0))


@given(
    fates=st.tuples(fates, fates),
    counts=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    forgets=st.lists(st.booleans(), max_size=5),
    order=st.randoms(use_true_random=False),
    crashes=st.sets(st.integers(0, 60)),
)
def test_every_message_arrives_once_and_in_order_whatever_fails(
    fates: tuple[list[str], list[str]],
    counts: tuple[int, int],
    forgets: list[bool],
    order: random.Random,
    crashes: set[int],
) -> None:
    """Lost messages, lost answers, failing storage and restarts of the sender, in any order between recipients."""
    doors = {name: Door(list(fate)) for name, fate in zip(RECIPIENTS, fates, strict=True)}
    shelf = Shelf({name: _letters(count) for name, count in zip(RECIPIENTS, counts, strict=True)}, list(forgets))
    couriers = {name: _courier(shelf, name, door, []) for name, door in doors.items()}
    for moment in range(200):
        name = order.choice(RECIPIENTS)
        if moment in crashes:
            couriers[name] = _courier(shelf, name, doors[name], [])
        couriers[name].step()
    assert {name: [f"m{i}" for i in range(count)] for name, count in zip(RECIPIENTS, counts, strict=True)} == {
        name: door.taken for name, door in doors.items()
    }
    assert {name: [] for name in RECIPIENTS} == shelf.letters


@given(fates=st.lists(st.sampled_from(["lost", "busy"]), min_size=1, max_size=40), seed=st.integers(0, 9))
def test_pauses_double_up_to_the_longest_and_are_never_quite_the_same(fates: list[str], seed: int) -> None:
    """A unit that comes back must not be met by everybody at once."""
    pace = Pace(first=0.05, longest=30.0)
    shelf = Shelf({"record unit": _letters(1)})
    courier = Courier(shelf, "record unit", Door(list(fates)), report=_nobody, rng=random.Random(seed), pace=pace)
    for failures in range(len(fates)):
        whole = min(30.0, 0.05 * 2**failures)
        assert whole / 2 <= courier.step() <= whole
    assert 0.0 == courier.step()
    assert pace.idle == courier.step()


def _nobody(recipient: str, message_id: str, error: UnveilError) -> None:
    raise AssertionError(recipient, message_id, error)


def test_what_comes_too_early_is_tried_again_soon() -> None:
    """What is missing comes from another party, mostly within the second."""
    courier = _courier(Shelf({"record unit": _letters(1)}), "record unit", Door(["early"] * 20), [])
    assert 1.0 >= max(courier.step() for _ in range(20))


@pytest.mark.parametrize("fate", ["rejected", "conflict", "closed", "refused"])
def test_what_is_not_taken_is_reported_once_and_holds_up_nobody_else(fate: str) -> None:
    """Those behind it wait, since they may build on it; other recipients do not."""
    reports: list[tuple[str, str, UnveilError]] = []
    doors = {"record unit": Door([fate] * 5), "attribute unit": Door()}
    shelf = Shelf({name: _letters(2) for name in RECIPIENTS})
    couriers = [_courier(shelf, name, door, reports) for name, door in doors.items()]
    for _ in range(5):
        for courier in couriers:
            courier.step()
    assert [("record unit", "m0", FATES[fate])] == reports
    assert {"record unit": [], "attribute unit": ["m0", "m1"]} == {name: door.taken for name, door in doors.items()}


@given(stop_after=st.integers(0, 6))
def test_nothing_is_sent_after_the_end(stop_after: int) -> None:
    """The unit's database is closed then."""
    stop, door = threading.Event(), Door(["lost"] * 20)

    def wait(_seconds: float) -> None:
        if door.calls >= stop_after:
            stop.set()

    if stop_after == 0:
        stop.set()
    _courier(Shelf({"record unit": _letters(3)}), "record unit", door, []).run(stop, wait)
    assert stop_after == door.calls


def test_couriers_wake_when_told_and_end_when_told() -> None:
    """Pauses must not be waited for; these are longer than anybody would."""
    door, shelf = Door(["lost"]), Shelf({"record unit": []})
    slow = Pace(idle=9 * PATIENCE, first=9 * PATIENCE, longest=9 * PATIENCE)
    courier = Courier(shelf, "record unit", door, report=_nobody, rng=random.Random(0), pace=slow)
    couriers = Couriers([courier], log=logger(io.StringIO()))
    couriers.start()
    try:
        assert shelf.looked.wait(PATIENCE)
        shelf.letters["record unit"] = _letters(1)
        for happened in (door.called, door.arrived):
            couriers.wake()
            assert happened.wait(PATIENCE)
    finally:
        couriers.stop(timeout=PATIENCE)
    assert ["m0"] == door.taken
    assert not any(thread.is_alive() for thread in couriers._threads)


def test_a_defect_neither_ends_delivery_nor_shows_values() -> None:
    """A thread that dies prints its exception, and whatever it quotes."""
    logged, shelf = io.StringIO(), Shelf({"record unit": _letters(1)})
    failed = threading.Event()

    class Broken(Door):
        def put(self, message_id: str, frame: bytes) -> None:
            if not failed.is_set():
                failed.set()
                raise ValueError("Wilhelmine")
            super().put(message_id, frame)

    door = Broken()
    courier = Courier(shelf, "record unit", door, report=_nobody, rng=random.Random(0))
    couriers = Couriers([courier], log=logger(logged))
    couriers.start()
    try:
        assert failed.wait(PATIENCE)
        couriers.wake()
        assert door.arrived.wait(PATIENCE)
    finally:
        couriers.stop(timeout=PATIENCE)
    assert ["m0"] == door.taken
    assert ["ValueError"] == [json.loads(line)["error"] for line in logged.getvalue().splitlines()]
    assert "Wilhelmine" not in logged.getvalue()
