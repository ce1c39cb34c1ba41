from __future__ import annotations

import pytest
from small_project import NAMES, OWNERS, STRANGER, A, B, ids, make_review_unit, reals, refuses, sent

from unveil.linkage.request import DISSIMILAR, EQUAL, MISSING, SHOWN
from unveil.protocol.flows import Envelope
from unveil.protocol.messages import AttributeValues, Bootstrap, Refusal, ReviewLabel, ReviewTask
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.review_unit.display import Verdict
from unveil.review_unit.machine import ReviewUnit

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
    unit.receive(task(*numbers))
    unit.receive(values(A, dict.fromkeys(numbers, ANN)))
    assert () == unit.pending()
    unit.receive(values(B, dict.fromkeys(numbers, ANNE)))
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
    unit.receive(task(1))
    unit.receive(values(B, {1: ANNE}))
    unit.receive(values(A, {1: ANN}))
    assert [("ann", "anne")] == [pair.values["first_name"] for pair in unit.pending()]


def test_pairs_are_pending_in_the_order_in_which_they_were_asked_for() -> None:
    """Whatever the order of the answers."""
    unit = make_review_unit()
    unit.receive(task(1, 2, 3))
    for number in (3, 1, 2):
        unit.receive(values(A, {number: ANN}))
        unit.receive(values(B, {number: ANNE}))
    assert [ids(1), ids(2), ids(3)] == [pair.task_id for pair in unit.pending()]


def test_an_attribute_that_one_owner_holds_back_is_shown_of_neither() -> None:
    """One value alone cannot be compared, so nobody needs to see it."""
    unit = make_review_unit()
    unit.receive(task(1, states=(SHOWN, SHOWN, DISSIMILAR)))
    unit.receive(values(A, {1: {"first_name": "ann", "last_name": "north"}}))
    unit.receive(values(B, {1: {"last_name": "nord"}}))
    (pair,) = unit.pending()
    assert {"last_name": ("north", "nord")} == pair.values
    assert ("shown", {}) == (pair.states["first_name"], pair.frequency)


@pytest.mark.parametrize("who", ["a", "b", "both"])
def test_a_task_that_an_owner_refuses_goes_back(who: str) -> None:
    """Once both have spoken; the values of the other owner are dropped."""
    unit = make_review_unit()
    unit.receive(task(1))
    first = refusal(A, 1) if who in ("a", "both") else values(A, {1: ANN})
    second = refusal(B, 1) if who in ("b", "both") else values(B, {1: ANNE})
    assert [] == unit.receive(first)
    assert [Refusal(ids(1))] == sent(unit.receive(second), ATTRIBUTE_UNIT)
    assert () == unit.pending()
    assert (0, 0) == (len(unit._tasks), len(unit._early))


def test_answers_may_come_before_the_task() -> None:
    """Values, refusals and mixtures."""
    unit = make_review_unit()
    unit.receive(values(A, {1: ANN, 2: ANN}))
    unit.receive(values(B, {1: ANNE}))
    unit.receive(refusal(B, 2))
    assert [Refusal(ids(2))] == sent(unit.receive(task(1, 2, 3)))
    assert [ids(1)] == [pair.task_id for pair in unit.pending()]


def test_values_that_came_early_and_are_not_asked_for_are_forgotten() -> None:
    """The unit holds what is shown and no more; the other owner is not blamed for it."""
    unit = make_review_unit()
    unit.receive(values(A, {1: {"first_name": "ann", "last_name": "north"}}))
    unit.receive(task(1))
    assert {"first_name"} == {name for held in unit._early[ids(1)].values() if held for name in held}
    unit.receive(values(B, {1: ANNE}))
    assert [{"first_name": ("ann", "anne")}] == [pair.values for pair in unit.pending()]


def test_decisions_go_up_and_the_values_are_erased() -> None:
    """Yes, no and unsure: labels with their p, and a refusal for what the person could not tell."""
    unit = ready(1, 2, 3, 4)
    out = unit.decide([Verdict(ids(2), match=True), Verdict(ids(1), match=False, p=0.75), Verdict(ids(4), match=None)])
    assert [ReviewLabel(ids(2, 1), b"\x01\x00", reals(1.0, 0.75)), Refusal(ids(4))] == sent(out, ATTRIBUTE_UNIT)
    assert [ids(3)] == [pair.task_id for pair in unit.pending()]
    assert [ids(3)] == list(unit._tasks)


def test_no_decisions_send_nothing() -> None:
    """A person may close the session."""
    assert [] == ready(1).decide([])


def test_only_unsure_verdicts_send_only_a_refusal() -> None:
    """An empty label message would say nothing."""
    assert [Refusal(ids(1))] == sent(ready(1).decide([Verdict(ids(1), match=None)]))


@pytest.mark.parametrize(
    ("envelope", "because"),
    [
        (values(STRANGER, {1: ANN}), "not an owner of this project"),
        (refusal(STRANGER, 1), "not an owner of this project"),
        (Envelope(RECORD_UNIT, REVIEW_UNIT, task(2).message), "not allowed"),
        (Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, values(A, {1: ANN}).message), "not allowed"),
        (Envelope(RECORD_UNIT, ATTRIBUTE_UNIT, Bootstrap(b"", b"", b"")), "not for the review unit"),
        (task(1), "opened before"),
        (task(2, 1), "opened before"),
        (task(2, 2), "opened before"),
        (task(2, states=(4, 0, 0)), "unknown state"),
        (Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, ReviewTask(2, ids(2), bytes(2), bytes(2))), "differs from the schema"),
        (values(A, {1: ANN}), "second answer"),
        (refusal(A, 1), "second answer"),
        (values(A, {7: ANN, 1: ANN}), "second answer"),
        (Envelope(B, REVIEW_UNIT, AttributeValues(ids(1, 1), (ANN, ANNE))), "second answer"),
        (refusal(B, 1, 1), "second answer"),
        (values(B, {1: {"last_name": "north"}}), "not asked for"),
        (values(B, {1: {"zip": ""}}), "not asked for"),
        (values(B, {1: {"first_name": "anne", "password": "x"}}), "not asked for"),
        (values(B, {8: ANNE, 1: {"last_name": "north"}}), "not asked for"),
    ],
)
def test_what_does_not_fit_is_refused_and_leaves_no_trace(envelope: Envelope, because: str) -> None:
    """Values that nobody asked for are not kept, not even those of other tasks in the same message."""
    unit = make_review_unit()
    unit.receive(task(1))
    unit.receive(values(A, {1: ANN}))
    refuses(unit, envelope, because)
    assert [] == unit.receive(values(B, {1: ANNE}))
    assert [{"first_name": ("ann", "anne")}] == [pair.values for pair in unit.pending()]


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("party", OWNERS, ids=str)
def test_a_second_answer_is_refused_when_the_pair_is_ready_or_decided(*, decided: bool, party: Address) -> None:
    """What the person sees must not change under their eyes, and values must not gather after the end."""
    unit = ready(1)
    if decided:
        unit.decide([Verdict(ids(1), match=True)])
    refuses(unit, values(party, {1: {"first_name": "eve"}}), "second answer")
    refuses(unit, refusal(party, 1), "second answer")
    refuses(unit, task(1), "opened before")


def test_a_task_cannot_be_decided_twice_nor_before_it_is_ready() -> None:
    """A slip in a display must not invent labels."""
    unit = ready(1)
    unit.receive(task(2))
    for number in (2, 9):
        with pytest.raises(ValueError, match="not in list"):
            unit.decide([Verdict(ids(number), match=True)])
    unit.decide([Verdict(ids(1), match=True)])
    with pytest.raises(ValueError, match="not in list"):
        unit.decide([Verdict(ids(1), match=True)])
