from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.query import FUNCTIONS, Strategy, bucket_sample, uniform_sample
from unveil.schema import ProtocolSettings

SETTINGS = ProtocolSettings(p_t=0.8, x=10)
every_strategy = pytest.mark.parametrize("strategy", FUNCTIONS.values(), ids=list(FUNCTIONS))
probabilities = st.lists(st.floats(0.5, 1.0), max_size=60).map(np.array)


def bins(p: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[int]:
    """Which of the ten bins of [0.5, 0.8) each p falls into, by the definition."""
    return [min(9, int((value - 0.5) / (0.8 - 0.5) * 10)) for value in p.tolist()]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(probabilities, st.integers(0, 70))
def test_rounds_go_over_the_bins_from_the_lowest_upward(p: np.ndarray, size: int) -> None:
    """One of every bin that still has one, then the next round; checked against a plain simulation of the rounds."""
    drawn = bucket_sample(p, SETTINGS, size=size, rng=rng())
    left = Counter(bins(p[p < 0.8]))
    expected: list[int] = []
    while left and len(expected) < size:
        for number in sorted(left):
            expected.append(number)
            left[number] -= 1
        left = +left
    assert expected[:size] == bins(p[drawn])


@every_strategy
@given(p=probabilities, size=st.integers(0, 70))
def test_no_position_is_drawn_twice_and_none_that_is_certain(strategy: Strategy, p: np.ndarray, size: int) -> None:
    """A pair with p at or above p_t is not worth anybody's data."""
    drawn = strategy(p, SETTINGS, size=size, rng=rng())
    assert len(set(drawn.tolist())) == len(drawn) == min(size, int((p < 0.8).sum()))
    assert np.all(p[drawn] < 0.8)


@every_strategy
def test_p_t_itself_is_certain_enough(strategy: Strategy) -> None:
    """The interval is open at its upper end."""
    p = np.array([0.8, np.nextafter(0.8, 0), 0.9])
    assert [1] == strategy(p, SETTINGS, size=9, rng=rng()).tolist()


def test_buckets_spread_where_uniform_follows_the_crowd() -> None:
    """990 pairs near .79 and one in each other bin: buckets take all of the lonely ones first."""
    p = np.concatenate([np.full(990, 0.795), np.arange(0.515, 0.77, 0.03)])
    assert set(range(990, 999)) <= set(bucket_sample(p, SETTINGS, size=10, rng=rng()).tolist())
    assert len(set(range(990, 999)) & set(uniform_sample(p, SETTINGS, size=10, rng=rng()).tolist())) < 5


@every_strategy
def test_every_member_of_a_bin_is_as_likely_as_any_other(strategy: Strategy) -> None:
    """4,000 draws of one out of eight: each comes about 500 times (seven standard deviations are allowed)."""
    p, generator, count = np.full(8, 0.6), rng(), np.zeros(8, int)
    for _ in range(4000):
        count[strategy(p, SETTINGS, size=1, rng=generator)] += 1
    assert np.all(np.abs(count - 500) < 7 * np.sqrt(500 * 7 / 8))


def test_uniform_draws_cover_the_whole_pool() -> None:
    """With room for all, all are drawn."""
    p = np.linspace(0.5, 0.79, 40)
    assert set(range(40)) == set(uniform_sample(p, SETTINGS, size=40, rng=rng()).tolist())


@pytest.mark.parametrize("strategy", [bucket_sample, uniform_sample], ids=["buckets", "uniform"])
def test_the_same_generator_draws_the_same_pairs(strategy: Strategy) -> None:
    """All randomness comes from the argument."""
    p = np.linspace(0.5, 0.79, 200)

    def draw(seed: int) -> list[int]:
        return strategy(p, SETTINGS, size=20, rng=rng(seed)).tolist()

    assert draw(5) == draw(5)
    assert draw(5) != draw(6)
