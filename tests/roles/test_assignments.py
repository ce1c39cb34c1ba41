"""Pairs are before one reviewer at a time, labels may be undone until they are handed in, practice comes first."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from small_project import SCHEMA, ids
from test_review_unit import ready

from unveil.errors import Conflict
from unveil.protocol.machine import Step
from unveil.protocol.messages import Refusal, ReviewLabel
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.assignments import AWAY_FOR, HELD_FOR
from unveil.roles.review_unit.machine import OPENINGS_PER_PAIR, ReviewUnit
from unveil.roles.review_unit.practice import ENOUGH, ROUND, PracticeRound, made_up
from unveil.runtime.review_steps import ReviewSteps
from unveil.schema import built_in


class InMemory:
    """Decisions are applied at once; what they send is kept."""

    def __init__(self, machine: ReviewUnit) -> None:
        self.machine = machine
        self.sent: list[Any] = []

    def deciding(self, decision: Callable[[ReviewUnit], Step | None]) -> bool:
        step = decision(self.machine)
        if step is not None:
            self.machine.apply(step.decision)
            self.sent += [envelope.message for envelope in step.messages]
        return step is not None

    def look(self, at: Callable[[ReviewUnit], Any]) -> Any:
        return at(self.machine)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def steps(*numbers: int, gold: float = 0.0, practice: bool = False) -> tuple[ReviewSteps, InMemory, Clock]:
    host, clock = InMemory(ready(*numbers)), Clock()
    found = ReviewSteps(host, SCHEMA, clock=clock, gold=gold, practice=practice, chance=SeededChance(1, "reviewers"))
    return found, host, clock


def task(view: dict[str, Any]) -> str:
    found: str = view["pair"]["task"]
    return found


def test_two_reviewers_get_different_pairs_and_keep_them() -> None:
    """The same one again until it is decided, from whichever machine they ask."""
    found, _, _ = steps(1, 2, 3)
    ann, bob = found.view("ann"), found.view("bob")
    assert task(ann) != task(bob)
    assert task(ann) == task(found.view("ann"))
    with pytest.raises(Conflict):
        found.label("bob", task(ann), True, 6)


def test_a_pair_whose_reviewer_does_nothing_goes_to_others_after_a_while() -> None:
    found, _, clock = steps(1)
    hers = task(found.view("ann"))
    assert "waiting" == found.view("bob")["stage"]
    clock.now += HELD_FOR + 1
    assert hers == task(found.view("bob"))
    with pytest.raises(Conflict):
        found.label("ann", hers, True, 6)


def test_whoever_works_keeps_their_pair() -> None:
    """Every step makes the time begin anew, at the latest after half of it."""
    found, _, clock = steps(1)
    hers = task(found.view("ann"))
    for _ in range(5):
        clock.now += HELD_FOR * 0.6
        assert hers == task(found.view("ann"))
        assert "waiting" == found.view("bob")["stage"]


def test_labels_of_whoever_stays_away_are_handed_in_under_their_name() -> None:
    """Others wait for the batch; after eight hours nobody comes back for it."""
    found, host, clock = steps(1, 2)
    found.label("ann", task(found.view("ann")), True, 3)
    assert host.machine.decide(clock.now + HELD_FOR + AWAY_FOR - 10) is None
    step = host.machine.decide(clock.now + HELD_FOR + AWAY_FOR + 1)
    assert step is not None
    host.machine.apply(step.decision)
    given = host.machine.decided(ids(1))
    assert given is not None
    assert (True, 0.7, b"ann") == (given.match, given.p, given.reviewer)


def test_a_pair_left_to_others_comes_back_at_the_end() -> None:
    found, _, _ = steps(1, 2)
    first = task(found.view("ann"))
    second = task(found.skip("ann", first))
    assert first != second
    assert first == task(found.label("ann", second, None, 6))


def test_handing_in_sends_labels_up_once_and_unsure_ones_back() -> None:
    """What is handed in cannot be undone; of a made-up pair nothing goes up."""
    found, host, _ = steps(1, 2, 3)
    for match in (True, None, False):
        view = found.label("ann", task(found.view("ann")), match, 6)
    assert "end" == view["stage"]
    done = found.hand_in("ann")
    assert {"match": 1, "non_match": 1, "unsure": 1} == done["handed_in"]
    labels, back = host.sent
    assert (ids(1, 3), ids(2)) == (labels.task_ids, back.ids)
    assert isinstance(labels, ReviewLabel)
    assert isinstance(back, Refusal)
    assert found.hand_in("ann")["handed_in"] is None
    with pytest.raises(Conflict):
        found.undo("ann", ids(1).hex())


def test_made_up_pairs_look_like_others_and_teach_how_often_somebody_errs() -> None:
    """Nothing in a view tells them apart; labels of them go nowhere, and their count is in nobody's budget."""
    found, host, _ = steps(1, 2, gold=0.5)
    seen = set()
    for _ in range(40):
        view = found.view("ann")
        if view["stage"] != "pair":
            break
        seen.add(tuple(view["pair"]))  # type: ignore[arg-type]
        gold = host.machine.assigned.gold.get(bytes.fromhex(task(view)))
        found.label("ann", task(view), not gold.match if gold else True, 6)
    assert 1 == len(seen)
    made = len(host.machine.assigned.gold)
    assert made > 0
    found.hand_in("ann")
    assert [ids(1, 2)] == [message.task_ids for message in host.sent]
    assert (2, 0) == (host.machine.labels_given, len(host.machine.assigned.gold))
    score = host.machine.assigned.scores[b"ann"]
    assert (made, made) == (score.pairs, score.wrong)
    assert (made + 2) / (made + 10) == host.machine.assigned.error(b"ann")
    assert host.machine.assigned.error(b"bob") is None


def test_openings_are_bounded_whichever_way_they_are_asked_for() -> None:
    """The unit counts, not the page."""
    found, host, _ = steps(1)
    view = found.view("ann")
    found.open("ann", task(view), "first_name", "full")
    host.machine.assigned.openings = OPENINGS_PER_PAIR
    with pytest.raises(Conflict, match="used up"):
        host.machine.opening(ids(1), "first_name", host.machine.stages(ids(1))["first_name"], reviewer="ann")


def test_real_pairs_come_after_practice_only() -> None:
    found, host, clock = steps(1, practice=True)
    assert "practice begins" == found.view("ann")["stage"]
    with pytest.raises(Conflict):
        found.label("ann", ids(1).hex(), True, 6)
    found.begin_practice("ann")
    for number in found.rounds.rounds["ann"].numbers:
        clock.now += 1
        view = found.label("ann", "", made_up(SCHEMA, number).match, 6)
        assert view["told"]["right"] is True  # type: ignore[index,call-overload]
    assert (True, "pair") == (view["passed"], view["stage"])
    assert [b"ann"] == list(host.machine.assigned.practised)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_a_made_up_pair_follows_from_its_number_and_fits_the_schema(number: int) -> None:
    """States and values are such as real pairs have; equal numbers give equal pairs."""
    schema = built_in()
    pair = made_up(schema, number)
    assert pair == made_up(schema, number)
    assert set(schema.names) == set(pair.states)
    assert {name for name, state in pair.states.items() if state == "shown"} == set(pair.values)
    shown = pair.pair_for(bytes(16)).shown_values
    assert set(shown) == set(pair.values), "what would be shown in vain is different from the start"


@pytest.mark.parametrize(("right", "passed"), [(ENOUGH, True), (ENOUGH - 1, False)])
def test_a_round_of_practice_needs_enough_right_answers(right: int, passed: bool) -> None:  # noqa: FBT001 - a table
    """An unsure answer is not a right one."""
    practice = PracticeRound(tuple(range(ROUND)))
    for at, number in enumerate(practice.numbers):
        practice.answer(SCHEMA, made_up(SCHEMA, number).match if at < right else None)
    assert (True, passed, right) == (practice.done, practice.passed, practice.right)


class Reviewers(RuleBasedStateMachine):
    """Three people who do anything in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.found, self.host, self.clock = steps(*range(1, 7), gold=0.2)
        self.moments = count()

    @rule(
        who=st.sampled_from(["ann", "bob", "eve"]),
        do=st.sampled_from(["label", "undo", "skip", "hand in", "open", "view"]),
        number=st.integers(1, 7),
        match=st.sampled_from([True, False, None]),
        later=st.sampled_from([1, HELD_FOR + 1]),
    )
    def step(self, who: str, do: str, number: int, match: bool | None, later: int) -> None:  # noqa: FBT001 - drawn
        self.clock.now += later
        view = self.found.view(who)
        chosen = task(view) if view["stage"] == "pair" and number < 6 else ids(number).hex()
        try:
            match do:
                case "label":
                    self.found.label(who, chosen, match, number % 6 + 1)
                case "undo":
                    self.found.undo(who, chosen)
                case "skip":
                    self.found.skip(who, chosen)
                case "open":
                    self.found.open(who, chosen, "first_name", "full")
                case "hand in":
                    self.found.hand_in(who)
        except Conflict:
            pass

    @invariant()
    def every_pair_is_before_one_person_and_every_label_goes_up_once(self) -> None:
        assigned = self.host.machine.assigned
        for task_id, draft in assigned.drafts.items():
            assert draft.reviewer == assigned.holds[task_id].reviewer
        sent = b"".join(message.task_ids for message in self.host.sent if isinstance(message, ReviewLabel))
        given = [sent[at : at + 16] for at in range(0, len(sent), 16)]
        assert len(given) == len(set(given)) == self.host.machine.labels_given <= 6


TestReviewers = Reviewers.TestCase
TestReviewers.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
