"""
Caps hold whatever breaks: an owner on SQLite that dies at every possible point, a thousand times.

It dies at any statement of any transaction, at its end, or while the machine takes an entry in; then the process is
gone and another one goes on from the log. A courier that dies as often carries what waits.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from owner_hosts import A, agreed, build_owner, deliver

from unveil.protocol import codec
from unveil.protocol.messages import (
    ID,
    KEY_PAIR,
    AttributeEncodings,
    AttributeValues,
    AttributeWish,
    EncodingWish,
    Message,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address
from unveil.roles.columns import byte_matrix, entries
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Caps, Policy
from unveil.runtime.host import Host
from unveil.storage.backend import Transaction
from unveil.storage.database import Database

RUNS = 1000
WIDTH, RECORDS = 7, 4
CAPS = Caps(record_pairs=3, record_reviews=2, attribute_records=3, project_pairs=9, project_values=16, day_values=12)
POLICY = Policy(caps=CAPS, never=frozenset({"zip"}))


class Crash(BaseException):
    """The process is gone."""


@dataclass
class Points:
    """Counts the points at which a process can die, and lets it die at some."""

    deadly: frozenset[int] = frozenset()
    passed: int = 0

    def __call__(self) -> None:
        self.passed += 1
        if self.passed in self.deadly:
            raise Crash


@contextmanager
def dying(points: Points) -> Iterator[None]:
    """Every statement, every end of a transaction and every entry taken in is a point."""
    run, apply, append, delivered = Transaction.run, Owner.apply, _log().append, _log().delivered

    def one(self: Transaction, *arguments: Any) -> int:
        points()
        return run(self, *arguments)

    def taken(self: Owner, event: Any) -> None:
        points()
        apply(self, event)
        points()

    def written(self: Any, **arguments: Any) -> int:
        points()
        seq: int = append(self, **arguments)
        points()
        return seq

    def noted(self: Any, *arguments: Any, **more: Any) -> None:
        points()
        delivered(self, *arguments, **more)
        points()

    with (
        mock.patch.object(Transaction, "run", one),
        mock.patch.object(Owner, "apply", taken),
        mock.patch.object(_log(), "append", written),
        mock.patch.object(_log(), "delivered", noted),
    ):
        yield


def _log() -> Any:
    from unveil.storage.log.log import ProjectLog

    return ProjectLog


@cache
def wishes(seed: int) -> tuple[tuple[str, Message, Address], ...]:
    """More wishes than the caps allow, in the order in which they come. The owner's handles follow from its seed."""
    rng = random.Random(seed)
    owner = build_owner(policy=POLICY, records=RECORDS)()
    step = owner.decide(0.0)
    assert step is not None
    handles = entries(step.decision.handles, ID)  # type: ignore[attr-defined]
    owner.apply(step.decision)
    found: list[tuple[str, Message, Address]] = []
    for number in range(3):
        count = rng.randint(2, 6)
        pairs, keys = rng.randbytes(ID * count), rng.randbytes(KEY_PAIR * count)
        rows = b"".join(rng.choices(handles, k=count))
        found.append((f"pairs {number}", EncodingWish(number, owner.upload_id, pairs, rows, keys), RECORD_UNIT))
        asked = bytes(rng.choices([0, 1], k=count * WIDTH))
        found.append((f"tasks {number}", AttributeWish(WIDTH, pairs, rng.randbytes(ID * count), asked), ATTRIBUTE_UNIT))
    return tuple(found)


@dataclass
class Run:
    """One life of an owner, in as many processes as it takes."""

    database: Database
    name: str
    seed: int
    points: Points
    arrived: dict[str, bytes] = field(default_factory=dict)  # what the units got, by the id of the message

    def to_its_end(self) -> None:
        """Start again after every death."""
        while True:
            try:
                self._work(Host(build(), self.database.project(self.name), clock=lambda: 1.0))
            except Crash:
                continue
            return

    def _work(self, host: Host[Owner]) -> None:
        agreed(host)
        self._carry(host)
        for message_id, message, sender in wishes(self.seed):
            if granted := _granted(host, message):
                deliver(host, message_id, granted, sender)
                host.advance()
            self._carry(host)

    def _carry(self, host: Host[Owner]) -> None:
        while waiting := host.log.outgoing(limit=1):
            one = waiting[0]
            assert one.body == self.arrived.setdefault(one.message_id, one.body)
            host.log.delivered(one.message_id, recipient=one.recipient)


def _granted(host: Host[Owner], message: Message) -> Message | None:
    """A wish for values without the pairs that the owner refused, of which no honest unit asks for any."""
    if not isinstance(message, AttributeWish):
        return message
    granted = host.machine._wishes._granted
    columns = ((message.pair_ids, ID), (message.task_ids, ID), (message.asked, WIDTH))
    rows = zip(*(entries(column, width) for column, width in columns), strict=True)
    kept = [row for row in rows if row[0] in granted]
    return AttributeWish(WIDTH, *map(b"".join, zip(*kept, strict=True))) if kept else None


@cache
def build() -> Any:
    return build_owner(policy=POLICY, records=RECORDS, name=A)


def disclosed(run: Run) -> tuple[Counter[bytes], dict[bytes, tuple[str, ...]]]:
    """Pairs whose encodings arrived, and for each task the attributes whose values arrived."""
    pairs: Counter[bytes] = Counter()
    tasks: dict[bytes, tuple[str, ...]] = {}
    for body in run.arrived.values():
        match codec.decode(body):
            case AttributeEncodings() as message:
                pairs.update(entries(message.pair_ids, ID))
            case AttributeValues() as message:
                assert message.task_ids not in tasks
                tasks[message.task_ids] = tuple(sorted(message.values[0]))
    return pairs, tasks


def check(run: Run) -> None:
    """Whatever arrived is in the ledger, everything in the ledger arrived, and all caps hold."""
    owner = Host(build(), run.database.project(run.name), clock=lambda: 1.0).machine
    pairs, tasks = disclosed(run)
    book = owner.ledger.entries()
    for layer, sent in ((ATTRIBUTE_LAYER, set(pairs)), (REVIEW_LAYER, set(tasks))):
        assert {book.ids[at].tobytes() for at in np.flatnonzero(book.layer == layer)} == sent
    assert set(pairs.values()) <= {1}
    names = np.array(sorted_names())
    for at in np.flatnonzero(book.layer == REVIEW_LAYER):
        assert tasks[book.ids[at].tobytes()] == tuple(sorted(names[book.attributes[at]].tolist()))
    rows = {layer: book.rows[book.layer == layer] for layer in (ATTRIBUTE_LAYER, REVIEW_LAYER)}
    assert np.bincount(rows[ATTRIBUTE_LAYER], minlength=1).max(initial=0) <= 3
    assert np.bincount(rows[REVIEW_LAYER], minlength=1).max(initial=0) <= 2
    assert len(pairs) <= 9
    assert sum(map(len, tasks.values())) <= 12
    assert "zip" not in {name for given in tasks.values() for name in given}


@cache
def sorted_names() -> tuple[str, ...]:
    from unveil.schema import built_in

    return built_in().names


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One file for all runs, a project for each. Nothing is synced: what dies is a process, not the machine."""
    from unveil.storage import sqlite

    pragmas = tuple(one.replace("synchronous = FULL", "synchronous = OFF") for one in sqlite._PRAGMAS)
    assert pragmas != sqlite._PRAGMAS
    path: Path = tmp_path_factory.mktemp("crashes") / "owner.sqlite"
    with mock.patch.object(sqlite, "_PRAGMAS", pragmas), Database.open(path, role="owner", identity="a") as opened:
        yield opened


@cache
def undisturbed(seed: int, database: Database) -> tuple[int, Any]:
    """How many points a run without a death passes, and what it discloses."""
    run = Run(database, f"quiet {seed}", seed, Points())
    with dying(run.points):
        run.to_its_end()
    check(run)
    return run.points.passed, disclosed(run)


def test_the_caps_bite(database: Database) -> None:
    """The control: without caps these wishes would disclose more."""
    for seed in range(5):
        asked = wishes(seed)
        _, (pairs, tasks) = undisturbed(seed, database)
        wanted = sum(sum(message.asked) for _, message, _ in asked if isinstance(message, AttributeWish))
        given = sum(map(len, tasks.values()))
        assert 0 < len(pairs) < sum(len(message) for _, message, _ in asked if isinstance(message, EncodingWish))
        assert 0 < given < wanted
        assert all(
            byte_matrix(message.asked, WIDTH).any() for _, message, _ in asked if isinstance(message, AttributeWish)
        )


def test_every_point_and_a_thousand_interleavings(database: Database) -> None:
    """First a death at each point of one run, then at up to six points at random: the same disclosures, none twice."""
    done, rng = 0, random.Random(9)
    points, expected = undisturbed(0, database)
    plans = [(0, frozenset({point})) for point in range(1, points + 1)]
    assert 100 < len(plans) < RUNS
    while len(plans) < RUNS:
        seed = rng.randrange(5)
        most = undisturbed(seed, database)[0]
        plans.append((seed, frozenset(rng.choices(range(1, 2 * most), k=rng.randint(1, 6)))))
    for number, (seed, deadly) in enumerate(plans):
        run = Run(database, f"run {number}", seed, Points(deadly))
        with dying(run.points):
            run.to_its_end()
        assert undisturbed(seed, database)[1] == disclosed(run)
        if number % 20 == 0:
            check(run)
        done += 1
    assert RUNS == done
    assert expected
