"""Levels of agreement: which one a value is on, what it weighs, and what the pairs at hand teach about it."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.outcome import Flags, Reals
from unveil.models.levels import (
    EQUAL,
    KIN,
    KINDS,
    LEVELS,
    KnownShares,
    Levels,
    Shares,
    _tempered,
    adapted,
    levels,
    rising,
    summed,
    weights,
)

NAN = float("nan")
seeds = st.integers(0, 2**32 - 1)


def known(match: Reals, other: Reals, firm: float = 5_000.0) -> KnownShares:
    """These shares, kin like any other pairs that are no matches; of matches and of others worth so many pairs."""
    worth = np.array([firm, KIN * firm, (1 - KIN) * firm])
    return KnownShares(np.stack([match, other, other]), np.repeat(worth[:, None], len(match), axis=1))


def shares_after(found: Levels, odds: Reals, match: Reals, other: Reals) -> tuple[Reals, Reals]:
    """The shares of matches and of others after a look at the pairs."""
    after = adapted(found, odds, known(match, other))
    np.testing.assert_array_less(0, after.shares)
    return after.shares[0], after.kin * after.shares[1] + (1 - after.kin) * after.shares[2]


def shift_where(share: float) -> float:
    """What is added to log odds from above that take half for matches, where so many agree in all attributes."""
    rng = np.random.default_rng(1)
    match, other = np.full((4, LEVELS), 0.01), np.full((4, LEVELS), 0.01)
    match[:, -1], other[:, 1] = 0.9, 0.9
    match, other = match / match.sum(axis=1, keepdims=True), other / other.sum(axis=1, keepdims=True)
    is_match = rng.random(2000) < share
    found = np.where(is_match[:, None] & (rng.random((2000, 4)) < 0.95), LEVELS - 1, 1)
    return adapted(found, np.zeros(2000), known(match, other)).shift


def test_log_odds_from_above_are_shifted_to_fewer_matches_sooner_than_to_more() -> None:
    """What is above rests on counts: attributes may say that some of it are kin, and hardly that there is far more."""
    assert -4 < shift_where(0.02) < -2.5
    assert 0 == pytest.approx(shift_where(0.5), abs=0.2)
    assert 0 < shift_where(0.6) < 0.1
    assert 0.1 < shift_where(0.98) < 0.2


@given(st.lists(st.floats(-8, 8), min_size=1, max_size=60))
def test_odds_that_say_less_give_as_many_matches_as_before(odds: list[float]) -> None:
    """Each is drawn towards a coin toss, and all together are moved back."""
    before = np.clip(np.array(odds), -6, 6)
    after = _tempered(np.array(odds))
    chance = [1 / (1 + np.exp(-one)) for one in (before, after)]
    assert chance[0].sum() == pytest.approx(chance[1].sum(), abs=1e-6)
    assert np.ptp(after) <= np.ptp(before)


def test_a_few_pairs_hardly_shift_the_log_odds_from_above() -> None:
    """Two pairs that differ everywhere are no reason to think that nobody is shared."""
    match, other = np.full((2, LEVELS), 1 / LEVELS), np.full((2, LEVELS), 1 / LEVELS)
    other[:, 1] *= 20
    shift = adapted(np.ones((2, 2), np.int64), np.zeros(2), known(match, other)).shift
    assert -1 < shift < -0.1


def test_what_is_known_is_worth_as_many_pairs_as_it_says() -> None:
    """Where worlds differ much in a role, the pairs at hand soon outweigh what was known of it."""
    before = np.full((2, LEVELS), 1 / LEVELS)
    firm = np.array([[10.0, 10_000.0]] * len(KINDS))
    found = np.full((1_000, 2), 7)
    after = adapted(found, np.full(1_000, 6.0), KnownShares(np.stack([before] * len(KINDS)), firm))
    assert after.shares[0, 0, 7] > 0.95
    assert after.shares[0, 1, 7] < 0.2


def shares(rng: np.random.Generator, attributes: int, evenness: float = 0.5) -> Reals:
    """Shares of the levels, a row for each attribute; far from even where evenness is small, and never 0."""
    return rng.dirichlet(np.full(LEVELS, evenness), attributes) * 0.999 + 0.001 / LEVELS


@pytest.mark.parametrize(
    ("expected", "similarity", "agreement"),
    [
        (0, NAN, 0), (0, NAN, 3),  # missing, whatever the class
        (1, 0.0, 0), (1, 0.2499, 0), (2, 0.25, 0), (2, 0.3499, 0), (3, 0.35, 0), (3, 0.4499, 0),
        (4, 0.45, 0), (4, 0.5499, 0), (5, 0.55, 0), (6, 0.65, 0), (6, 0.7499, 0),
        (7, 0.75, 0), (8, 0.85, 0), (8, 0.9989, 0), (9, 0.999, 0), (9, 1.0, 0),
        (10, 1.0, 1), (11, 1.0, 2), (12, 1.0, 3), (12, 1.0, 200),
        (8, 0.9, 3),  # a class without equality says nothing
    ],
)  # fmt: skip
def test_levels_begin_at_their_bounds(expected: int, similarity: float, agreement: int) -> None:
    """Missing, eight levels of likeness, equal, and equal with a frequent, common or rare value."""
    found = levels(np.array([[similarity]]), np.array([[agreement]], np.uint8))
    assert [[expected]] == found.tolist()


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 3), st.integers(0, 3))
def test_more_agreement_is_never_a_lower_level(one: float, other: float, first: int, second: int) -> None:
    """Neither through a higher similarity nor, at equality, through a rarer value."""
    similarity, agreement = np.array([sorted([one, other])]), np.array([sorted([first, second])], np.uint8)
    low, high = levels(similarity, np.zeros((1, 2), np.uint8))[0].tolist()
    assert 1 <= low <= high < LEVELS
    low, high = levels(np.ones((1, 2)), agreement)[0].tolist()
    assert EQUAL <= low <= high < LEVELS


@given(seeds, st.integers(1, 5), st.sampled_from([0.05, 0.5, 5.0]))
@settings(max_examples=60)
def test_weights_never_fall_with_agreement_and_gaps_speak_for_nobody(seed: int, count: int, even: float) -> None:
    """For any shares whatever: chance, or somebody who means harm, may put any into the pairs."""
    rng = np.random.default_rng(seed)
    found = weights(shares(rng, count, even), shares(rng, count, even))
    assert np.isfinite(found).all()
    assert (np.diff(found[:, 1:], axis=1) >= 0).all()
    assert (found[:, 1] <= 0).all()
    assert (found[:, 0] >= found[:, 1]).all()
    assert (found[:, 0] <= np.minimum(found[:, -1], 0)).all()


def test_weights_are_the_logarithm_of_the_ratio_where_it_rises() -> None:
    """As Fellegi and Sunter have it; a ratio that falls is evened out with its neighbours, by how often they occur."""
    match = np.array([[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.1, 0.1, 0.1]])
    other = np.array([[0.1, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0.03, 0.03, 0.03, 0.03, 0.015, 0.015]])
    found = weights(match, other)[0]
    falling = [log(1 / 8), log(1 / 6), log(1 / 4), log(1 / 2)]
    assert [0.0, *falling, 0.0, log(2)] == pytest.approx(found[:7].tolist())
    mean = (0.13 * log(10 / 3) + 2 * 0.08 * log(5 / 3)) / (0.13 + 2 * 0.08)
    assert [mean] * 3 == pytest.approx(found[7:10].tolist())
    assert [log(10 / 3), log(20 / 3), log(20 / 3)] == pytest.approx(found[10:].tolist())


@pytest.mark.parametrize(("ratio", "expected"), [(500.0, 0.0), (1.5, 0.0), (0.7, log(0.7)), (0.002, log(0.5))])
def test_a_missing_value_weighs_no_more_than_nothing_and_no_less_than_the_worst(ratio: float, expected: float) -> None:
    """Leaving something out must never speak for a match, nor be worse than differing."""
    match, other = np.full((1, LEVELS), 0.05), np.full((1, LEVELS), 0.05)
    other[0, 1] = match[0, -1] = 0.1
    match[0, 0] = ratio * other[0, 0]
    assert expected == pytest.approx(weights(match, other)[0, 0])


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=6))
def test_rising_values_are_the_nearest(pairs: list[tuple[int, int]]) -> None:
    """Max over starts of min over ends of weighted means: the textbook formula for them."""
    values, weight = np.array(pairs, np.float64).T
    count = len(values)
    means = [[np.average(values[i : j + 1], weights=weight[i : j + 1]) for j in range(i, count)] for i in range(count)]
    expected = [max(min(means[i][k - i :]) for i in range(k + 1)) for k in range(count)]
    assert expected == pytest.approx(rising(values, weight).tolist())


def test_each_attribute_weighs_what_its_level_says() -> None:
    """Two attributes, two pairs."""
    weight = np.arange(2.0 * LEVELS).reshape(2, LEVELS)
    assert [[0.0, 15.0], [5.0, 25.0]] == summed(weight, np.array([[0, 2], [5, 12]])).tolist()


def test_shares_come_in_the_order_of_the_attributes() -> None:
    """Two attributes may have the same role."""
    rows = {name: np.array([[one], [one + 0.2], [one + 0.4]]) for name, one in (("a", 0.1), ("b", 0.2))}
    firm = {"a": np.array([1.0, 2.0, 5.0]), "b": np.array([3.0, 4.0, 6.0])}
    found = Shares(rows, firm).of(["b", "a", "b"])
    expected = [[0.2, 0.1, 0.2], [0.4, 0.3, 0.4], [0.6, 0.5, 0.6]]
    np.testing.assert_allclose(expected, found.shares[:, :, 0])
    expected = [[3, 1, 3], [4, 2, 4], [6, 5, 6]]
    np.testing.assert_allclose(expected, 3 * found.firm / found.firm[0, 0])


# What the pairs at hand teach


def drawn(true: tuple[Reals, Reals], count: int, rng: np.random.Generator) -> tuple[Levels, Flags]:
    """Levels of so many pairs, half of them matches, and which."""
    is_match = np.arange(count) % 2 == 0
    found = np.empty((count, len(true[0])), np.int64)
    for at in range(found.shape[1]):
        for kind, chosen in zip(true, (is_match, ~is_match), strict=True):
            found[chosen, at] = rng.choice(LEVELS, int(chosen.sum()), p=kind[at] / kind[at].sum())
    return found, is_match


def test_shares_are_recovered_from_pairs_that_are_clear_from_above() -> None:
    """200,000 of them, which outweigh the 5,000 that the prior is worth, though clear ones count in part for others."""
    rng = np.random.default_rng(1)
    true, before = (shares(rng, 3, 2.0), shares(rng, 3, 2.0)), (shares(rng, 3, 2.0), shares(rng, 3, 2.0))
    found, is_match = drawn(true, 200_000, rng)
    after = shares_after(found, np.where(is_match, 6.0, -6.0), *before)
    for expected, prior, actual in zip(true, before, after, strict=True):
        assert np.abs(actual - expected).max() < 0.3 * np.abs(prior - expected).max()
        assert np.abs(prior - expected).max() > 0.1


def test_shares_are_recovered_without_a_word_from_above() -> None:
    """From the levels alone, where attributes tell matches from others: what is clear by some teaches the rest."""
    rng = np.random.default_rng(2)
    up, down = np.geomspace(1, 40, LEVELS), np.geomspace(40, 1, LEVELS)
    true = np.tile(up / up.sum(), (5, 1)), np.tile(down / down.sum(), (5, 1))
    flat = tuple(0.5 * kind + 0.5 / LEVELS for kind in true)
    found, _ = drawn(true, 20_000, rng)
    after = shares_after(found, np.zeros(len(found)), flat[0], flat[1])
    for expected, prior, actual in zip(true, flat, after, strict=True):
        assert np.abs(actual - expected).max() < 0.4 * np.abs(prior - expected).max()


@given(seeds, st.integers(0, 20))
@settings(max_examples=25)
def test_few_pairs_leave_what_was_known_about_as_it_was(seed: int, count: int) -> None:
    """Twenty pairs against the worth of 5,000: no share moves by more than a twentieth, and none becomes 0."""
    rng = np.random.default_rng(seed)
    before = shares(rng, 2), shares(rng, 2)
    found = rng.integers(0, LEVELS, (count, 2))
    for prior, actual in zip(before, shares_after(found, rng.normal(0, 5, count), *before), strict=True):
        assert np.abs(actual - prior).max() <= 0.05
        assert (actual > 0).all()
        assert pytest.approx(prior.sum(axis=1)) == actual.sum(axis=1)


def test_a_pair_counts_for_the_kind_that_it_seems_to_be() -> None:
    """Clear matches move the shares of matches, clear others those of others."""
    before = np.full((1, LEVELS), 1 / LEVELS), np.full((1, LEVELS), 1 / LEVELS)
    found = np.full((5_000, 1), 7)
    for odds, moved, unmoved in ((6.0, 0, 1), (-6.0, 1, 0)):
        after = shares_after(found, np.full(5_000, odds), *before)
        assert 0.5 * (1 / LEVELS + 1) == pytest.approx(after[moved][0, 7], abs=0.01)
        assert 1 / LEVELS == pytest.approx(after[unmoved][0, 7], abs=0.01)


def test_a_word_from_above_counts_no_more_than_the_farthest() -> None:
    """A unit that is sure beyond all measure teaches no more than one that is sure."""
    rng = np.random.default_rng(3)
    before, found = (shares(rng, 2), shares(rng, 2)), rng.integers(0, LEVELS, (50, 2))
    odds = rng.choice([-1.0, 1.0], 50)
    for one, other in zip(
        shares_after(found, 6 * odds, *before), shares_after(found, 600 * odds, *before), strict=True
    ):
        np.testing.assert_array_equal(one, other)
