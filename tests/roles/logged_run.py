"""Whole runs in which every machine keeps a log of bytes, as it would on a disk, and can be made anew from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NoReturn

import numpy as np
from small_project import (
    OWNERS,
    SCHEMA,
    A,
    B,
    make_attribute_unit,
    make_owner,
    make_record_unit,
    records,
    with_protocol,
)

from unveil.errors import TooEarly
from unveil.joining.join_part import joined as join_parts
from unveil.protocol import frames
from unveil.protocol.codec import decode, encode
from unveil.protocol.flows import Envelope, check_outgoing
from unveil.protocol.machine import Decision, Erased, Machine, Step, do_due_work, fold
from unveil.protocol.messages import Message
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.records import Records
from unveil.roles.chance import Chance, SeededChance
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Policy
from unveil.roles.review_unit.decisions import (
    Drafted,
    GoldPlaced,
    HandedOut,
    Practised,
    RoleNoted,
    Skipped,
    Undone,
)
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.opinions import OpinionTerms
from unveil.schema import Schema

PARTIES = (A, B, RECORD_UNIT, ATTRIBUTE_UNIT, REVIEW_UNIT)
#: Most pairs are uncertain, so that there is much to ask and to review.
PAPER = with_protocol(
    SCHEMA,
    batches=(12, 8, 5),
    p_t=0.95,
    threshold_below=0.4,
    threshold_above=0.4,
    review_budget=16,
    review_batches=4,
    review_rounds=2,
    review_lower=0.1,
    further_attributes=0.5,
)
SCHEMAS: Mapping[str, Schema] = {
    "paper": with_protocol(PAPER, forest_seed=2),
    "prior": with_protocol(PAPER, models="prior", controls=0.25, strategy="closest", p_t=0.995, review_learn_lower=0.2),
    "decoys": with_protocol(PAPER, decoys=0.3, evenness=0.9),
}
_FIRST = ("ann", "bob", "cleo", "dan", "eve", "finn", "gus", "hana", "ivo", "jana", "kim", "leo")
_LAST = ("north", "south", "east", "west", "hill", "lake")


@cache
def people() -> tuple[Records, Records]:
    """40 invented people a side, 30 of them the same with slips of the pen."""
    rng = np.random.default_rng(7)
    rows = [[str(rng.choice(_FIRST)), str(rng.choice(_LAST)), str(rng.integers(10_000, 10_040))] for _ in range(50)]
    others = [list(row) for row in rows[:30]] + rows[40:]
    for row in others[:30:2]:
        at = int(rng.integers(3))
        row[at] = "" if rng.random() < 0.3 and at != 1 else row[at][:-1] + "x"
    sides = (rows[:40], others)
    made = [records({name: [row[i] for row in side] for i, name in enumerate(SCHEMA.names)}) for side in sides]
    return made[0], made[1]


POLICIES = {
    A: Policy(response_rate_a=0.9, response_rate_c=0.7, never=frozenset({"first_name"})),
    B: Policy(layers=np.array([1, 3, 3, 3, 3, 3, 3, 2] * 5, np.uint8), approval="review"),
}


def no_chance(purpose: str) -> NoReturn:
    """Chance for a machine that must not draw."""
    raise AssertionError(f"drew for {purpose}")


def built(party: Address, schema: Schema, chance: Chance | None = None) -> Machine:
    """A machine of this party that has seen nothing yet."""
    chance = chance or SeededChance(1, str(party))
    if party in OWNERS:
        return make_owner(party, schema=schema, of=people()[OWNERS.index(party)], policy=POLICIES[party], chance=chance)
    if party == RECORD_UNIT:
        return make_record_unit(schema, chance=chance)
    return make_attribute_unit(schema, chance=chance) if party == ATTRIBUTE_UNIT else _review_unit(schema, chance)


def _review_unit(schema: Schema, chance: Chance) -> ReviewUnit:
    terms = OpinionTerms(share=0.5, below=0.8) if schema == SCHEMAS["decoys"] else OpinionTerms()
    return ReviewUnit(schema, OWNERS, chance=chance, terms=terms)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a log: a message and its sender, or a decision (no sender); and whether nothing was due after it."""

    sender: Address | None
    frame: bytes
    quiet: bool = False


Log = list[Entry]
_KINDS: dict[str, type[Message]] = {"Erased": Erased}


def event(entry: Entry, machine: Machine) -> Envelope | Decision:
    """The entry as the machine applies it, read from its bytes."""
    if entry.sender is None:
        return frames.read(entry.frame, machine.decisions)
    erased = b'"kind":"Erased"' in entry.frame[:60]
    message = frames.read(entry.frame, _KINDS) if erased else decode(entry.frame)
    return Envelope(entry.sender, machine.address, message)


def replayed(log: Log, machine: Machine) -> Machine:
    """The machine after these entries."""
    for entry in log:
        fold(machine, event(entry, machine))
    return machine


def without_contents(log: Log, machine: Machine) -> Log:
    """The log without the contents that the machine, which has seen all of it, needs no more."""
    kept = []
    for entry in log:
        read = event(entry, machine)
        stub = machine.stub(read.message) if isinstance(read, Envelope) else None
        gone = stub is not None and machine.done_with(stub)
        kept.append(Entry(entry.sender, frames.write(stub), entry.quiet) if gone and stub is not None else entry)
    return kept


@dataclass
class Party:
    """A machine and its log. `watch` is called after every entry, before anything else happens."""

    machine: Machine
    watch: Callable[[Party], None] = lambda _: None
    log: Log = field(default_factory=list)
    sent: list[tuple[Envelope, ...]] = field(default_factory=list)  # what each entry sent

    def keep(self, sender: Address | None, frame: bytes, messages: tuple[Envelope, ...] = ()) -> None:
        """Write an entry down with what it sends, then apply what was written."""
        self.log.append(Entry(sender, frame))
        self.sent.append(messages)
        self.machine.apply(event(self.log[-1], self.machine))
        self.watch(self)

    def take(self, envelope: Envelope) -> None:
        """Take a message."""
        self.keep(envelope.sender, frames.write(self.machine.admit(envelope).message))

    def commit(self, step: Step) -> list[Envelope]:
        """Take a decision; what it sends."""
        self.keep(None, frames.write(step.decision), step.messages)
        return list(step.messages)

    def settle(self) -> list[Envelope]:
        """Do the work and take every decision that is due; what they send."""
        out: list[Envelope] = []
        do_due_work(self.machine)
        while (step := self.machine.decide(float(len(self.log)))) is not None:
            out += self.commit(step)
            do_due_work(self.machine)
        if self.log:
            self.log[-1] = Entry(self.log[-1].sender, self.log[-1].frame, quiet=True)
        return out


class LoggedRun:
    """A run of the whole protocol; `choose` says which of n messages on the wire is delivered next."""

    def __init__(
        self,
        schema: Schema,
        *,
        watch: Callable[[Party], None] = lambda _: None,
        choose: Callable[[int], int] = lambda _: 0,
    ) -> None:
        self.parties = {party: Party(built(party, schema), watch) for party in PARTIES}
        self._choose = choose
        self._wire: list[tuple[Address, Address, bytes]] = []

    def machine(self, party: Address) -> Any:
        """The machine of a party as it is now."""
        return self.parties[party].machine

    @property
    def link_ids(self) -> list[list[bytes]]:
        """The link tables: what owners have in the end."""
        return [self.machine(party).link_ids for party in OWNERS]

    @property
    def joined(self) -> list[tuple[bytes, bytes]]:
        """The link ids that belong together, as both owners find out together."""
        names = (A.name, B.name)
        return join_parts([self.owner(party).sealed_links.part("", party.name, names) for party in OWNERS]).pairs

    def owner(self, party: Address) -> Owner:
        """An owner's machine."""
        machine = self.machine(party)
        assert isinstance(machine, Owner)
        return machine

    def run(self) -> LoggedRun:
        """Run to the end."""
        anew = self.parties[A]
        anew.settle()  # of what it sent nothing arrives: it begins anew
        anew.commit(self.machine(A).begin_anew())
        for party in PARTIES:
            self._send(self.parties[party].settle())
        self._deliver()
        while not self.machine(RECORD_UNIT).finished:
            assert self._people(), "nobody has anything to do"
            self._deliver()
        return self

    def _send(self, envelopes: list[Envelope]) -> None:
        for envelope in envelopes:
            check_outgoing(envelope)
            self._wire.append((envelope.sender, envelope.recipient, encode(envelope.message)))

    def _deliver(self) -> None:
        """Deliver all that is on the wire, and what follows from it; what comes too early comes again later."""
        early = []
        while self._wire:
            sender, recipient, frame = self._wire.pop(self._choose(len(self._wire)))
            party = self.parties[recipient]
            try:
                party.take(Envelope(sender, recipient, decode(frame)))
            except TooEarly:
                early.append((sender, recipient, frame))
                continue
            self._send(party.settle())
            self._wire += early
            early = []
        assert not early

    def _people(self) -> bool:
        """Owners' people approve every other wish, reviewers look and decide; whether there was anything to do."""
        busy = False
        for address in OWNERS:
            party = self.parties[address]
            assert isinstance(party.machine, Owner)
            while waiting := party.machine.waiting():
                busy = True
                granted = [one[0] % 4 != 0 for one in waiting[0].ids]
                self._send(party.commit(party.machine.approval(waiting[0], granted)))
                self._send(party.settle())
        self._deliver()
        party = self.parties[REVIEW_UNIT]
        pending = self._unit().pending()
        if not pending:
            return busy
        self._at_the_page(pending[0].task_id)
        party.commit(Step(RoleNoted(1, b"lee")))
        for who in ("ann", "bob", "lee"):
            pairs = [self._unit().pair(task_id) for task_id in self._unit().waiting_for(who.encode())]
            for pair in filter(None, pairs):
                for name in pair.values:
                    if self._unit().openings_left:
                        opening = self._unit().opening(pair.task_id, name, Stage.FULL, reviewer=who)
                        self._send(party.commit(opening))
            if given := [verdict(pair, who) for pair in pairs if pair]:
                self._send(party.commit(self._unit().judge(given, reviewer=who)))
        return True

    def _at_the_page(self, first: bytes) -> None:
        """Somebody practises, decides a pair and a made-up one, thinks better of it, and leaves some to others."""
        party, eve, until = self.parties[REVIEW_UNIT], b"eve", len(self.parties[REVIEW_UNIT].log) + 1800
        gold = bytes([255]) + first[1:]
        p = np.array([0.8], "<f8").tobytes()
        for decision in (
            Practised(8, 7, eve),
            HandedOut(first, until, eve),
            Drafted(first, 1, p, eve),
            Undone(first, eve),
            GoldPlaced(gold, 12, 1, until, eve),
            Drafted(gold, int(gold[1]) % 3, p, eve),
        ):
            party.commit(Step(decision))
        if first[0] % 2:
            party.commit(Step(Drafted(first, first[0] % 3, p, eve)))
        else:
            party.commit(Step(Skipped(first, eve)))
        handing_in = self._unit().hand_in(reviewer="eve")
        assert handing_in is not None
        self._send(party.commit(handing_in))
        for task_id in self._unit().waiting():
            if wanted := self._unit().may_ask(task_id):
                self._send(party.commit(self._unit().asking(task_id, wanted[0], reviewer="ann")))
                self._deliver()

    def _unit(self) -> ReviewUnit:
        unit = self.parties[REVIEW_UNIT].machine
        assert isinstance(unit, ReviewUnit)
        return unit


def verdict(pair: ReviewablePair, who: str) -> Verdict:
    """A person's word: yes, no or unsure, and how sure, by the task's id; bob is often of another opinion."""
    kind = pair.task_id[0] + (pair.task_id[1] % 2 if who == "bob" else 0)
    match = None if kind % 7 == 0 else kind % 2 == 0
    return Verdict(pair.task_id, match, 0.75 if kind % 3 == 0 else 1.0)


@cache
def whole(name: str) -> LoggedRun:
    """The run that nothing disturbs."""
    return LoggedRun(SCHEMAS[name]).run()
