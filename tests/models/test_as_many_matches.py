"""Log odds are moved to as many matches as there are pairs beyond strangers, as far as that is certain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import STEPS, Tail
from unveil.models.as_many_matches import as_many_matches, counted

MIDDLE, FROM = 0.2, 60  # of similarity; the lowest step that is counted
seeds = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Made:
    """Pairs made by hand: how alike they are, which are matches, log odds that are right, and the tail."""

    step: NDArray[np.int64]
    is_match: Flags
    odds: Reals
    tail: Tail

    @property
    def similarity(self) -> Reals:
        """In the middle of each step."""
        return np.minimum(1.0, MIDDLE + (1 - MIDDLE) * (self.step + 0.5) / STEPS)

    def matches(self, odds: Reals) -> float:
        """How many matches these log odds give."""
        return float(chance(odds).sum())

    def moved(self, odds: Reals) -> Reals:
        """The same, moved by the counts."""
        return as_many_matches(odds, self.tail, self.similarity)


def chance(odds: Reals) -> Reals:
    return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


def reaching(counts: Reals) -> Reals:
    return counts[::-1].cumsum()[::-1]


def made(matches: int = 1000, strangers: int = 4000, c: float = 0.2, worth: float = 1.0, seed: int = 1) -> Made:
    """Matches are mostly far more alike than strangers; A = S + M across and H = S + c·M at home."""
    rng = np.random.default_rng(seed)
    above = np.clip(rng.normal(150, 30, matches), FROM, STEPS).astype(np.int64)
    below = np.clip(FROM + rng.exponential(12, strangers), FROM, 180).astype(np.int64)
    m, s = (np.bincount(one, minlength=STEPS + 1).astype(np.float64) for one in (above, below))
    tail = Tail(MIDDLE, reaching(s + m), np.stack([reaching(s + c * m)] * 2), np.full(2, worth))
    step = np.concatenate([above, below])
    spread = (np.convolve(one, np.full(9, 1 / 9), "same") + 0.05 for one in (m, s))
    right = np.log(next(spread) / next(spread))[step]
    return Made(step, np.arange(len(step)) < matches, right, tail)


@pytest.mark.parametrize("c", [0.0, 0.2, 0.6])
def test_the_counts_say_how_many_matches_there_are_at_every_similarity(c: float) -> None:
    """M = (A − H) / (1 − c), though neither M nor c is given."""
    some = made(c=c)
    found = counted(some.tail, some.step, some.is_match.astype(np.float64))
    assert found is not None
    bins = np.bincount(found.bin_of(some.step[some.is_match]), minlength=len(found.lowest))
    np.testing.assert_allclose(found.matches, bins, atol=1e-6)
    assert 1000 == bins.sum()
    assert 8 <= len(bins) <= 12
    assert (found.variance > 0).all()


def test_of_two_registers_the_one_with_fewer_second_entries_tells_more() -> None:
    """One has five entries of everybody and hides all matches: the other is heard alone."""
    some = made(c=0.1)
    hidden = some.tail.at_home[0] + 4 * some.tail.across
    tail = Tail(MIDDLE, some.tail.across, np.stack([some.tail.at_home[0], hidden]), np.ones(2))
    one = counted(tail, some.step, some.is_match.astype(np.float64))
    both = counted(some.tail, some.step, some.is_match.astype(np.float64))
    assert one is not None
    assert both is not None
    np.testing.assert_allclose(both.matches, one.matches)


@pytest.mark.parametrize("shift", [-3.0, -2.0, 2.0, 3.0])
@pytest.mark.parametrize(("c", "left"), [(0.0, 0.5), (0.3, 0.75)])
def test_far_too_many_matches_become_fewer_and_too_few_become_more(shift: float, c: float, left: float) -> None:
    """Most of what is wrong is put right, less where strangers and second entries leave it uncertain: 1,000 match."""
    some = made(c=c)
    before, after = (some.matches(odds) - 1000 for odds in (some.odds + shift, some.moved(some.odds + shift)))
    assert abs(before) > 200
    assert before * after > 0 or abs(after) < 50
    assert abs(after) < left * abs(before)


@pytest.mark.parametrize("odds", [-2.5, 0.0])
def test_where_no_stranger_is_as_alike_nearly_all_pairs_become_matches(odds: float) -> None:
    """Nobody at home is alike like that: all thousand match, though their odds gave a twelfth or half of them."""
    some = made(1000, 0, c=0.0)
    before = odds + np.random.default_rng(2).normal(0, 0.5, 1000)
    assert some.matches(before) < 550
    assert 850 < some.matches(some.moved(before)) < 1050


def test_log_odds_that_give_as_many_matches_as_there_are_stay_about_as_they_were() -> None:
    some = made()
    assert 1000 == pytest.approx(some.matches(some.odds), rel=0.03)
    assert np.abs(chance(some.moved(some.odds)) - chance(some.odds)).max() < 0.03


@pytest.mark.parametrize(("matches", "strangers"), [(2, 4), (5, 0), (0, 8)])
def test_few_pairs_move_nothing(matches: int, strangers: int) -> None:
    """Any count may be off by two or three, so that ten pairs tell nothing about odds."""
    some = made(matches, strangers, c=0.0)
    for shift in (-1.0, 1.0):
        odds = np.where(some.is_match, 1.0, -1.0) + shift
        assert np.abs(some.moved(odds) - odds).max() < 0.35
        found = counted(some.tail, some.step, chance(odds))
        assert found is not None
        assert (found.variance >= 4).all()


def test_where_second_entries_hide_the_matches_nothing_is_moved() -> None:
    """As many pairs like matches at home as across say nothing of how many are matches; nearly as many hardly do."""
    for c, most in ((1.0, 1e-12), (2.0, 1e-12), (0.93, 0.5)):
        some = made(c=c)
        assert np.abs(some.moved(some.odds + 2.0) - some.odds - 2.0).max() <= most
    certain = made(c=0.1)
    assert np.abs(certain.moved(certain.odds + 2.0) - certain.odds - 2.0).max() > 1.0


def test_a_sample_of_a_register_is_heard_less_than_all_of_it() -> None:
    """Each pair found stands for many, and chance counts as often."""
    found = [
        counted(some.tail, some.step, some.is_match.astype(np.float64))
        for some in (made(c=0.0), made(c=0.0, worth=30.0))
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert (found[1].variance > found[0].variance).all()


def test_pairs_below_what_was_counted_have_no_say_but_are_moved_with_the_rest() -> None:
    """Candidates of the blocking keys may be less alike than any pair that was counted."""
    some = made()
    below = np.full(500, FROM - 10)
    step = np.concatenate([some.step, below])
    more = Made(
        step, np.append(some.is_match, np.zeros(500, bool)), np.append(some.odds, np.full(500, -1.0)), some.tail
    )
    np.testing.assert_array_equal(some.moved(some.odds + 2), more.moved(more.odds + 2)[: len(some.step)])
    assert (more.moved(more.odds + 2)[len(some.step) :] < 1.0).all()


def test_without_a_tail_or_without_pairs_log_odds_are_as_they_were() -> None:
    """Registers were not looked into, or there is nobody."""
    some = made()
    np.testing.assert_array_equal(some.odds, as_many_matches(some.odds, None, some.similarity))
    assert 0 == len(as_many_matches(np.empty(0), some.tail, np.empty(0)))
    nothing = np.zeros(STEPS + 1)
    empty = Tail(MIDDLE, nothing, np.stack([nothing] * 2), np.ones(2))
    assert np.isfinite(as_many_matches(some.odds, empty, some.similarity)).all()


def test_log_odds_that_are_upside_down_keep_their_order() -> None:
    """Many pairs say that what is more alike is the match, and odds the opposite: they lose weight, not their sign."""
    some = made(40_000, 40_000, c=0.0)
    odds = -some.odds
    moved = some.moved(odds)
    assert np.ptp(moved) < 0.6 * np.ptp(odds)
    assert (np.diff(moved[np.argsort(odds)]) >= 0).all()
    assert np.ptp(moved) > 0.25 * np.ptp(odds)


def anything(rng: np.random.Generator) -> Reals:
    """Counts that nobody expects, though as many reach a step as the next one or more."""
    size = rng.choice([0.0, 1.0, 100.0, 1e6])
    return reaching(np.round(size * rng.random(STEPS + 1) ** rng.choice([0.2, 1, 20])) * (rng.random(STEPS + 1) < 0.5))


@given(seeds, st.integers(1, 60))
@settings(max_examples=200)
def test_whatever_was_counted_moved_log_odds_are_finite_and_in_their_old_order(seed: int, count: int) -> None:
    """No counts make a pair that is more of a match less of one."""
    rng = np.random.default_rng(seed)
    tail = Tail(
        rng.uniform(0, 0.9), anything(rng), np.stack([anything(rng), anything(rng)]), 10 ** rng.uniform(-2, 4, 2)
    )
    odds = np.sort(rng.normal(rng.uniform(-9, 9), rng.choice([0.0, 1.0, 30.0]), count))
    moved = as_many_matches(odds, tail, rng.random(count) ** 0.3)
    assert np.isfinite(moved).all()
    assert (np.diff(moved)[np.diff(odds) > 1e-6] > 0).all()
    assert (np.diff(moved) >= 0).all()
