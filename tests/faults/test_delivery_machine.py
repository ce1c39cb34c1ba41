"""Whatever a network does to messages, and however often parties restart, the result is that of a quiet run."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from in_process import EVERYBODY, OWNERS, UNITS, Fate, Letter, Parties
from small_trial import small_schema

from unveil.engines.reference.engine import ReferenceEngine
from unveil.errors import Conflict, ProtocolError, TooEarly
from unveil.lab.simulation.machines import Machines, SimulationSettings
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import World
from unveil.lab.synthetic import generate
from unveil.protocol import codec
from unveil.protocol.messages import Fingerprint
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address

SCHEMA = small_schema(batches=(5, 5, 5), budget=8, reviews=4)
PART = 2_500  # bytes: uploads come in several parts
_MEMORY = Path("/dev/shm")  # noqa: S108 - a fresh folder in it
_FATES = st.sampled_from(Fate)
_PLACE = st.integers(0, 10_000)  # of one among as many as there happen to be


@cache
def the_study() -> Study:
    """60 people a side, encoded and compared once."""
    people = generate(records=60, overlap=0.4, errors=2, seed=5)
    return Study("small", SCHEMA, people.a, people.b, people.truth, ReferenceEngine())


@cache
def quiet_run() -> World:
    """What every disturbed run must come to."""
    world = World(the_study(), SCHEMA, SimulationSettings(seed=1))
    world.run()
    return world


class Delivery(RuleBasedStateMachine):
    """Rules disturb; `proceed` lets the linkage come to its later stages, and teardown brings it to its end."""

    @initialize()
    def begin(self) -> None:
        # In memory where there is such a folder: no process dies here, so nothing is learnt from waiting for a disk.
        self._folder = tempfile.TemporaryDirectory(prefix="unveil-delivery-", dir=_MEMORY if _MEMORY.is_dir() else None)
        self._patch = mock.patch("unveil.roles.owner.machine.PART", PART)
        self._patch.start()
        self.parties = Parties(
            Path(self._folder.name), lambda: Machines(the_study(), SCHEMA, SimulationSettings(seed=1))
        )

    @rule(party=st.sampled_from(EVERYBODY))
    def decide(self, party: Address) -> None:
        self.parties.decide(party)

    @rule(place=_PLACE, fate=_FATES)
    def send(self, place: int, fate: Fate) -> None:
        """A courier calls; the call may get lost, or its answer, or it arrives twice."""
        routes = self.parties.routes()
        self.parties.send(*routes[place % len(routes)], fate)

    @rule(owner=st.sampled_from(OWNERS), unit=st.sampled_from((RECORD_UNIT, ATTRIBUTE_UNIT)), fate=_FATES)
    def fetch(self, owner: Address, unit: Address, fate: Fate) -> None:
        """An owner looks into its mailbox; what it gets, or its acknowledgement, may be lost."""
        self.parties.fetch(owner, unit, fate)

    @rule(sender=st.sampled_from(EVERYBODY), place=_PLACE)
    def overtake(self, sender: Address, place: int) -> None:
        """A message arrives before older ones, and its sender does not hear of it."""
        waiting = self.parties.waiting(sender)
        if waiting:
            letter = waiting[place % len(waiting)]
            try:
                self.parties.hand_in(letter)
            except TooEarly:
                return
            self.parties.letters.append(letter)

    @precondition(lambda self: self.parties.letters)
    @rule(place=_PLACE)
    def repeat(self, place: int) -> None:
        """An old message arrives once more."""
        letter = self._letter(place)
        before = self.parties.heads()
        if letter.recipient in UNITS:
            self.parties.hand_in(letter)
        else:
            taken = self.parties.hosts[letter.recipient].take(letter.sender, letter.message_id, letter.frame)
            assert False is taken
        assert before == self.parties.heads()

    @precondition(lambda self: self.parties.letters)
    @rule(place=_PLACE, other=_PLACE)
    def change(self, place: int, other: int) -> None:
        """The id of an old message comes with another body."""
        letter, body = self._letter(place), self._letter(other).frame
        if body == letter.frame:
            body = codec.encode(Fingerprint(bytes(16)))
        before = self.parties.heads()
        host = self.parties.hosts[letter.recipient]
        known = host.log.find(str(letter.sender), letter.message_id)
        assert known is not None
        if known.same(letter.frame) is None:  # erased: nobody can tell, so it counts as the repetition it claims to be
            assert False is host.take(letter.sender, letter.message_id, body)
        else:
            with pytest.raises(Conflict):
                host.take(letter.sender, letter.message_id, body)
        assert before == self.parties.heads()

    @precondition(lambda self: self.parties.letters)
    @rule(place=_PLACE, party=st.sampled_from(EVERYBODY))
    def misdirect(self, place: int, party: Address) -> None:
        """A message arrives at a party of another role."""
        letter = self._letter(place)
        if letter.recipient.role is party.role:
            return
        before = self.parties.heads()
        with pytest.raises(ProtocolError):
            self.parties.hosts[party].take(letter.sender, letter.message_id, letter.frame)
        assert before == self.parties.heads()

    @rule(place=_PLACE, again=st.booleans())
    def review(self, place: int, again: bool) -> None:  # noqa: FBT001 - drawn
        """A reviewer decides a task, and once more if no answer came."""
        tasks = self.parties.tasks()
        if tasks:
            self._decide_task(tasks[place % len(tasks)])
            before = self.parties.heads()
            if again:
                self._decide_task(tasks[place % len(tasks)])
            assert before == self.parties.heads()

    @rule(party=st.sampled_from(EVERYBODY))
    def restart(self, party: Address) -> None:
        self.parties.restart(party)

    @rule(rounds=st.integers(1, 12))
    def proceed(self, rounds: int) -> None:
        for _ in range(rounds):
            self._round()

    @invariant()
    def nothing_is_ahead_of_the_quiet_run(self) -> None:
        """Links come complete or not at all, and are never others."""
        if hasattr(self, "parties"):
            for owner, quiet in zip(OWNERS, quiet_run().owners, strict=True):
                assert self.parties.hosts[owner].machine.link_ids in ([], quiet.link_ids)

    def teardown(self) -> None:
        if not hasattr(self, "parties"):
            return
        try:
            self._come_to_the_end()
            self._check()
        finally:
            self._patch.stop()
            self.parties.close()
            self._folder.cleanup()

    def _come_to_the_end(self) -> None:
        while True:
            before = self.parties.heads(), len(self.parties.letters)
            self._round()
            if before == (self.parties.heads(), len(self.parties.letters)):
                return

    def _round(self) -> None:
        """Everybody decides, sends, fetches and reviews once, in good order."""
        for party in EVERYBODY:
            self.parties.decide(party)
        for route in self.parties.routes():
            self.parties.send(*route, Fate.WELL)
        for owner in OWNERS:
            for unit in (RECORD_UNIT, ATTRIBUTE_UNIT):
                self.parties.fetch(owner, unit, Fate.WELL)
        for task in self.parties.tasks():
            self._decide_task(task)

    def _decide_task(self, task: str) -> None:
        self.parties.verdict(task, quiet_run().truth_of(bytes.fromhex(task)))

    def _letter(self, place: int) -> Letter:
        return self.parties.letters[place % len(self.parties.letters)]

    def _check(self) -> None:
        """Same links, same ledgers to the last entry, every message received once, chains whole."""
        for owner, quiet in zip(OWNERS, quiet_run().owners, strict=True):
            machine = self.parties.hosts[owner].machine
            assert quiet.link_ids == machine.link_ids
            assert _as_set(quiet.ledger.entries()) == _as_set(machine.ledger.entries())
        sent = sum(quiet_run().traffic.messages.values())
        counts = [host.log.counts() for host in self.parties.hosts.values()]
        messages = [count["messages"] for count in counts]
        # More parts of uploads, and a label for each verdict rather than for each batch: as many as were sent at all.
        assert sum(count["sent"] for count in counts) == sum(messages) >= sent
        for host in self.parties.hosts.values():
            assert [] == host.log.verify()
            assert [] == host.log.outgoing(limit=1)


def _as_set(entries: object) -> set[tuple[object, ...]]:
    """A ledger's entries, whatever their order; none is there twice."""
    columns = [getattr(entries, name) for name in ("time", "layer", "ids", "rows", "attributes")]
    rows = [tuple(np.asarray(column[i]).tobytes() for column in columns) for i in range(len(columns[0]))]
    assert len(set(rows)) == len(rows)
    return set(rows)


Delivery.TestCase.settings = settings(
    max_examples=40, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestDelivery = Delivery.TestCase
