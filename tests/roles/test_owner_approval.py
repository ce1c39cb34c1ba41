"""An owner whose people look at wishes before anything goes: nothing leaves without their word, and no more than it."""

from __future__ import annotations

import pytest
from small_project import NAMES, A, handles, ids, make_introduced_owner, refuses, sent

from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive, settle
from unveil.protocol.messages import AttributeEncodings, AttributeValues, AttributeWish, EncodingWish, Refusal
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT
from unveil.roles.owner.decisions import Approved
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import ATTRIBUTE_LAYER, REVIEW_LAYER, Approval, Caps, Policy


def made(approval: Approval, caps: Caps | None = None) -> Owner:
    """An owner that asks its people."""
    return make_introduced_owner(policy=Policy(approval=approval, caps=caps or Caps()))


def wish(party: Owner, rows: list[int], first: int = 0) -> Envelope:
    """The record unit asks for these rows, as pairs first, first + 1, …"""
    known, numbers = handles(party), range(first, first + len(rows))
    keys = b"".join(number.to_bytes(32, "big") for number in numbers)
    return Envelope(
        RECORD_UNIT, A, EncodingWish(0, party.upload_id, ids(*numbers), b"".join(known[row] for row in rows), keys)
    )


def show(pairs: list[int], tasks: list[int]) -> Envelope:
    """The attribute unit asks for all values of these pairs."""
    message = AttributeWish(len(NAMES), ids(*pairs), ids(*tasks), b"\x01" * len(NAMES) * len(tasks))
    return Envelope(ATTRIBUTE_UNIT, A, message)


def approve(party: Owner, at: int, granted: list[bool]) -> list[Envelope]:
    """A person's word on a waiting wish; what is sent because of it."""
    step = party.approval(party.waiting()[at], granted)
    assert () == step.messages
    party.apply(step.decision)
    return settle(party)


def test_values_wait_for_a_persons_word_and_encodings_do_not() -> None:
    """`review` holds back what people could read; nothing is charged before it goes."""
    party = made("review")
    assert [AttributeEncodings] == [type(one) for one in sent(receive(party, wish(party, [0, 1, 2])))]
    assert [] == receive(party, show([0, 1, 2], [10, 11, 12]))
    assert [] == settle(party)
    (waiting,) = party.waiting()
    assert (REVIEW_LAYER, [ids(10), ids(11), ids(12)], [0, 1, 2]) == (waiting.layer, waiting.ids, waiting.rows.tolist())
    assert 0 == party.ledger.disclosures(REVIEW_LAYER)


def test_what_is_approved_goes_and_the_rest_is_refused() -> None:
    """Each entry has an answer of its own; the units never wait for what was turned down."""
    party = made("review")
    receive(party, wish(party, [0, 1, 2]))
    receive(party, show([0, 1, 2], [10, 11, 12]))
    out = approve(party, 0, [True, False, True])
    assert [Refusal(ids(11))] == [one for one in sent(out) if isinstance(one, Refusal)]
    assert [ids(10), ids(12)] == [one.task_ids for one in sent(out) if isinstance(one, AttributeValues)]
    assert [] == party.waiting()
    assert [True, False, True, False, False, False] == party.ledger.disclosed(REVIEW_LAYER).any(axis=1).tolist()


def test_with_approval_of_everything_encodings_wait_too() -> None:
    """A key_pair that waits counts as used, so a second wish under it is refused all the same."""
    party = made("all")
    assert [] == receive(party, wish(party, [0, 1]))
    assert [ATTRIBUTE_LAYER] == [waiting.layer for waiting in party.waiting()]
    assert 0 == party.ledger.disclosures(ATTRIBUTE_LAYER)
    (refusal,) = sent(approve(party, 0, [False, False]))
    assert Refusal(ids(0, 1)) == refusal
    assert 0 == party.ledger.disclosures(ATTRIBUTE_LAYER)


def test_without_approval_nothing_ever_waits() -> None:
    """The policy alone decides then."""
    party = made("none")
    receive(party, wish(party, [0]))
    assert [AttributeValues] == [type(one) for one in sent(receive(party, show([0], [10])))]
    assert [] == party.waiting()


def test_wishes_wait_side_by_side_and_are_answered_as_people_get_to_them() -> None:
    """A later wish may be decided first; the earlier one goes on waiting, and encodings pass both by."""
    party = made("review")
    receive(party, wish(party, [0, 1]))
    receive(party, show([0], [10]))
    receive(party, show([1], [11]))
    assert 1 == len(receive(party, wish(party, [2], 2)))
    assert [[ids(10)], [ids(11)]] == [waiting.ids for waiting in party.waiting()]
    (answer,) = sent(approve(party, 1, [True]))
    assert isinstance(answer, AttributeValues)
    assert ids(11) == answer.task_ids
    assert [[ids(10)]] == [waiting.ids for waiting in party.waiting()]
    assert [Refusal(ids(10))] == sent(approve(party, 0, [False]))


def test_an_entry_goes_as_soon_as_it_has_its_word() -> None:
    """People decide one by one; what they have decided does not wait for what they have not looked at."""
    party = made("review")
    receive(party, wish(party, [0, 1, 2]))
    receive(party, show([0, 1, 2], [10, 11, 12]))
    party.apply(Approved(REVIEW_LAYER, ids(11), b"\x01"))
    (answer,) = sent(settle(party))
    assert isinstance(answer, AttributeValues)
    assert ids(11) == answer.task_ids
    assert [[ids(10), ids(12)]] == [waiting.ids for waiting in party.waiting()]
    party.apply(Approved(REVIEW_LAYER, ids(10), b"\x00"))
    assert [Refusal(ids(10))] == sent(settle(party))
    assert [[ids(12)]] == [waiting.ids for waiting in party.waiting()]
    assert [0, 1, 0, 0, 0, 0] == party.ledger.times(REVIEW_LAYER).tolist()


def test_a_pair_that_was_answered_before_the_rest_of_its_wish_may_be_asked_for_in_plain_text() -> None:
    """Whatever order people choose, values are asked for pairs alone that were granted."""
    party = made("all")
    receive(party, wish(party, [0, 1]))
    party.apply(Approved(ATTRIBUTE_LAYER, ids(1), b"\x01"))
    (answer,) = sent(settle(party))
    assert isinstance(answer, AttributeEncodings)
    assert ids(1) == answer.pair_ids
    receive(party, show([1], [10]))
    refuses(party, show([0], [11]), "has not granted")


def test_a_word_for_more_or_fewer_entries_is_no_word() -> None:
    """A list that slipped by one would let go what was turned down."""
    party = made("review")
    receive(party, wish(party, [0, 1]))
    receive(party, show([0, 1], [10, 11]))
    (waiting,) = party.waiting()
    for granted in ([True], [True, False, True], []):
        with pytest.raises(ValueError, match="entries"):
            party.approval(waiting, granted)


def test_people_cannot_let_go_what_the_policy_holds_back() -> None:
    """Approval comes on top of the policy, not in its place."""
    party = make_introduced_owner(policy=Policy(approval="review", never=frozenset(NAMES[:2]), response_rate_a=1.0))
    receive(party, wish(party, [0]))
    receive(party, show([0], [10]))
    (answer,) = sent(approve(party, 0, [True]))
    assert isinstance(answer, AttributeValues)
    assert ({NAMES[2]},) == tuple(set(values) for values in answer.values)


def test_what_people_turn_down_uses_up_no_cap() -> None:
    """Two pairs and one review are allowed; the entry that was refused leaves room for those that were approved."""
    party = made("all", Caps(project_pairs=2, record_reviews=1))
    receive(party, wish(party, [0, 0, 0]))
    out = approve(party, 0, [False, True, True])
    assert [ids(1, 2)] == [one.pair_ids for one in sent(out) if isinstance(one, AttributeEncodings)]
    receive(party, show([1, 2], [10, 11]))
    out = approve(party, 0, [False, True])
    assert [ids(11)] == [one.task_ids for one in sent(out) if isinstance(one, AttributeValues)]


def test_printing_a_wish_shows_how_large_it_is_and_no_more() -> None:
    """It holds keys of pairs."""
    party = made("all")
    receive(party, wish(party, [0, 1]))
    assert "[Wish(<2 entries>)]" == repr(party.waiting())
