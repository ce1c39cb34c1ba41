"""Advice from what was opened: what attributes are worth, and whether the encoding suits the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unveil.linkage.outcome import Outcomes
from unveil.models.advice import AttributeWorth, attribute_worth, suitability

#: Few values, so that ties are common.
pairs_with_ties = st.lists(st.tuples(st.sampled_from([0.5, 0.6, 0.7, 0.8]), st.booleans()), min_size=1, max_size=30)


def outcomes(g: list[bool], p: list[float] | None = None) -> Outcomes:
    """Outcomes from lists; sure ones if no p is given."""
    return Outcomes(np.array(g, bool), np.array(p if p is not None else [1.0] * len(g)))


def chance(similarity: list[float], match: list[bool]) -> float:
    """The share of (match, non-match) in which the match is more similar, an equal one counting half."""
    matches = [s for s, m in zip(similarity, match, strict=True) if m]
    others = [s for s, m in zip(similarity, match, strict=True) if not m]
    if not matches or not others:
        return 0.5
    return sum((a > b) + (a == b) / 2 for a in matches for b in others) / (len(matches) * len(others))


def test_worth_counts_agreement_weighed_by_probability() -> None:
    """
    Probabilities of a match are .9, .8, .3 and 0; the attribute agrees in the first and the third pair.

    m = (.9 + .3 + .5) / (2 + 1) = 1.7 / 3; u = (.1 + .7 + .5) / (2 + 1) = 1.3 / 3.
    """
    word = outcomes([True, True, False, False], [0.9, 0.8, 0.7, 1.0])
    similarity = np.array([[1.0], [0.99], [1.0], [0.0]])
    (found,) = attribute_worth(similarity, word, ("name",))
    assert "name" == found.name
    assert (1.7 / 3, 1.3 / 3) == pytest.approx((found.m, found.u))


def test_worth_leaves_out_pairs_that_lack_the_attribute() -> None:
    """A missing value neither agrees nor disagrees: only the first and the last pair count for the second attribute."""
    word = outcomes([True, True, True, False])
    similarity = np.array([[1.0, 1.0], [1.0, np.nan], [0.5, np.nan], [0.5, 0.5]])
    first, second = attribute_worth(similarity, word, ("a", "b"))
    assert (2.5 / 4, 0.5 / 2) == pytest.approx((first.m, first.u))
    assert (1.5 / 2, 0.5 / 2) == pytest.approx((second.m, second.u))


def test_attribute_that_nobody_has_is_worth_nothing() -> None:
    """Without a value there is no evidence either way."""
    (found,) = attribute_worth(np.full((3, 1), np.nan), outcomes([True, False, True]), ("a",))
    assert (0.5, 0.5, 0.0) == (found.m, found.u, found.weight)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_weight_is_positive_where_agreement_speaks_for_a_match(m: float, u: float) -> None:
    """Its sign is that of m − u."""
    assume(abs(m - u) > 1e-9)  # below, rounding decides
    weight = AttributeWorth("a", m, u).weight
    assert (m > u) == (weight > 0)
    assert weight == pytest.approx(-AttributeWorth("a", u, m).weight)


def test_weight_is_in_bits() -> None:
    """log2(.8 / .2) − log2(.2 / .8) = 2 + 2."""
    assert 4.0 == pytest.approx(AttributeWorth("a", 0.8, 0.2).weight)


@given(pairs_with_ties)
def test_suitability_is_the_chance_that_a_match_is_more_similar(pairs: list[tuple[float, bool]]) -> None:
    """Ranks must give what comparing every match with every non-match gives, ties included."""
    similarity, match = [s for s, _ in pairs], [m for _, m in pairs]
    assert chance(similarity, match) == pytest.approx(suitability(np.array(similarity), outcomes(match)))


@pytest.mark.parametrize(
    ("expected", "similarity"), [(1.0, [0.9, 0.8, 0.7, 0.6]), (0.0, [0.6, 0.7, 0.8, 0.9]), (0.5, [0.7] * 4)]
)
def test_suitability_reaches_from_always_wrong_to_always_right(expected: float, similarity: list[float]) -> None:
    """Two matches, then two non-matches; equals say nothing."""
    assert expected == suitability(np.array(similarity), outcomes([True, True, False, False]))


@pytest.mark.parametrize("match", [True, False])
def test_one_kind_of_pairs_says_nothing_about_the_encoding(match: bool) -> None:  # noqa: FBT001 - a parameter
    """There is nothing to compare, so the answer is that of a coin toss."""
    assert 0.5 == suitability(np.array([0.6, 0.9]), outcomes([match, match]))
