from __future__ import annotations

from dataclasses import replace

import pytest
from small_project import (
    NAMES,
    OWNERS,
    SCHEMA,
    STRANGER,
    A,
    B,
    ids,
    make_review_unit,
    reals,
    refuses,
    sent,
    state_of,
    with_protocol,
)

from unveil.errors import LocalProtocolError, TooEarly
from unveil.linkage.shown import DISSIMILAR, EQUAL, MISSING, SHOWN
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import (
    LONGEST_VALUE,
    AttributeValues,
    BatchLearnt,
    Bootstrap,
    Refusal,
    ReviewLabel,
    ReviewTask,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.roles.review_unit.display import Verdict
from unveil.roles.review_unit.machine import GivenVerdict, ReviewUnit
from unveil.roles.review_unit.masking import Stage

ANN, ANNE = {"first_name": "ann"}, {"first_name": "anne"}


def task(
    *numbers: int, states: tuple[int, ...] = (SHOWN, EQUAL, MISSING), classes: tuple[int, ...] = (0, 2, 0)
) -> Envelope:
    message = ReviewTask(3, ids(*numbers), bytes(states * len(numbers)), bytes(classes * len(numbers)))
    return Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, message)


def values(sender: Address, given: dict[int, dict[str, str]]) -> Envelope:
    return Envelope(sender, REVIEW_UNIT, AttributeValues(ids(*given), tuple(given.values())))


def refusal(sender: Address, *numbers: int) -> Envelope:
    return Envelope(sender, REVIEW_UNIT, Refusal(ids(*numbers)))


def ready(*numbers: int) -> ReviewUnit:
    """A unit in which these tasks wait for a person."""
    unit = make_review_unit()
    receive(unit, task(*numbers))
    receive(unit, values(A, dict.fromkeys(numbers, ANN)))
    assert () == unit.pending()
    receive(unit, values(B, dict.fromkeys(numbers, ANNE)))
    return unit


def test_a_pair_is_ready_when_both_owners_have_sent_their_values() -> None:
    """It shows both values of what differs, the class of what is equal, and nothing of the rest."""
    (pair,) = ready(1).pending()
    assert ids(1) == pair.task_id
    assert dict(zip(NAMES, ("shown", "equal", "missing"), strict=True)) == pair.states
    assert ({"first_name": ("ann", "anne")}, {"last_name": 2}) == (pair.values, pair.frequency)


def test_the_first_owner_stands_left_whoever_answers_first() -> None:
    """Left and right must mean the same in every pair."""
    unit = make_review_unit()
    receive(unit, task(1))
    receive(unit, values(B, {1: ANNE}))
    receive(unit, values(A, {1: ANN}))
    assert [("ann", "anne")] == [pair.values["first_name"] for pair in unit.pending()]


def test_pairs_are_pending_in_the_order_in_which_they_were_asked_for() -> None:
    """Whatever the order of the answers."""
    unit = make_review_unit()
    receive(unit, task(1, 2, 3))
    for number in (3, 1, 2):
        receive(unit, values(A, {number: ANN}))
        receive(unit, values(B, {number: ANNE}))
    assert [ids(1), ids(2), ids(3)] == [pair.task_id for pair in unit.pending()]


def test_an_attribute_that_one_owner_holds_back_is_shown_of_neither() -> None:
    """One value alone cannot be compared, so nobody needs to see it."""
    unit = make_review_unit()
    receive(unit, task(1, states=(SHOWN, SHOWN, DISSIMILAR)))
    receive(unit, values(A, {1: {"first_name": "ann", "last_name": "north"}}))
    receive(unit, values(B, {1: {"last_name": "nord"}}))
    (pair,) = unit.pending()
    assert {"last_name": ("north", "nord")} == pair.values
    assert ("shown", {}) == (pair.states["first_name"], pair.frequency)


@pytest.mark.parametrize("who", ["a", "b", "both"])
def test_a_task_that_an_owner_refuses_goes_back(who: str) -> None:
    """Once both have spoken; the values of the other owner are dropped."""
    unit = make_review_unit()
    receive(unit, task(1))
    first = refusal(A, 1) if who in ("a", "both") else values(A, {1: ANN})
    second = refusal(B, 1) if who in ("b", "both") else values(B, {1: ANNE})
    assert [] == receive(unit, first)
    assert [Refusal(ids(1))] == sent(receive(unit, second), ATTRIBUTE_UNIT)
    assert () == unit.pending()
    assert 0 == unit.open_tasks == len(unit._tasks.open)


@pytest.mark.parametrize(
    "early",
    [values(A, {1: ANN}), values(A, {1: {"last_name": "north"}}), values(A, {1: ANN, 2: ANN}), refusal(A, 1)],
)
def test_an_answer_before_its_task_is_not_held_and_may_come_again_later(early: Envelope) -> None:
    """Without the task nobody can tell which values are shown, and the unit holds no other; nothing is lost by it."""
    unit = make_review_unit()
    receive(unit, task(2))
    before = state_of(unit)
    with pytest.raises(TooEarly, match="not known yet"):
        receive(unit, early)
    assert before == state_of(unit)
    receive(unit, task(1, states=(SHOWN, SHOWN, MISSING)))
    receive(unit, values(B, {1: ANNE}))
    receive(unit, early)
    assert ([ids(1)] if isinstance(early.message, AttributeValues) else []) == [one.task_id for one in unit.pending()]


def test_the_message_is_kept_as_it_came_where_all_of_it_is_shown() -> None:
    """What is kept is what the log holds: no value is added, and none is lost."""
    unit = make_review_unit()
    receive(unit, task(1))
    assert values(A, {1: ANN}) == unit.admit(values(A, {1: ANN}))


def test_values_that_only_decoys_asked_for_are_not_kept() -> None:
    """They are dropped before anything is written down; those that are shown stay."""
    unit = make_review_unit(with_protocol(SCHEMA, decoys=0.2))
    receive(unit, task(1, 2))
    every = {"first_name": "ann", "last_name": "north", "zip": ""}
    assert values(A, {1: ANN, 2: ANN}) == unit.admit(values(A, {1: every, 2: every}))
    receive(unit, values(A, {1: every, 2: every}))
    receive(unit, values(B, {1: {"last_name": "nord"}, 2: ANNE}))
    assert [{}, {"first_name": ("ann", "anne")}] == [pair.values for pair in unit.pending()]


def judged(unit: ReviewUnit, *verdicts: Verdict) -> list[Envelope]:
    """A person decides; what is sent."""
    step = unit.judge(verdicts, reviewer="ann")
    unit.apply(step.decision)
    return list(step.messages)


def test_decisions_go_up_and_the_values_are_erased() -> None:
    """Yes, no and unsure: labels with their p, and a refusal for what the person could not tell."""
    unit = ready(1, 2, 3, 4)
    out = judged(unit, Verdict(ids(2), match=True), Verdict(ids(1), match=False, p=0.75), Verdict(ids(4), match=None))
    assert [ReviewLabel(ids(2, 1), b"\x01\x00", reals(1.0, 0.75)), Refusal(ids(4))] == sent(out, ATTRIBUTE_UNIT)
    assert [ids(3)] == [pair.task_id for pair in unit.pending()]
    assert [ids(3)] == list(unit._tasks.open)


def test_a_verdict_counts_when_it_is_written_down() -> None:
    """Until then the task waits, so that a verdict that could not be stored is asked for again."""
    unit = ready(1)
    before = state_of(unit)
    unit.judge([Verdict(ids(1), match=True)], reviewer="ann")
    assert before == state_of(unit)


def test_a_verdict_that_was_given_is_remembered() -> None:
    """A reviewer's program that lost the answer may hand in the same verdict again."""
    unit = ready(1, 2, 3)
    judged(unit, Verdict(ids(1), match=False, p=0.75), Verdict(ids(2), match=None))
    expected = [GivenVerdict(False, 0.75, b"ann"), GivenVerdict(None, 1.0, b"ann"), None]
    assert expected == [unit.decided(ids(number)) for number in (1, 2, 3)]


def test_what_labels_changed_is_known_of_labels_that_were_given_and_of_no_more() -> None:
    """Otherwise the attribute unit could fill the log of this one with news of nothing."""
    unit = ready(1, 2, 3)
    judged(unit, Verdict(ids(1), match=True), Verdict(ids(2), match=False), Verdict(ids(3), match=None))
    word = BatchLearnt(2, 90, 30, 4, 1, 9_000, 9_100)
    refuses(unit, Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, replace(word, labels=3)), "more labels than were given")
    receive(unit, Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, word))
    assert word == unit.last_learnt
    refuses(unit, Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, replace(word, labels=1)), "more labels than were given")


@pytest.mark.parametrize(
    "wrong", [{"labels": 0}, {"labels": 91}, {"gained": 31}, {"lost": 61}, {"right_before": 10_001}]
)
def test_what_labels_changed_adds_up(wrong: dict[str, int]) -> None:
    """A message that cannot be true is none."""
    right = {"labels": 2, "pairs": 90, "matches": 30, "gained": 4, "lost": 1, "right_before": 0, "right_after": 0}
    assert 2 == BatchLearnt(**right).labels
    with pytest.raises(ValueError, match=r"pairs|share"):
        BatchLearnt(**{**right, **wrong})


def test_no_decisions_send_nothing() -> None:
    """A person may close the session."""
    assert [] == judged(ready(1))


def test_only_unsure_verdicts_send_only_a_refusal() -> None:
    """An empty label message would say nothing."""
    assert [Refusal(ids(1))] == sent(judged(ready(1), Verdict(ids(1), match=None)))


def test_an_opening_cannot_be_taken_back() -> None:
    """What a reviewer has seen they have seen; the log says how much that was."""
    unit = ready(1)
    stages = []
    for stage in (Stage.DIFFERING, Stage.FULL, Stage.MASKED):
        step = unit.opening(ids(1), "first_name", stage, reviewer="ann")
        assert () == step.messages
        unit.apply(step.decision)
        stages.append(unit.stages(ids(1)))
    assert [{"first_name": stage} for stage in (Stage.DIFFERING, Stage.FULL, Stage.FULL)] == stages


@pytest.mark.parametrize(
    ("envelope", "because"),
    [
        (values(STRANGER, {1: ANN}), "not an owner of this project"),
        (refusal(STRANGER, 1), "not an owner of this project"),
        (Envelope(RECORD_UNIT, REVIEW_UNIT, task(2).message), "not allowed"),
        (Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, values(A, {1: ANN}).message), "not allowed"),
        (Envelope(RECORD_UNIT, ATTRIBUTE_UNIT, Bootstrap(b"", b"", b"", b"")), "not for the review unit"),
        (task(1), "opened before"),
        (task(2, 1), "opened before"),
        (task(2, 2), "opened before"),
        (task(2, states=(4, 0, 0)), "unknown state"),
        (Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, ReviewTask(2, ids(2), bytes(2), bytes(2))), "differs from the schema"),
        (values(B, {}), "about nothing"),
        (refusal(B), "about nothing"),
        (task(), "about nothing"),
        (values(B, {1: {"first_name": "x" * 257}}), "more than 256 characters"),
        (Envelope(B, REVIEW_UNIT, AttributeValues(ids(1, 5), (ANNE, {"first_name": "x" * 257}))), "more than 256"),
        (values(A, {1: ANN}), "second answer"),
        (refusal(A, 1), "second answer"),
        (values(A, {7: ANN, 1: ANN}), "second answer"),
        (Envelope(B, REVIEW_UNIT, AttributeValues(ids(1, 1), (ANN, ANNE))), "second answer"),
        (refusal(B, 1, 1), "second answer"),
        (values(B, {1: {"last_name": "north"}}), "not asked for"),
        (values(B, {1: {"zip": ""}}), "not asked for"),
        (values(B, {1: {"first_name": "anne", "password": "x"}}), "not asked for"),
        (Envelope(B, REVIEW_UNIT, AttributeValues(ids(1, 5), (ANNE, {"zip": "1"}))), "not asked for"),
        (values(B, {8: ANNE, 1: ANNE}), "not known yet"),
        (refusal(B, 8, 1), "not known yet"),
    ],
)
def test_what_does_not_fit_is_refused_and_leaves_no_trace(envelope: Envelope, because: str) -> None:
    """Values that nobody asked for are not kept, not even those of other tasks in the same message."""
    unit = make_review_unit()
    receive(unit, task(1, 5))
    receive(unit, values(A, {1: ANN}))
    refuses(unit, envelope, because)
    assert [] == receive(unit, values(B, {1: ANNE}))
    assert [{"first_name": ("ann", "anne")}] == [pair.values for pair in unit.pending()]


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("party", OWNERS, ids=str)
def test_a_second_answer_is_refused_when_the_pair_is_ready_or_decided(*, decided: bool, party: Address) -> None:
    """What the person sees must not change under their eyes, and values must not gather after the end."""
    unit = ready(1)
    if decided:
        judged(unit, Verdict(ids(1), match=True))
    refuses(unit, values(party, {1: {"first_name": "eve"}}), "second answer")
    refuses(unit, refusal(party, 1), "second answer")
    refuses(unit, task(1), "opened before")


def test_a_task_cannot_be_decided_twice_nor_before_it_is_ready() -> None:
    """A slip in a display must not invent labels; refused before it is in the log, where it would stay for ever."""
    unit = ready(1)
    receive(unit, task(2))
    receive(unit, values(A, {2: ANN}))
    yes = Verdict(ids(1), match=True)
    wrong = [
        [Verdict(ids(2), match=True)],
        [Verdict(ids(9), match=None)],
        [yes, yes],
        [yes, Verdict(ids(2), match=True)],
    ]
    for verdicts in wrong:
        with pytest.raises(LocalProtocolError, match="does not wait for a verdict"):
            unit.judge(verdicts, reviewer="ann")
    judged(unit, yes)
    with pytest.raises(LocalProtocolError, match="does not wait for a verdict"):
        unit.judge([yes], reviewer="ann")


def test_nothing_is_opened_of_a_task_that_does_not_wait() -> None:
    """Neither before both values are there nor after the verdict."""
    unit = ready(1)
    receive(unit, task(2))
    judged(unit, Verdict(ids(1), match=True))
    for number in (1, 2, 9):
        with pytest.raises(LocalProtocolError, match="does not wait for a verdict"):
            unit.opening(ids(number), "first_name", Stage.FULL, reviewer="ann")


def test_a_value_of_the_greatest_length_is_taken() -> None:
    """In characters, not bytes: names in every script have the same room."""
    unit = make_review_unit()
    receive(unit, task(1))
    for party in OWNERS:
        receive(unit, values(party, {1: {"first_name": "Ж" * LONGEST_VALUE}}))
    assert [ids(1)] == [pair.task_id for pair in unit.pending()]
    assert f" {LONGEST_VALUE} " in (AttributeValues.__doc__ or "")


def test_a_long_value_is_refused_also_where_decoys_are_dropped() -> None:
    """It would be parsed and dropped, but an owner that sends it breaks the protocol all the same."""
    unit = make_review_unit(with_protocol(SCHEMA, decoys=0.2))
    receive(unit, task(1))
    refuses(unit, values(A, {1: {**ANN, "zip": "1" * (LONGEST_VALUE + 1)}}), "more than 256 characters")


def test_a_unit_has_work_while_a_task_is_not_decided() -> None:
    """Closing its project meanwhile would leave the attribute unit waiting for ever."""
    unit = make_review_unit()
    assert "" == unit.unfinished()
    receive(unit, task(1))
    assert "tasks are not decided (1)" in unit.unfinished()
    receive(unit, refusal(A, 1))
    receive(unit, values(B, {1: ANNE}))
    assert "" == unit.unfinished()
