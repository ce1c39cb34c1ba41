"""Quality without truth: right where the probabilities are, and an interval that holds the truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.estimate import Candidates, barely_alike, estimated_quality
from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import STEPS, Comparison, Pairs, Tail


def candidates(odds: Reals, **other: Any) -> Candidates:
    """Candidates that agree on all keys, are alike enough and were never doubted, so that hardly any are lost."""
    every = np.ones(len(odds), bool)
    usual = Candidates(odds, every, odds > 0, every, every, thought=np.full(len(odds), 30.0), barely=~every)
    return replace(usual, **other)


def truth_of(odds: Reals, rng: np.random.Generator) -> Flags:
    """Matches, drawn with the very probabilities that the odds claim."""
    drawn: Flags = rng.random(len(odds)) < 1 / (1 + np.exp(-odds))
    return drawn


def true_quality(linked: Flags, truth: Flags) -> tuple[float, float, float]:
    both = int((linked & truth).sum())
    return both / linked.sum(), both / truth.sum(), 2 * both / (linked.sum() + truth.sum())


def test_calibrated_probabilities_give_the_true_quality() -> None:
    """
    In 50 drawn worlds the interval holds the truth in at least 45, and the mean error of the point is nil.

    Far pairs are opened here: of those that are not, log odds are known to say too much.
    """
    held, off = np.zeros(3), []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        odds = np.concatenate([rng.normal(4, 2.5, 600), rng.normal(-5, 2, 3000)])
        pairs = candidates(odds, opened=(np.abs(odds) < 2) | (odds < 0))
        found = estimated_quality(pairs)
        true = true_quality(pairs.linked, truth_of(odds, rng))
        for i, (low, point, high) in enumerate((found.precision, found.recall, found.f1)):
            held[i] += low <= true[i] <= high
            off.append((i, point - true[i]))
    assert (held >= 45).all()
    for i in range(3):
        assert 0 == pytest.approx(np.mean([error for which, error in off if which == i]), abs=0.004)


def test_the_point_is_the_expected_count() -> None:
    """By hand: .9 and .8 linked, .3 not: 1.7 of 2 links are right, 1.7 of 2.0 matches found."""
    p = np.array([0.9, 0.8, 0.3])
    found = estimated_quality(candidates(np.log(p / (1 - p))))
    points = [one[1] for one in (found.precision, found.recall, found.f1)]
    assert [1.7 / 2, 1.7 / 2.0, 3.4 / 4.0] == pytest.approx(points)


def test_matches_lost_in_blocking_lower_recall_and_not_precision() -> None:
    """80 matches agree on both, 10 on the first only, 20 on the others only: six tenths of √200 may be lost."""
    sure = np.full(110, 30.0)
    first, others = np.arange(110) < 90, (np.arange(110) < 80) | (np.arange(110) >= 90)
    found = estimated_quality(candidates(sure, one_way=first, other_way=others))
    assert (1.0, 1.0) == pytest.approx(found.precision[1:])
    assert 110 / (110 + 0.6 * 200**0.5) == pytest.approx(found.recall[1])
    assert found.recall[0] < 110 / (110 + 1.5 * 200**0.5) + 1e-9
    assert 1.0 == pytest.approx(found.recall[2])


def test_one_way_alone_cannot_tell_what_it_lost() -> None:
    """A share of all matches is allowed for, in the interval and in the point."""
    found = estimated_quality(candidates(np.full(100, 30.0), other_way=np.zeros(100, bool)))
    assert 1 / 1.05 == pytest.approx(found.recall[1])
    assert found.recall[0] < 1 / 1.12 + 1e-9


def test_where_matches_are_hardly_found_others_are_not() -> None:
    """By hand: 30 of 100 matches are hardly alike enough, and 20 were doubted by half before anything was learnt."""
    some = np.arange(100)
    found = estimated_quality(candidates(np.full(100, 30.0), barely=some < 30, thought=np.where(some < 20, 0.0, 30.0)))
    assert 100 / (100 + 0.05 * 30 + 0.15 * 10) == pytest.approx(found.recall[1])
    assert 1.0 == pytest.approx(found.precision[1])


@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
@settings(max_examples=60)
def test_no_sign_of_lost_matches_raises_recall(seed: int, n: int) -> None:
    """A pair that is hardly alike enough, or was doubted, where it was not before."""
    rng = np.random.default_rng(seed)
    odds, thought, barely = rng.normal(0, 5, n), rng.normal(0, 5, n), rng.random(n) < 0.5
    one, other = rng.random(n) < 0.8, rng.random(n) < 0.8
    before = candidates(odds, one_way=one, other_way=other, thought=thought, barely=barely)
    worse = candidates(
        odds,
        one_way=one,
        other_way=other,
        thought=thought - rng.exponential(1, n),
        barely=barely | (rng.random(n) < 0.5),
    )
    found, after = estimated_quality(before), estimated_quality(worse)
    assert after.recall[1] <= found.recall[1] + 1e-12
    assert found.precision[1] == pytest.approx(after.precision[1])


def test_pairs_are_hardly_alike_enough_only_where_neighbours_were_looked_for() -> None:
    """From the lowest step that was counted upward."""
    similarity = np.array([0.5, 0.52, 0.6, 0.9])
    rows = np.arange(4, dtype=np.int32)
    across = np.zeros(STEPS + 1)
    across[: 1 + 10] = 4  # everything counted reaches step 10
    tail = Tail(0.45, across, np.zeros((2, STEPS + 1)), np.ones(2))
    found = Comparison(Pairs(rows, rows, similarity), 4, near=np.ones(4, bool), tail=tail)
    assert 10 == tail.lowest
    assert (tail.step(similarity) < 22).tolist() == barely_alike(found).tolist() == [True, False, False, False]
    assert not barely_alike(replace(found, near=None)).any()
    assert not barely_alike(replace(found, tail=None)).any()


def test_few_links_are_less_certain_than_many() -> None:
    """What chance does to ten pairs it does not do to a thousand."""
    few, many = (estimated_quality(candidates(np.full(n, 2.0))).precision for n in (10, 1000))
    assert few[2] - few[0] > many[2] - many[0] + 0.05


def test_pairs_far_from_a_match_add_up_to_few() -> None:
    """A hundred thousand pairs at odds of one in a thousand would be a hundred matches, and are about ten."""
    odds = np.concatenate([np.full(1000, 8.0), np.full(100_000, -7.0)])
    opened = np.arange(len(odds)) < 1000
    assert 0.98 < estimated_quality(candidates(odds, opened=opened)).recall[1] < 1


def test_pairs_never_opened_are_less_certain_than_opened_ones() -> None:
    """Nobody has looked at them."""
    odds = np.random.default_rng(1).normal(0, 3, 500)
    wide, narrow = (estimated_quality(candidates(odds, opened=np.full(500, flag))).recall for flag in (False, True))
    assert wide[2] - wide[0] > narrow[2] - narrow[0] > 0


@given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.floats(0.0, 30.0))
@settings(max_examples=80)
def test_intervals_are_ordered_shares(seed: int, n: int, wide: float) -> None:
    """Low ≤ point ≤ high, all between 0 and 1, for any odds, links and keys, none at all included."""
    rng = np.random.default_rng(seed)
    opened, linked, one, other = (rng.random(n) < rng.random() for _ in range(4))
    pairs = candidates(rng.normal(0, 1, n) * wide, opened=opened, linked=linked, one_way=one, other_way=other)
    found = estimated_quality(pairs, trusted=bool(seed % 2))
    for low, point, high in (found.precision, found.recall, found.f1):
        assert 0 <= low <= point <= high <= 1 + 1e-12
    assert bool(seed % 2) == found.trusted


def test_the_interval_of_f1_reaches_both_ways() -> None:
    """Links that are best by the odds have no better F1 under any one shift of them, yet truth may well be kinder."""
    found = estimated_quality(candidates(np.random.default_rng(1).normal(0, 4, 2000)))
    assert found.f1[0] < found.f1[1] - 0.005
    assert found.f1[2] > found.f1[1] + 0.005


def test_nothing_linked_and_nothing_to_link_is_no_error() -> None:
    """The same convention for all three: an empty claim is not wrong."""
    none = estimated_quality(candidates(np.empty(0)))
    assert [(0.995, 1.0, 1.0)] * 3 == [none.precision, none.recall, none.f1]
    missed = estimated_quality(candidates(np.full(10, 3.0), linked=np.zeros(10, bool)))
    assert (1.0, 0.0, 0.0) == (missed.precision[1], missed.recall[1], missed.f1[1])
