"""A reviewer asks for one more attribute: from the review unit to the owners and back, and no more than was agreed."""

from __future__ import annotations

import pytest
from asked_attribute_unit import DOUBTING, asked
from asked_owner import show, values, wish
from small_project import (
    NAMES,
    ROOMY,
    SCHEMA,
    A,
    B,
    ids,
    make_introduced_owner,
    make_review_unit,
    refuses,
    sent,
    with_protocol,
)

from unveil.errors import Conflict
from unveil.linkage.shown import DISSIMILAR, EQUAL, SHOWN
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Erased, Step, receive
from unveil.protocol.messages import AttributeValues, FurtherWish, Refusal, ReviewTask
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT, Address
from unveil.roles.owner.ledger import REVIEW_LAYER
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Approval, Caps, Policy
from unveil.roles.review_unit.decisions import FurtherAsked, GoldPlaced, HandedOut
from unveil.roles.review_unit.display import Verdict, cells
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.roles.review_unit.practice import made_up

TWICE = with_protocol(SCHEMA, further_attributes=0.5)  # of a budget of four
TOWN = NAMES.index("zip")
STATES = (SHOWN, EQUAL, DISSIMILAR)


def marks(attribute: int) -> bytes:
    return bytes(at == attribute for at in range(len(NAMES)))


def waiting(*numbers: int) -> ReviewUnit:
    """A review unit with pairs whose first names are alike and whose postcodes are not."""
    unit = make_review_unit(TWICE)
    message = ReviewTask(3, ids(*numbers), bytes(STATES * len(numbers)), bytes([0, 2, 0] * len(numbers)))
    receive(unit, Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, message))
    for owner, name in ((A, "ann"), (B, "anne")):
        receive(unit, answer(owner, ids(*numbers), {"first_name": name}, times=len(numbers)))
    return unit


def answer(owner: Address, asked: bytes, given: dict[str, str] | None, *, times: int = 1) -> Envelope:
    message = Refusal(asked) if given is None else AttributeValues(asked, (given,) * times)
    return Envelope(owner, REVIEW_UNIT, message)


def ask(unit: ReviewUnit, task_id: bytes, attribute: str = "zip", reviewer: str = "ann") -> tuple[bytes, Step]:
    step = unit.asking(task_id, attribute, reviewer=reviewer)
    unit.apply(step.decision)
    assert isinstance(step.decision, FurtherAsked)
    return step.decision.wish_id, step


# The review unit


def test_a_pair_waits_for_the_owners_and_comes_back_with_the_attribute_masked() -> None:
    """It names its task and one attribute; nobody can decide, open or ask until both owners have answered."""
    unit = waiting(1)
    assert ("zip",) == unit.may_ask(ids(1))
    wish_id, step = ask(unit, ids(1))
    assert (Envelope(REVIEW_UNIT, ATTRIBUTE_UNIT, FurtherWish(3, ids(1), wish_id, marks(TOWN))),) == step.messages
    assert ((), 1) == (unit.waiting(), unit.open_tasks)
    receive(unit, answer(A, wish_id, {"zip": "10001"}))
    assert () == unit.pending()
    receive(unit, answer(B, wish_id, {"zip": "10011"}))
    (pair,) = unit.pending()
    assert ("10001", "10011") == pair.values["zip"]
    shown = next(cell for cell in cells(pair, SCHEMA, {}) if cell.attribute == "zip")
    assert ("***0*", "***1*") == (shown.left, shown.right)
    assert () == unit.may_ask(ids(1))


@pytest.mark.parametrize(
    ("left", "right", "state"),
    [
        (None, {"zip": "10011"}, "withheld"), ({}, {"zip": "10011"}, "withheld"), (None, None, "withheld"),
        ({"zip": ""}, {"zip": "10011"}, "missing"), ({"zip": "98765"}, {"zip": "10011"}, "dissimilar"),
    ],
)  # fmt: skip
def test_what_an_owner_keeps_or_what_differs_altogether_is_shown_as_such(
    left: dict[str, str] | None, right: dict[str, str] | None, state: str
) -> None:
    """The pair comes back in any case, and nobody can ask for the same again."""
    unit = waiting(1)
    wish_id, _ = ask(unit, ids(1))
    receive(unit, answer(A, wish_id, left))
    receive(unit, answer(B, wish_id, right))
    (pair,) = unit.pending()
    cell = next(cell for cell in cells(pair, SCHEMA, {}) if cell.attribute == "zip")
    assert (state, "") == (cell.state, cell.left)
    assert () == unit.may_ask(ids(1))
    assert unit.decide(0.0) is None, "a further attribute that is refused does not send the task back"


def test_only_what_was_asked_for_is_held_and_it_goes_with_the_task() -> None:
    """Another attribute is refused, and so is a second answer; the wish's values are erased when the task is closed."""
    unit = waiting(1)
    wish_id, _ = ask(unit, ids(1))
    refuses(unit, answer(A, wish_id, {"zip": "1", "last_name": "north"}), "not asked for")
    receive(unit, answer(A, wish_id, {"zip": "10001"}))
    refuses(unit, answer(A, wish_id, {"zip": "10002"}), "second answer")
    assert not unit.done_with(Erased(wish_id))
    receive(unit, answer(B, wish_id, {"zip": "10011"}))
    step = unit.judge([Verdict(ids(1), match=True)], reviewer="ann")
    unit.apply(step.decision)
    assert unit.done_with(Erased(wish_id + ids(1)))
    refuses(unit, answer(B, wish_id, {"zip": "10011"}), "second answer")


def test_reviewers_ask_no_more_often_than_the_project_allows_and_for_nothing_that_is_there() -> None:
    """Two of four labels; equal, missing and shown attributes cannot be asked for, nor pairs of somebody else."""
    unit = waiting(1, 2, 3)
    unit.apply(HandedOut(ids(3), 100, b"bob"))
    for attribute in ("first_name", "last_name", "no such"):
        with pytest.raises(Conflict):
            ask(unit, ids(1), attribute)
    with pytest.raises(Conflict):
        ask(unit, ids(3))
    assert 2 == unit.further_left
    ask(unit, ids(1))
    ask(unit, ids(2))
    assert (0, ()) == (unit.further_left, unit.may_ask(ids(3)))
    with pytest.raises(Conflict):
        ask(unit, ids(3), reviewer="bob")


def test_a_made_up_pair_can_be_asked_about_like_any_other_and_nobody_hears_of_it() -> None:
    """Otherwise it could be told from real ones. It does not come back, and says nothing about its reviewer."""
    unit = waiting(1)
    number = next(at for at in range(1000) if _has_dissimilar(unit, at))
    unit.apply(GoldPlaced(ids(9), number, 1, 100, b"ann"))
    (attribute, *_) = unit.may_ask(ids(9))
    _, step = ask(unit, ids(9), attribute)
    assert () == step.messages
    assert (None, {}, 1) == (unit.pair(ids(9)), unit.assigned.scores, unit.further_left)


def _has_dissimilar(unit: ReviewUnit, number: int) -> bool:
    return "dissimilar" in made_up(unit.schema, number).states.values()


# The attribute unit


def test_a_wish_is_passed_on_to_both_owners_as_it_is_and_waits_for_nothing() -> None:
    """While reviewers are at work, for an attribute that does not agree."""
    unit, task = asked(with_protocol(DOUBTING, further_attributes=1.0))
    task_id, half = task.task_ids[:16], 1
    out = receive(unit, Envelope(REVIEW_UNIT, ATTRIBUTE_UNIT, FurtherWish(3, task_id, ids(70), marks(half))))
    wanted = FurtherWish(3, task_id, ids(70), marks(half))
    assert [Envelope(ATTRIBUTE_UNIT, owner, wanted) for owner in (A, B)] == out


@pytest.mark.parametrize(
    ("task", "wish_id", "asked_for", "problem"),
    [
        (None, 70, b"\1\0\0", "equal or missing"), (None, 70, b"\0\1\1", "one attribute"),
        (None, 70, b"\0\2\0", "one attribute"), (None, 70, b"\0\0\0", "one attribute"), (99, 70, b"\0\1\0", "not open"),
    ],
)  # fmt: skip
def test_a_wish_that_no_reviewer_can_have_is_refused(
    task: int | None, wish_id: int, asked_for: bytes, problem: str
) -> None:
    unit, tasks = asked(with_protocol(DOUBTING, further_attributes=1.0))
    task_id = tasks.task_ids[:16] if task is None else ids(task)
    refuses(unit, Envelope(REVIEW_UNIT, ATTRIBUTE_UNIT, FurtherWish(3, task_id, ids(wish_id), asked_for)), problem)


def test_the_attribute_unit_passes_on_no_wish_twice_and_none_beyond_the_project() -> None:
    unit, task = asked(with_protocol(DOUBTING, further_attributes=0.25))  # one of four
    wanted = Envelope(REVIEW_UNIT, ATTRIBUTE_UNIT, FurtherWish(3, task.task_ids[:16], ids(70), marks(1)))
    receive(unit, wanted)
    refuses(unit, wanted, "before")
    none = asked()[0]
    refuses(none, wanted, "not open|more than the 0")


# The owner


def reviewed(policy: Policy | None = None, share: float = 0.5) -> Owner:
    """An owner that was asked about two pairs, and granted their first names to reviewers."""
    schema = with_protocol(ROOMY, review_budget=4, further_attributes=share)
    party = make_introduced_owner(schema=schema, policy=policy)
    receive(party, wish(party, [0, 1], [1, 2], [1, 2]))
    receive(party, show(party, [1, 2], [11, 12], [[1, 0, 0]] * 2))
    return party


def further(task: int, wish_id: int, asked_for: bytes) -> Envelope:
    return Envelope(ATTRIBUTE_UNIT, A, FurtherWish(3, ids(task), ids(wish_id), asked_for))


def test_an_owner_answers_under_the_wishs_own_id_and_its_ledger_holds_it() -> None:
    """One value of the record that the task was about, charged as a disclosure of its own."""
    party = reviewed()
    out = receive(party, further(11, 70, marks(TOWN)))
    assert {ids(70): {"zip": "10001"}} == values(out)
    assert (3, 3) == (party.ledger.disclosures(REVIEW_LAYER), party.ledger.pairs(REVIEW_LAYER))
    assert [True, False, True] == party.ledger.disclosed_of(REVIEW_LAYER, 0).tolist()


def test_policy_caps_and_people_decide_about_it_as_about_any_value() -> None:
    """An attribute that never leaves, a cap on what a record gives, and a person's word that is waited for."""
    for policy in (Policy(caps=Caps(record_reviews=1)), Policy(smallest_k=2)):
        assert [Refusal(ids(70))] == sent(receive(reviewed(policy), further(11, 70, marks(TOWN))), REVIEW_UNIT)
    never = reviewed(Policy(never=frozenset({"zip"})))
    assert {ids(70): {}} == values(receive(never, further(11, 70, marks(TOWN))))


@pytest.mark.parametrize(("approval", "kinds"), [("review", [False, True]), ("further", [True])])
def test_it_waits_for_a_persons_word_where_the_policy_says_so(approval: Approval, kinds: list[bool]) -> None:
    """All values for review do, or only what reviewers ask for besides."""
    schema = with_protocol(ROOMY, review_budget=4, further_attributes=0.5)
    party = make_introduced_owner(schema=schema, policy=Policy(approval=approval))
    receive(party, wish(party, [0], [1], [1]))
    receive(party, show(party, [1], [11], [[1, 0, 0]]))
    assert [] == receive(party, further(11, 70, marks(TOWN)))
    assert kinds == [one.further for one in party.waiting()]
    party.apply(party.approval(party.waiting()[-1], [True]).decision)
    step = party.decide(0.0)
    assert step is not None
    assert {ids(70): {"zip": "10001"}} == values(list(step.messages))


def test_an_owner_holds_units_to_what_the_project_allows() -> None:
    """Two of four labels; each attribute of a task once; only tasks that it was asked about; ids are used once."""
    party = reviewed()
    receive(party, further(11, 70, marks(TOWN)))
    refuses(party, further(11, 71, marks(TOWN)), "before")
    refuses(party, further(13, 71, marks(TOWN)), "never asked about")
    refuses(party, further(12, 70, marks(TOWN)), "before")
    refuses(party, further(12, 11, marks(TOWN)), "before")
    refuses(party, further(12, 71, b"\1\0\1"), "one attribute")
    refuses(party, show(party, [1], [70], [[1, 0, 0]]), "before")
    receive(party, further(12, 71, marks(TOWN)))
    refuses(party, further(12, 72, marks(1)), "more than the 2")
    refuses(reviewed(share=0.0), further(11, 70, marks(TOWN)), "more than the 0")
