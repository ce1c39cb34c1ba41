"""What is asked for: values that are closer than those of strangers, about the least certain pairs first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from known_odds import KnownOdds
from unveil.linkage.attributes import attribute_similarities
from unveil.linkage.layer import Layer
from unveil.linkage.query import closest_sample
from unveil.linkage.shown import DISSIMILAR, EQUAL, MISSING, SHOWN, chance_bounds, learnt_bounds, states
from unveil.models.logistic import LogisticModel
from unveil.schema import ProtocolSettings


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(st.integers(0, 2**32 - 1), st.integers(0, 80), st.floats(0.0, 0.99), st.floats(0.01, 0.99))
def test_no_bound_is_below_the_schemas(seed: int, n: int, lower: float, quantile: float) -> None:
    """Learning may withhold more than the schema does, never less; and it never withholds everything unequal."""
    similarity = np.where(rng(seed).random((n, 4)) < 0.2, np.nan, rng(seed + 1).random((n, 4)))
    bounds = learnt_bounds(similarity, rng(seed + 2).random(n) < 0.5, lower=lower, quantile=quantile)
    assert (4,) == bounds.shape
    assert (bounds >= lower).all()
    assert (bounds < 1).all()


@pytest.mark.parametrize(("count", "expected"), [(0, 0.4), (29, 0.4), (30, 0.8), (31, 0.8)])
def test_thirty_values_are_needed(count: int, expected: float) -> None:
    """A handful of strangers would say nothing about the rest."""
    similarity = np.full((count, 1), 0.8)
    assert [expected] == learnt_bounds(similarity, np.zeros(count, bool), lower=0.4, quantile=0.6).tolist()


def test_matches_equal_values_and_missing_ones_do_not_count() -> None:
    """29 strangers' values are too few, however many others there are."""
    strangers, missing, equal, matches = ([value] * 29 for value in (0.8, np.nan, 1.0, 0.9))
    similarity = np.array([*strangers, *missing, *equal, *matches])[:, None]
    g = np.arange(116) >= 87
    assert [0.4] == learnt_bounds(similarity, g, lower=0.4, quantile=0.6).tolist()
    more = np.concatenate([similarity, [[0.8]]])
    assert [0.8] == learnt_bounds(more, np.append(g, False), lower=0.4, quantile=0.6).tolist()


def test_each_attribute_has_its_own_quantile() -> None:
    """Neighbouring ZIP codes look alike, names of strangers do not."""
    similarity = np.stack([np.linspace(0, 0.5, 101), np.linspace(0.5, 0.9, 101)], axis=1)
    bounds = learnt_bounds(similarity, np.zeros(101, bool), lower=0.4, quantile=0.75)
    assert [0.4, 0.8] == pytest.approx(bounds.tolist())


def test_states_take_one_bound_for_each_attribute() -> None:
    similarity = np.array([[0.6, 0.6, 1.0, np.nan], [0.5, 0.8, 0.99, 0.0]])
    found = states(similarity, np.array([0.5, 0.7, 0.4, 0.4]))
    assert [[SHOWN, DISSIMILAR, EQUAL, MISSING], [DISSIMILAR, SHOWN, SHOWN, DISSIMILAR]] == found.tolist()


def unrelated(count: int, ones: tuple[int, int], m: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Filters of so many ones each, drawn at random."""
    generator = rng(seed)
    bits = np.zeros((2, count, 1, m), bool)
    for side, number in zip(bits, ones, strict=True):
        for row in side[:, 0]:
            row[generator.permutation(m)[:number]] = True
    return tuple(np.packbits(side, axis=-1, bitorder="little").view(np.uint64) for side in bits)  # type: ignore[return-value]


@pytest.mark.parametrize(("ones", "m"), [((100, 100), 256), ((60, 130), 256), ((20, 30), 1024), ((250, 3), 256)])
def test_unrelated_filters_hardly_ever_pass_the_bound_of_their_fill(ones: tuple[int, int], m: int) -> None:
    """About one of a thousand, a few more where filters are nearly empty; at the fill of names half pass the 0.4."""
    left, right = unrelated(3000, ones, m)
    similarity, bound = attribute_similarities(left, right), chance_bounds(left, right, m)
    assert (3000, 1) == bound.shape
    assert (similarity > bound).mean() < 0.03
    expected = 2 * ones[0] * ones[1] / m / sum(ones)
    assert similarity.mean() == pytest.approx(expected, abs=0.01)
    assert (bound >= expected).all()


def test_the_bound_by_chance_is_the_same_both_ways_and_missing_values_need_none() -> None:
    left, right = unrelated(5, (90, 120), 256)
    left[0] = 0
    bound = chance_bounds(left, right, 256)
    assert (bound == chance_bounds(right, left, 256)).all()
    assert 0.0 == bound[0, 0]
    full = np.full((1, 1, 4), 2**64 - 1, np.uint64)
    assert 1.0 == chance_bounds(full, full, 256)[0, 0]


@given(st.lists(st.floats(0.5, 1.0), max_size=60).map(np.array), st.integers(0, 70), st.floats(0.6, 1.0))
def test_the_least_certain_pairs_come_first(p: np.ndarray, size: int, p_t: float) -> None:
    """Those below p_t in order of p, each once."""
    drawn = closest_sample(p, ProtocolSettings(p_t=p_t), size=size, rng=rng())
    assert sorted(p[p < p_t].tolist())[:size] == p[drawn].tolist()
    assert len(drawn) == len(set(drawn.tolist()))


def test_equally_certain_pairs_come_in_random_order() -> None:
    """The order of the records must not decide whose data is opened: 4,000 draws, about 500 for each of eight."""
    p, generator, count = np.array([*[0.6] * 8, 0.7]), rng(), np.zeros(9, int)
    for _ in range(4000):
        count[closest_sample(p, ProtocolSettings(), size=1, rng=generator)] += 1
    assert 0 == count[8]
    assert np.all(np.abs(count[:8] - 500) < 7 * np.sqrt(500 * 7 / 8))
    same = [closest_sample(p, ProtocolSettings(), size=4, rng=rng(5)).tolist() for _ in range(2)]
    assert same[0] == same[1]


def test_a_layer_told_to_ask_the_closest_does() -> None:
    """And does not ask twice."""
    layer = Layer(LogisticModel(KnownOdds()), ProtocolSettings(strategy="closest", p_t=0.99), clerical_weight=1.0)
    layer.add(np.array([[3.0], [0.1], [-2.0], [-0.5], [9.0]]))
    layer.classify()
    chosen = layer.select(2, rng())
    assert [1, 3] == chosen.tolist()
    layer.ask(chosen)
    assert [2, 0] == layer.select(5, rng()).tolist()
