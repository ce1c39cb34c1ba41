"""Second opinions: two people who do not know each other's word, and a lead where they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_project import SCHEMA, A, B, ids, make_review_unit
from test_assignments import Clock, InMemory, task
from test_review_unit import ANN, ANNE, values
from test_review_unit import task as asked

from unveil.errors import Conflict
from unveil.protocol.machine import receive
from unveil.protocol.messages import Refusal, ReviewLabel
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.display import Verdict
from unveil.roles.review_unit.machine import OPENINGS_PER_PAIR, ReviewUnit
from unveil.roles.review_unit.opinions import OpinionTerms
from unveil.runtime.review_steps import ReviewSteps

EVERY_PAIR = OpinionTerms(share=1.0)


def unit(*numbers: int, terms: OpinionTerms = EVERY_PAIR) -> ReviewUnit:
    """A unit in which these pairs wait."""
    found = make_review_unit(terms=terms)
    receive(found, asked(*numbers))
    receive(found, values(A, dict.fromkeys(numbers, ANN)))
    receive(found, values(B, dict.fromkeys(numbers, ANNE)))
    return found


def team(*numbers: int, terms: OpinionTerms = EVERY_PAIR) -> tuple[ReviewSteps, InMemory]:
    """Steps of people at that unit."""
    host = InMemory(unit(*numbers, terms=terms))
    found = ReviewSteps(host, SCHEMA, clock=Clock(), gold=0.0, practice=False, chance=SeededChance(1, "people"))
    return found, host


def does(found: ReviewSteps, who: str, do: str, **more: Any) -> dict[str, Any]:
    """A step of somebody; "lee" leads."""
    step = {"task": "", "attribute": "", "stage": "", "match": None, "confidence": 6, **more}
    return found.take(who, do=do, lead=who == "lee", **step)


def says(found: ReviewSteps, who: str, match: bool | None, confidence: int = 6) -> None:  # noqa: FBT001 - a label
    """Somebody labels the pair before them and hands it in."""
    does(found, who, "label", task=task(does(found, who, "view")), match=match, confidence=confidence)
    does(found, who, "hand in")


def test_nobody_gives_both_opinions_on_a_pair() -> None:
    """Whoever gave the first sees it no more, whatever they send; a program with their token neither."""
    found, host = team(1)
    says(found, "ann", match=True)
    assert [] == host.sent
    view = does(found, "ann", "view")
    assert ("waiting", 0, 1) == (view["stage"], view["progress"]["left"], view["progress"]["elsewhere"])
    for do in ("label", "open", "skip", "undo"):
        with pytest.raises(Conflict):
            does(found, "ann", do, task=ids(1).hex(), match=True, attribute="first_name", stage="full")
    with pytest.raises(Conflict):
        host.machine.judge([Verdict(ids(1), match=True)], reviewer="ann")
    assert ids(1).hex() == task(does(found, "bob", "view"))


def test_who_gives_the_second_opinion_sees_nothing_of_the_first() -> None:
    """Neither the label nor what was opened: the pair looks as if it were new."""
    found, _ = team(1)
    view = does(found, "ann", "view")
    does(found, "ann", "open", task=task(view), attribute="first_name", stage="full")
    says(found, "ann", match=True)
    seen = does(found, "bob", "view")
    assert (view["pair"], []) == (seen["pair"], seen["opinions"])


@pytest.mark.parametrize("match", [True, False])
def test_opinions_that_agree_go_up_as_one_label_that_is_surer(match: bool) -> None:  # noqa: FBT001 - a table
    """.8 and .9 are odds of 4 and 9: together 36. One label is spent, not two."""
    found, host = team(1)
    says(found, "ann", match, 4)
    says(found, "bob", match, 5)
    (label,) = host.sent
    assert isinstance(label, ReviewLabel)
    assert (ids(1), bytes([match])) == (label.task_ids, label.g)
    assert 36 / 37 == pytest.approx(sure(label))
    assert (1, 0) == (host.machine.labels_given, host.machine.open_tasks)


def sure(label: ReviewLabel) -> float:
    return float(np.frombuffer(label.p, "<f8")[0])


def test_opinions_that_differ_go_to_a_lead_who_sees_both_and_decides() -> None:
    """Nobody else can decide it then; who was not confirmed is counted."""
    found, host = team(1)
    says(found, "ann", match=True, confidence=5)
    says(found, "bob", match=False, confidence=3)
    assert [] == host.sent
    for who in ("ann", "bob", "cleo"):
        assert "waiting" == does(found, who, "view")["stage"]
        with pytest.raises(Conflict):
            host.machine.judge([Verdict(ids(1), match=True)], reviewer=who)
    view = does(found, "lee", "view")
    assert [{"match": True, "confidence": 5}, {"match": False, "confidence": 3}] == view["opinions"]
    says(found, "lee", match=False, confidence=5)
    (label,) = host.sent
    assert (b"\x00", 0.9) == (label.g, sure(label))
    overruled = {name: done["overruled"] for name, done in found.team().items()}
    assert {"ann": 1, "bob": 0, "lee": 0} == overruled


def test_a_leads_own_label_is_final_first_or_second() -> None:
    """So that a project with one lead cannot come to a standstill."""
    found, host = team(1)
    says(found, "lee", match=True)
    assert [b"\x01"] == [message.g for message in host.sent]
    found, host = team(1)
    says(found, "ann", match=True)
    says(found, "lee", match=False)
    assert [b"\x00"] == [message.g for message in host.sent]


def test_whoever_leads_no_more_decides_no_more_and_keeps_no_draft_of_it() -> None:
    found, host = team(1)
    says(found, "ann", match=True)
    says(found, "bob", match=False)
    does(found, "lee", "label", task=task(does(found, "lee", "view")), match=True)
    view = found.take("lee", do="view", task="", attribute="", stage="", match=None, confidence=6)
    assert ("waiting", []) == (view["stage"], view["drafts"])
    assert 1 == host.machine.open_tasks


def test_two_unsure_ones_send_the_pair_back_and_one_asks_a_lead() -> None:
    """Unsure spends no label, and is an opinion like others."""
    found, host = team(1, 2)
    says(found, "ann", match=None)
    says(found, "bob", match=None)
    assert [Refusal(ids(1))] == host.sent
    says(found, "ann", match=None)
    says(found, "bob", match=True)
    assert {ids(2)} == host.machine.opinions.for_lead


@pytest.mark.parametrize(
    ("terms", "match", "confidence", "asked_again"),
    [
        (OpinionTerms(), None, 1, False),
        (OpinionTerms(below=0.8), True, 4, False),
        (OpinionTerms(below=0.8), True, 3, True),
        (OpinionTerms(below=0.8), None, 6, True),
        (OpinionTerms(share=1.0), True, 6, True),
    ],
)
def test_unsure_labels_ask_for_a_second_opinion_where_the_project_says_so(
    terms: OpinionTerms,
    match: bool | None,  # noqa: FBT001 - a table
    confidence: int,
    asked_again: bool,  # noqa: FBT001 - a table
) -> None:
    """By default nothing does."""
    found, host = team(1, terms=terms)
    says(found, "ann", match, confidence)
    assert asked_again == bool(host.machine.opinions.on(ids(1))) == (not host.sent)


def test_a_share_of_pairs_is_drawn_by_lot() -> None:
    """About as many as the project file says, and nobody can tell before which."""
    count = 400
    found = unit(*range(1, count + 1), terms=OpinionTerms(share=0.25))
    step = found.judge([Verdict(pair.task_id, match=True) for pair in found.pending()], reviewer="ann")
    found.apply(step.decision)
    assert 70 < len(found.pending()) < 130


def test_every_further_look_may_open_as_much_as_the_first() -> None:
    """And no more: the budget follows from what the log says was asked, not from who asks."""
    found, host = team(1)
    before = host.machine.openings_left
    says(found, "ann", match=True)
    assert before + OPENINGS_PER_PAIR == host.machine.openings_left
    says(found, "bob", match=False)
    assert before + 2 * OPENINGS_PER_PAIR == host.machine.openings_left
    says(found, "lee", match=False)
    assert before + 2 * OPENINGS_PER_PAIR == host.machine.openings_left


steps_of_people = st.tuples(
    st.sampled_from(["ann", "bob", "lee"]),
    st.sampled_from(["view", "label", "undo", "skip", "open", "hand in"]),
    st.integers(1, 4),
    st.sampled_from([True, False, None]),
)


@given(st.lists(steps_of_people, max_size=60))
@settings(max_examples=60, deadline=None)
def test_in_any_order_of_steps_opinions_are_two_peoples_and_each_pair_goes_up_once(
    done: list[tuple[str, str, int, bool | None]],
) -> None:
    """And what is final was said by two people alike, or by a lead."""
    found, host = team(1, 2, 3, 4)
    said: dict[bytes, list[tuple[str, bool | None]]] = {}
    for who, do, number, match in done:
        before = dict(host.machine.assigned.drafts)
        try:
            does(found, who, do, task=ids(number).hex(), match=match, attribute="first_name", stage="full")
        except Conflict:
            continue
        if do == "hand in":
            for task_id, draft in before.items():
                if draft.reviewer == who.encode():
                    said.setdefault(task_id, []).append((who, draft.match))
    for task_id, opinions in said.items():
        assert len(opinions) == len({who for who, _ in opinions})
        final = host.machine.decided(task_id)
        if final is not None:
            assert [who for who, match in opinions if match == final.match][1:] or final.reviewer == b"lee"
    sent = b"".join(m.task_ids if isinstance(m, ReviewLabel) else m.ids for m in host.sent)
    up = [sent[at : at + 16] for at in range(0, len(sent), 16)]
    assert sorted(up) == sorted(task_id for task_id in said if host.machine.decided(task_id))
