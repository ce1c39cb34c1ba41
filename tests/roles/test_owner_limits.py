"""What no unit gets of an owner, however it asks: refused pairs, pairs again, too much at once, values too long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from asked_owner import show, values, wish
from hypothesis import given, settings
from hypothesis import strategies as st
from small_project import (
    NAMES,
    PEOPLE,
    A,
    ids,
    make_introduced_owner,
    make_owner,
    make_review_unit,
    records,
    refuses,
    sent,
)

from unveil.linkage.shown import SHOWN
from unveil.protocol.codec import decode, encode
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Decision, receive
from unveil.protocol.messages import (
    ID,
    LONGEST_VALUE,
    MOST_WISHES,
    Agreement,
    AttributeEncodings,
    AttributeWish,
    EncodingWish,
    Refusal,
    ReviewTask,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT
from unveil.roles.owner import machine as owner_machine
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import ATTRIBUTE_LAYER, REVIEW_LAYER, Caps, Policy
from unveil.schema.most_asked import WISHES


@pytest.mark.parametrize("pairs", [[1], [2, 1], [2, 2]])
def test_values_of_a_pair_are_asked_for_once(pairs: list[int]) -> None:
    """Under new task ids a unit could ask for another attribute each time, until it has them all."""
    party = make_introduced_owner()
    receive(party, wish(party, [0, 1], [1, 2], [1, 2]))
    receive(party, show(party, [1], [11], [[1, 0, 0]]))
    tasks = [12 + at for at in range(len(pairs))]
    refuses(party, show(party, pairs, tasks, [[0, 1, 0]] * len(pairs)), "pair that had a task before")


REFUSING = {
    "no pair of a record": Policy(caps=Caps(record_pairs=0)),
    "no pair at all": Policy(caps=Caps(project_pairs=0)),
    "by lot": Policy(response_rate_a=0.0),
    "no consent": Policy(layers=np.array([1, 1, 3, 3, 3, 3], np.uint8)),
}


@pytest.mark.parametrize("policy", REFUSING.values(), ids=REFUSING)
def test_no_value_leaves_of_a_pair_whose_encodings_were_refused(policy: Policy) -> None:
    """The attribute unit cannot have compared it: whoever asks for its values all the same goes around the policy."""
    party = make_introduced_owner(policy=policy)
    assert [Refusal(ids(1))] == sent(receive(party, wish(party, [0], [1], [1])))
    refuses(party, show(party, [1], [11], [[1, 1, 1]]), "has not granted")
    assert (0, 0) == (party.ledger.disclosures(ATTRIBUTE_LAYER), party.ledger.disclosures(REVIEW_LAYER))


def test_a_wish_with_one_refused_pair_among_granted_ones_is_refused() -> None:
    """Else the refused one would travel in their company; the granted ones can still be asked for."""
    party = make_introduced_owner(policy=Policy(caps=Caps(project_pairs=1)))
    receive(party, wish(party, [0, 1], [1, 2], [1, 2]))
    refuses(party, show(party, [1, 2], [11, 12], [[1, 0, 0]] * 2), "has not granted")
    assert {ids(11): {"first_name": "ann"}} == values(receive(party, show(party, [1], [11], [[1, 0, 0]])))


def test_no_value_leaves_of_a_pair_that_still_waits_for_a_persons_word() -> None:
    """Until then it is not granted, whatever becomes of it later."""
    party = make_introduced_owner(policy=Policy(approval="all"))
    receive(party, wish(party, [0], [1], [1]))
    refuses(party, show(party, [1], [11], [[1, 1, 1]]), "has not granted")


def test_what_was_granted_and_what_had_a_task_is_known_after_a_restart() -> None:
    """State is the fold of the log: a unit that waits for the owner to be started anew gains nothing by it."""
    log: list[Envelope | Decision] = []
    policy = Policy(caps=Caps(project_pairs=2))

    def take(party: Owner, *envelopes: Envelope) -> None:
        for envelope in envelopes:
            log.append(party.admit(envelope))
            party.apply(log[-1])
            decide(party)

    def decide(party: Owner) -> None:
        while (step := party.decide(0.0)) is not None:
            log.append(step.decision)
            party.apply(step.decision)

    first, second = make_owner(policy=policy), make_owner(policy=policy)
    decide(first)
    take(first, wish(first, [0, 1, 2], [1, 2, 3], [1, 2, 3]), show(first, [1], [11], [[1, 0, 0]]))
    for entry in log:
        second.apply(entry)
    refuses(second, show(second, [1], [12], [[1, 1, 1]]), "pair that had a task before")
    refuses(second, show(second, [3], [12], [[1, 1, 1]]), "has not granted")
    assert {ids(12): {"first_name": "bob"}} == values(receive(second, show(second, [2], [12], [[1, 0, 0]])))


def test_a_wish_has_a_largest_size() -> None:
    """A wish of a few bytes per pair leads to an answer of hundreds: without bound, no unit would take it."""
    party, n = make_introduced_owner(), MOST_WISHES
    rows, numbers = [0] * n, list(range(n))
    refuses(party, wish(party, [*rows, 0], [*numbers, n], [*numbers, n]), "more than 1000 entries")
    (answer,) = sent(receive(party, wish(party, rows, numbers, numbers)))
    assert n == len(answer)
    receive(party, wish(party, [0], [n], [n]))
    tasks = [one + 5000 for one in (*numbers, n)]
    refuses(party, show(party, [*numbers, n], tasks, [[1, 0, 0]] * (n + 1)), "more than 1000 entries")
    assert n == len(sent(receive(party, show(party, numbers, tasks[:-1], [[1, 0, 0]] * n))))


def test_no_honest_unit_asks_for_more_than_an_owner_answers() -> None:
    """The record unit's wishes are filled up to a constant size, which must lie below the owners' limit."""
    assert WISHES <= MOST_WISHES
    assert all(f"{MOST_WISHES:,}" in (kind.__doc__ or "") for kind in (EncodingWish, AttributeWish))


def test_an_answer_of_many_encodings_goes_in_several_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units take messages up to a limit; with many attributes and long filters one answer would go beyond it."""
    whole, parted = make_introduced_owner(), make_introduced_owner()
    (answer,) = sent(receive(whole, wish(whole, [0, 1, 2], [1, 2, 3], [1, 2, 3])))
    monkeypatch.setattr(owner_machine, "PART", 2 * (ID + len(NAMES) * 33))
    some: list[Any] = sent(receive(parted, wish(parted, [0, 1, 2], [1, 2, 3], [1, 2, 3])))
    assert [2, 1] == [len(one) for one in some]
    assert isinstance(answer, AttributeEncodings)
    for column in ("pair_ids", "filters", "classes"):
        assert getattr(answer, column) == b"".join(getattr(one, column) for one in some)


# Values that are too long


def long_owner(policy: Policy | None = None) -> Owner:
    """Its first two records have first names that are just short enough, and one letter too long."""
    longer = ["x" * LONGEST_VALUE, "y" * (LONGEST_VALUE + 1), *PEOPLE["first_name"][2:]]
    party = make_introduced_owner(policy=policy, of=records({**PEOPLE, "first_name": longer}))
    receive(party, wish(party, [0, 1], [1, 2], [1, 2]))
    return party


def test_a_value_that_is_too_long_for_review_stays_at_home() -> None:
    """The review unit would refuse it and all that comes with it, and the owner would try to send it for ever."""
    party = long_owner()
    out = receive(party, show(party, [1, 2], [11, 12], [[1, 1, 0]] * 2))
    assert {ids(11): {"first_name": "x" * LONGEST_VALUE, "last_name": "north"}, ids(12): {"last_name": "east"}} == (
        values(out)
    )
    assert [1, 2, 0] == party.ledger.records(REVIEW_LAYER).tolist()


def test_a_review_that_asks_for_long_values_alone_is_answered_without_any() -> None:
    """As if the owner never showed this attribute; it costs nothing of a cap, since nothing leaves."""
    party = long_owner(Policy(caps=Caps(project_values=1)))
    assert {ids(12): {}} == values(receive(party, show(party, [2], [12], [[1, 0, 0]])))
    assert 0 == party.ledger.disclosures(REVIEW_LAYER)
    assert {ids(11): {"zip": "10001"}} == values(receive(party, show(party, [1], [11], [[0, 0, 1]])))


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=2), st.integers(1, LONGEST_VALUE * 2))
def test_whatever_an_owner_sends_for_review_the_review_unit_takes(letters: str, repeated: int) -> None:
    """Both sides share one limit, in characters of any kind: no value is sent that is refused."""
    party = make_introduced_owner(of=records({**PEOPLE, "first_name": [letters * repeated] * 6}))
    receive(party, wish(party, [0], [1], [1]))
    unit = make_review_unit()
    receive(unit, Envelope(ATTRIBUTE_UNIT, REVIEW_UNIT, ReviewTask(3, ids(11), bytes([SHOWN] * 3), bytes(3))))
    for envelope in receive(party, show(party, [1], [11], [[1, 1, 1]])):
        receive(unit, Envelope(A, REVIEW_UNIT, decode(encode(envelope.message))))
    assert {A} == set(unit._tasks.open[ids(11)].answers)


def test_words_on_a_fingerprint_have_an_end() -> None:
    """Each is kept, and a record unit that says no again and again would fill the owner's disk."""
    party = make_introduced_owner()
    no = Envelope(RECORD_UNIT, A, Agreement(0, party._presented))
    for _ in range(1000):
        receive(party, no)
    refuses(party, no, "more than 1000 words")
