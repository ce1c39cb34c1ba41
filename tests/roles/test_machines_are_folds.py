"""A machine is the fold of its log: replayed, cut, restarted, erased, asked in vain or in another order."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logged_run import (
    PARTIES,
    SCHEMAS,
    Entry,
    LoggedRun,
    Party,
    built,
    event,
    no_chance,
    replayed,
    whole,
    without_contents,
)
from small_project import OWNERS, STRANGER, ids, state_of

from unveil.errors import RemoteProtocolError
from unveil.linkage.layer import Layer
from unveil.protocol import frames
from unveil.protocol.codec import decode
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Decision, Erased, Machine, Step, do_due_work, fold
from unveil.protocol.messages import AttributeEncodings, AttributeValues, Refusal
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.roles.owner.machine import Owner
from unveil.roles.record_unit.machine import RecordUnit

by_party = pytest.mark.parametrize("party", PARTIES, ids=str)
by_run = pytest.mark.parametrize("name", SCHEMAS)
#: What a machine is given, not what it holds.
GIVEN = {"_chance", "_compare", "_encoder", "_features", "_assessor", "_combinations"}


def held(machine: Machine) -> Any:
    """All that a machine holds, once due work is done and every model has said its word."""
    do_due_work(machine)
    layer = getattr(machine, "layer", None)
    if isinstance(layer, Layer):
        _ = layer.outcomes
    if isinstance(machine, RecordUnit):
        for upload in machine.intake.uploads.values():
            _ = upload.encoded and upload.encoded.filters.popcounts  # counted when first needed
    parts = {name: value for name, value in vars(machine).items() if name not in GIVEN}
    if isinstance(machine, Owner):
        parts["ledger"] = (
            machine.ledger.entries(),
            [machine.ledger.days(one) for one in (ATTRIBUTE_LAYER, REVIEW_LAYER)],
        )
    return [(name, state_of(value)) for name, value in parts.items()]


def fresh(party: Address, name: str) -> Machine:
    """A machine that must not draw."""
    return built(party, SCHEMAS[name], no_chance)


def test_the_runs_have_every_kind_of_decision_and_of_message_in_them() -> None:
    """What does not occur here is not tested here."""
    for party in PARTIES:
        logs = [(whole(name).parties[party].log, fresh(party, name)) for name in SCHEMAS]
        events = [event(entry, machine) for log, machine in logs for entry in log]
        decided = {one.kind() for one in events if isinstance(one, Decision)}
        never = {OWNERS[0]: {"Approved"}, OWNERS[1]: {"BegunAnew"}}.get(party, set())
        written = set(fresh(party, "paper").decisions) - {"Opened", "Decided", "Compared"}  # of earlier releases
        assert written - never == decided
    assert all(whole(name).joined for name in SCHEMAS)


@by_party
@by_run
def test_a_log_that_is_applied_again_gives_the_same_machine_without_drawing(party: Address, name: str) -> None:
    """Wherever nothing was due the first time, nothing is due again: no decision is taken twice."""
    log, machine = whole(name).parties[party].log, fresh(party, name)
    quiet = 0
    for entry in log:
        fold(machine, event(entry, machine))
        if entry.quiet:
            quiet += 1
            assert machine.work() is None
            assert machine.decide(0.0) is None
    assert quiet > 5
    assert held(whole(name).machine(party)) == held(machine)


@by_run
def test_what_people_and_others_ask_of_a_machine_is_the_same_after_a_replay(name: str) -> None:
    """By name: outcomes, matches and threshold, similarities, tasks and budget, ledgers and link ids, pending pairs."""
    run = whole(name)
    first: dict[Address, Any] = {party: run.machine(party) for party in PARTIES}
    again: dict[Address, Any] = {party: replayed(run.parties[party].log, fresh(party, name)) for party in PARTIES}
    for machines in zip(first.values(), again.values(), strict=True):
        one, two = machines
        if isinstance(one, RecordUnit):
            assert (one.t, one.finished, one.matches().tolist()) == (two.t, two.finished, two.matches().tolist())
            assert (one.layer.g.tolist(), one.layer.p.tolist()) == (two.layer.g.tolist(), two.layer.p.tolist())
            assert one.matches().any()
        elif isinstance(one, Owner):
            for layer in (ATTRIBUTE_LAYER, REVIEW_LAYER):
                assert one.ledger.times(layer).tolist() == two.ledger.times(layer).tolist()
                assert one.ledger.disclosures(layer) == two.ledger.disclosures(layer) > 0
            assert one.link_ids == two.link_ids != []
    one, two = first[ATTRIBUTE_UNIT], again[ATTRIBUTE_UNIT]
    assert (one.spent, one.tasks, one.pair_ids) == (two.spent, two.tasks, two.pair_ids)
    assert one.similarity.tobytes() == two.similarity.tobytes()
    assert (one.layer.g.tolist(), one.layer.p.tolist()) == (two.layer.g.tolist(), two.layer.p.tolist())
    assert first[REVIEW_UNIT].pending() == again[REVIEW_UNIT].pending()


# Restarts


class Restarts:
    """Makes machines anew from their logs, erased as far as may be, after the entries with these numbers."""

    def __init__(self, name: str, at: set[int]) -> None:
        self._name, self._at, self.entries, self.done = name, at, 0, 0

    def __call__(self, party: Party) -> None:
        """After every entry of anybody."""
        self.entries += 1
        if self.entries in self._at:
            party.log = without_contents(party.log, party.machine)
            party.machine = replayed(party.log, built(party.machine.address, SCHEMAS[self._name]))
            self.done += 1


def entries(name: str) -> int:
    return sum(len(party.log) for party in whole(name).parties.values())


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_restarts_at_any_entry_of_any_log_change_nothing(data: st.DataObject) -> None:
    """Between a message and its decision, between two decisions: the same link tables, and the same logs."""
    name = data.draw(st.sampled_from(sorted(SCHEMAS)))
    at = data.draw(st.sets(st.integers(1, entries(name)), min_size=1, max_size=12))
    restarts = Restarts(name, at)
    run = LoggedRun(SCHEMAS[name], watch=restarts).run()
    assert len(at) == restarts.done
    assert whole(name).link_ids == run.link_ids
    for party in PARTIES:
        assert held(whole(name).machine(party)) == held(run.machine(party))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_prefix_of_a_log_and_then_the_rest_live_ends_the_same(data: st.DataObject) -> None:
    """One party is cut anywhere: it takes the same decisions and sends the same messages as if it had never stopped."""
    name = data.draw(st.sampled_from(sorted(SCHEMAS)))
    address = data.draw(st.sampled_from(PARTIES))
    original = whole(name).parties[address]
    cut = data.draw(st.integers(0, len(original.log)))
    party = Party(replayed(original.log[:cut], built(address, SCHEMAS[name])), log=original.log[:cut])
    while len(party.log) < len(original.log):
        entry = original.log[len(party.log)]
        read = event(entry, party.machine)
        if isinstance(read, Envelope):
            party.take(read)
            continue
        do_due_work(party.machine)
        step, sends = party.machine.decide(float(len(party.log))), original.sent[len(party.log)]
        assert step is None or sends == step.messages
        # What is not due by itself is a person's word.
        party.commit(step or Step(read))
        assert entry.frame == party.log[-1].frame
    assert party.machine.decide(0.0) is None
    assert held(whole(name).machine(address)) == held(party.machine)


# Erasure


@pytest.mark.slow
@by_run
@pytest.mark.parametrize("party", [ATTRIBUTE_UNIT, REVIEW_UNIT], ids=str)
def test_a_log_without_contents_that_are_done_with_gives_the_same_machine(party: Address, name: str) -> None:
    """After every entry, not only at the end: whenever something may be erased, the state does not need it."""
    log, erased = whole(name).parties[party].log, 0
    machine = fresh(party, name)
    for at, entry in enumerate(log):
        fold(machine, event(entry, machine))
        lighter = without_contents(log[: at + 1], machine)
        if lighter != log[: at + 1]:
            erased += 1
            assert held(machine) == held(replayed(lighter, fresh(party, name)))
    assert erased > 5


@by_run
def test_at_the_end_no_encoding_of_a_pair_and_no_value_is_left(name: str) -> None:
    """Every compared encoding and every value of a closed task is gone from the logs; the rest stays as it was."""
    for party, kind in ((ATTRIBUTE_UNIT, AttributeEncodings), (REVIEW_UNIT, AttributeValues)):
        log = whole(name).parties[party].log
        lighter = without_contents(log, whole(name).machine(party))
        before, after = ([event(entry, fresh(party, name)) for entry in some] for some in (log, lighter))
        held_before = [one for one in before if isinstance(one, Envelope) and isinstance(one.message, kind)]
        stubs = [one for one in after if isinstance(one, Envelope) and isinstance(one.message, Erased)]
        assert len(held_before) == len(stubs) > 5
        assert not [one for one in after if isinstance(one, Envelope) and isinstance(one.message, kind)]
        assert [one for one in before if one not in held_before] == [one for one in after if one not in stubs]


@pytest.mark.parametrize("party", [*OWNERS, RECORD_UNIT], ids=str)
def test_owners_and_the_record_unit_need_all_that_they_hold(party: Address) -> None:
    """A key_pair must never be served twice, and comparing may have to be done again."""
    log = whole("paper").parties[party].log
    assert log == without_contents(log, whole("paper").machine(party))
    machine = whole("paper").machine(party)
    assert machine.stub(Refusal(ids(1))) is None
    assert not machine.done_with(Erased(ids(1)))


def test_nothing_is_erased_before_its_time() -> None:
    """Encodings wait for the other owner's, values for the verdict."""
    for party, kind in ((ATTRIBUTE_UNIT, AttributeEncodings), (REVIEW_UNIT, AttributeValues)):
        log = whole("paper").parties[party].log
        at = next(i for i, entry in enumerate(log) if entry.sender and isinstance(decode(entry.frame), kind))
        machine = replayed(log[: at + 1], fresh(party, "paper"))
        assert log[: at + 1] == without_contents(log[: at + 1], machine)


# Asking changes nothing


class Nosy:
    """After every entry: ask for decisions, try every message again that the party ever got, and some of strangers."""

    def __init__(self) -> None:
        self.refused = self.asked = 0

    def __call__(self, party: Party) -> None:
        """Try."""
        machine = party.machine
        before = held(machine)
        for now in (0.0, float(len(party.log)), 1e9):
            self.asked += machine.decide(now) is not None
        got = [event(entry, machine) for entry in party.log if entry.sender]
        strange = [
            Envelope(STRANGER, machine.address, Refusal(ids(1))),
            Envelope(OWNERS[0], OWNERS[1], Refusal(ids(1))),
        ]
        for envelope in [*got, *got[-1:], *strange]:
            assert isinstance(envelope, Envelope)
            try:
                machine.admit(envelope)
            except RemoteProtocolError:
                self.refused += 1
        assert before == held(machine)


@by_run
def test_checking_messages_and_asking_for_decisions_changes_nothing(name: str) -> None:
    """Also for messages that are refused; the run goes on as if nobody had asked."""
    nosy = Nosy()
    run = LoggedRun(SCHEMAS[name], watch=nosy).run()
    assert whole(name).link_ids == run.link_ids
    assert [whole(name).parties[party].log for party in PARTIES] == [run.parties[party].log for party in PARTIES]
    assert min(nosy.refused, nosy.asked) > 20


# The order of messages


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_order_in_which_messages_arrive_changes_nothing(data: st.DataObject) -> None:
    """Any message on the wire may come next; what comes too early comes again."""
    name = data.draw(st.sampled_from(sorted(SCHEMAS)))
    rng = data.draw(st.randoms(use_true_random=False))
    run = LoggedRun(SCHEMAS[name], choose=rng.randrange).run()
    assert whole(name).link_ids == run.link_ids


# The log itself


@by_run
def test_decisions_and_messages_read_back_as_they_were_written(name: str) -> None:
    """A log is read by whoever comes after the one who wrote it; and what it prints is a kind and a number."""
    for party in PARTIES:
        machine = fresh(party, name)
        for entry in whole(name).parties[party].log:
            read = event(entry, machine)
            batch = read.message if isinstance(read, Envelope) else read
            assert entry.frame == frames.write(batch)
            assert f"{type(batch).__name__}(<{len(batch)} entries>)" == repr(batch)


def test_a_decision_of_one_machine_is_none_of_anothers() -> None:
    """The log of an owner fed to a unit is not mistaken for its own, whatever the kinds are called."""
    decision = next(entry for entry in whole("paper").parties[OWNERS[0]].log if entry.sender is None)
    for party in (RECORD_UNIT, ATTRIBUTE_UNIT, REVIEW_UNIT):
        with pytest.raises(frames.FrameError, match="unknown kind"):
            event(Entry(None, decision.frame), fresh(party, "paper"))


def test_a_message_is_no_decision_and_a_decision_no_message() -> None:
    """Nobody can send a party a decision that it did not take."""
    for party in PARTIES:
        machine = fresh(party, "paper")
        for entry in whole("paper").parties[party].log:
            with contextlib.ExitStack() as stack:
                stack.enter_context(pytest.raises(frames.FrameError, match="unknown kind"))
                frames.read(entry.frame, machine.decisions) if entry.sender else decode(entry.frame)
