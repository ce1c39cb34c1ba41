"""How much a reviewer's labels count, by how often they err on pairs whose answers are known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_project import ids
from test_assignments import task
from test_second_opinions import EVERY_PAIR, does, says, sure, team

from unveil.errors import Conflict
from unveil.protocol.machine import Step
from unveil.roles.review_unit.assignments import GoldScore
from unveil.roles.review_unit.decisions import Practised
from unveil.roles.review_unit.opinions import ONE_OPINION
from unveil.roles.review_unit.trust import EXPECTED, NO_BETTER_THAN_CHANCE, estimated_error, is_used, weighed


@pytest.mark.parametrize(
    ("pairs", "wrong", "error"), [(0, 0, 0.2), (10, 0, 0.1), (10, 10, 0.6), (40, 10, 0.24), (10**6, 10**6, 1.0)]
)
def test_an_error_is_estimated_as_if_ten_pairs_had_been_seen_before(pairs: int, wrong: int, error: float) -> None:
    """Up to 1: somebody who is always wrong is found out."""
    assert error == pytest.approx(estimated_error(pairs, wrong), abs=1e-4)


@given(st.floats(0.5, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_who_errs_more_counts_less_and_nobody_counts_for_more_than_they_said(p: float, one: float, two: float) -> None:
    """Between a coin and what was said; whoever errs no more than is expected counts in full."""
    low, high = sorted((one, two))
    assert 0.5 <= weighed(p, high) <= weighed(p, low) <= p
    assert p == pytest.approx(weighed(p, min(low, EXPECTED))) == pytest.approx(weighed(p, None))
    assert 0.5 == weighed(p, max(high, 0.5))


@pytest.mark.parametrize(("gold", "expected"), [(GoldScore(10, 0), 1.0), (GoldScore(10, 4), 0.5 + 0.5 * 0.4 / 0.6)])
def test_labels_go_up_weighed_by_their_reviewers_error(gold: GoldScore, expected: float) -> None:
    """Four of ten wrong: an error of .3, two thirds of the weight. The log keeps what was said."""
    found, host = team(1, terms=ONE_OPINION)
    host.machine.assigned.scores[b"ann"] = gold
    says(found, "ann", match=True)
    assert expected == pytest.approx(sure(host.sent[0]))
    said = host.machine.decided(ids(1))
    assert said is not None
    assert 1.0 == said.p


def test_two_opinions_are_weighed_each_by_its_own_error() -> None:
    """Of odds 9 and 9, one of somebody whose labels count two thirds: .9 is worth .5 + .4 · 2 / 3."""
    found, host = team(1, terms=EVERY_PAIR)
    host.machine.assigned.scores[b"ann"] = GoldScore(10, 4)
    says(found, "ann", match=True, confidence=5)
    says(found, "bob", match=True, confidence=5)
    ann = 0.5 + 0.4 * 2 / 3
    assert ann * 0.9 / (ann * 0.9 + (1 - ann) * 0.1) == pytest.approx(sure(host.sent[0]))


def test_labels_that_are_no_better_than_chance_are_not_used_and_somebody_else_is_asked() -> None:
    """It is reported, the pair is not lost, and they do not get it again; nor is it an opinion beside another."""
    found, host = team(1, terms=EVERY_PAIR)
    host.machine.assigned.scores[b"ann"] = GoldScore(30, 20)
    assert not is_used(host.machine.assigned.error(b"ann"))
    says(found, "ann", match=True)
    assert ([], ()) == (host.sent, host.machine.opinions.on(ids(1)))
    assert "waiting" == does(found, "ann", "view")["stage"]
    with pytest.raises(Conflict):
        does(found, "ann", "label", task=ids(1).hex(), match=True)
    says(found, "bob", match=False)
    says(found, "cleo", match=False)
    assert b"\x00" == host.sent[0].g
    ann = found.team()["ann"]
    assert (False, 1, 0) == (ann["used"], ann["unused"], ann["overruled"])
    assert NO_BETTER_THAN_CHANCE <= ann["error"] == pytest.approx(22 / 40)


def test_practice_counts_beside_made_up_pairs_among_real_ones() -> None:
    """Two of eight wrong in practice, none of five later: 4 of 23."""
    found, host = team(1)
    host.machine.apply(Step(Practised(8, 6, b"ann")).decision)
    assert 4 / 18 == pytest.approx(host.machine.assigned.error(b"ann") or 0)
    host.machine.assigned.scores[b"ann"] = GoldScore(5, 0)
    assert 4 / 23 == pytest.approx(found.team()["ann"]["error"])
    assert ids(1).hex() == task(does(found, "ann", "view"))
