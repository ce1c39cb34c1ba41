"""Answers that an owner's people gave beforehand: wishes of a kind go or are refused without anybody."""

from __future__ import annotations

import pytest
from asked_owner import show, values, wish
from small_project import NAMES, ids, make_introduced_owner, sent

from unveil.errors import SettingError
from unveil.protocol.machine import receive, settle
from unveil.protocol.messages import AttributeEncodings, Refusal
from unveil.roles.owner.decisions import Approved
from unveil.roles.owner.ledger import REVIEW_LAYER
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Policy, StandingAnswer
from unveil.roles.owner.policy_file import PolicyFileError, parse

FIRST, LAST = frozenset({"first_name"}), frozenset({"last_name"})


def asked(*standing: StandingAnswer, marks: list[list[int]]) -> tuple[Owner, dict[bytes, dict[str, str]], list[bytes]]:
    """An owner that was asked for these attributes of its records; what went, and what was refused."""
    party = make_introduced_owner(policy=Policy(approval="review", standing=standing))
    rows = list(range(len(marks)))
    receive(party, wish(party, rows, rows, [100 + row for row in rows]))
    out = receive(party, show(party, rows, [10 + row for row in rows], marks))
    refused = [one.ids for one in sent(out) if isinstance(one, Refusal)]
    return party, values(out), refused


def test_what_fits_goes_and_the_rest_waits_for_people() -> None:
    """Wishes for the first name alone, or for nothing at all, ask for nothing but first names."""
    party, went, refused = asked(StandingAnswer(True, only=FIRST), marks=[[1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 1, 0]])
    assert {ids(10): {"first_name": "ann"}, ids(12): {}} == went
    assert [] == refused
    assert [[ids(11), ids(13)]] == [each.ids for each in party.waiting()]


def test_the_first_that_fits_counts() -> None:
    standing = (StandingAnswer(False, any=LAST), StandingAnswer(True))
    party, went, refused = asked(*standing, marks=[[1, 0, 0], [1, 1, 0]])
    assert ({ids(10)}, [ids(11)]) == (set(went), refused)
    assert [] == party.waiting()
    _, went, _ = asked(*reversed(standing), marks=[[1, 0, 0], [1, 1, 0]])
    assert {ids(10), ids(11)} == set(went)


def test_what_singles_somebody_out_waits_for_people() -> None:
    """Two are called Ann North; Bob is the only one of his name."""
    party, went, _ = asked(StandingAnswer(True, smallest_k=2), marks=[[1, 1, 0], [1, 0, 0]])
    assert {ids(10)} == set(went)
    assert [[ids(11)]] == [each.ids for each in party.waiting()]


def test_what_went_before_counts_for_how_rare_somebody_is() -> None:
    """Ann and North went; with the postcode she would be alone."""
    party = make_introduced_owner(policy=Policy(approval="review", standing=(StandingAnswer(True, smallest_k=2),)))
    receive(party, wish(party, [0, 0], [0, 1], [100, 101]))
    assert {ids(10)} == set(values(receive(party, show(party, [0], [10], [[1, 1, 0]]))))
    assert {} == values(receive(party, show(party, [1], [11], [[0, 0, 1]])))
    assert 1 == len(party.waiting())


def test_a_persons_word_counts_before_a_standing_answer() -> None:
    """Rules may change while somebody has decided already and nothing was sent yet."""
    party = make_introduced_owner(policy=Policy(approval="review"))
    receive(party, wish(party, [0, 1], [0, 1], [100, 101]))
    receive(party, show(party, [0, 1], [10, 11], [[1, 0, 0]] * 2))
    party.apply(Approved(REVIEW_LAYER, ids(10), b"\x00"))
    party.obey(Policy(approval="review", standing=(StandingAnswer(True),)))
    out = settle(party)
    assert [ids(10)] == [one.ids for one in sent(out) if isinstance(one, Refusal)]
    assert {ids(11)} == set(values(out))


def test_encoded_attributes_wait_whatever_stands() -> None:
    """Standing answers are about values that reviewers get."""
    party = make_introduced_owner(policy=Policy(approval="all", standing=(StandingAnswer(True),)))
    out = receive(party, wish(party, [0], [0], [100]))
    assert [] == [one for one in sent(out) if isinstance(one, AttributeEncodings)]
    assert 1 == len(party.waiting())


def test_standing_answers_stand_in_the_policy_file() -> None:
    text = '[[standing]]\nanswer = "approve"\nonly = ["zip"]\nsmallest_k = 4\n[[standing]]\nanswer = "refuse"\n'
    found = parse(text, names=NAMES).settings().standing
    assert (StandingAnswer(True, only=frozenset({"zip"}), smallest_k=4), StandingAnswer(False)) == found


@pytest.mark.parametrize(
    "text",
    ['answer = "yes"', 'answer = "refuse"\nany = ["nose"]', 'answer = "approve"\nonly = ["zap"]', "smallest_k = 2"],
)
def test_a_standing_answer_with_a_mistake_is_refused(text: str) -> None:
    """A name that does not exist would fit nothing, or everything."""
    with pytest.raises(PolicyFileError, match=r"standing\.0"):
        parse(f"[[standing]]\n{text}\n", names=NAMES)
    with pytest.raises(SettingError, match="not in the schema"):
        Policy(standing=(StandingAnswer(True, only=frozenset({"nose"})),)).fitted(NAMES, 6)
