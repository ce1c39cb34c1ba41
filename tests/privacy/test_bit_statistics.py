import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.bits import Bits
from unveil.privacy.bits import (
    gini,
    gini_floor,
    js_distance,
    js_distance_floor,
    js_divergence,
    position_counts,
)

counts = st.lists(st.integers(0, 50), min_size=1, max_size=12)


@given(counts)
def test_gini_by_sorting_equals_its_definition(c: list[int]) -> None:
    """The published formula runs over all pairs of positions."""
    double_sum = sum(abs(a - b) for a in c for b in c)
    expected = double_sum / (2 * len(c) * sum(c)) if sum(c) else 0.0
    assert expected == pytest.approx(gini(c), abs=1e-12)


@given(counts)
def test_the_order_of_positions_and_the_number_of_filters_do_not_matter(c: list[int]) -> None:
    """Both figures describe the spread alone."""
    other = [3 * count for count in c[::-1]]
    assert gini(c) == pytest.approx(gini(other), abs=1e-12)
    assert js_divergence(c) == pytest.approx(js_divergence(other), abs=1e-12)


def test_even_counts_give_zero_and_one_full_position_comes_near_one() -> None:
    """The ends of both scales."""
    even, single = [7] * 64, [7] + [0] * 63
    assert (0.0, 0.0) == (gini(even), js_distance(even))
    assert 63 / 64 == gini(single)
    assert 0.95 < js_distance(single) < 1.0


def test_a_count_of_zero_keeps_its_part_of_the_divergence() -> None:
    """p = (1, 0), u = (1/2, 1/2), a = (3/4, 1/4): skipping the empty position would give less."""
    from_p = np.log2(4 / 3)
    from_u = (np.log2(2 / 3) + np.log2(2)) / 2
    assert (from_p + from_u) / 2 == pytest.approx(js_divergence([5, 0]))


def test_no_filters_are_evenly_spread() -> None:
    """An empty set has no frequent bit."""
    assert (0.0, 0.0) == (gini([0, 0]), js_distance([0, 0]))


@pytest.mark.parametrize("records_per_key", [1, 2])
def test_random_filters_lie_on_the_noise_floor(records_per_key: int) -> None:
    """
    The published figures for pair-keyed filters: G .009 to .010, JSD .007 to .008, after 4,500 pairs.

    Each of 4,500 keys draws one random filter of 256 bits at 40 % fill, the mean over twenty sets is checked. Two
    records of a key are taken as equal, so 9,000 records are as noisy as 4,500: n of the floor counts keys.
    """
    rng = np.random.default_rng(20)
    found = []
    for _ in range(20):
        ones = np.repeat(rng.random((4500, 256)) < 0.4, records_per_key, axis=0)
        c = position_counts(Bits(np.packbits(ones, axis=1, bitorder="little").view(np.uint64), 256))
        assert ones.sum(axis=0).tolist() == c.tolist()
        found.append((gini(c), js_distance(c)))
    mean_gini, mean_distance = np.mean(found, axis=0)
    assert 0.009 <= mean_gini <= 0.0105
    assert 0.007 <= mean_distance <= 0.008
    assert gini_floor(0.4, 4500) == pytest.approx(mean_gini, rel=0.05)
    assert js_distance_floor(0.4, 4500) == pytest.approx(mean_distance, rel=0.05)


def test_floors_match_the_published_approximations() -> None:
    """G₀ ≈ √((1 - f)/(π·f·n)) = .0103 and JSD₀ ≈ 0.425·√((1 - f)/(f·n)) = .0078 for f = .4, n = 4,500."""
    assert 0.0103 == pytest.approx(gini_floor(0.4, 4500), abs=5e-5)
    assert 0.425 * np.sqrt(0.6 / (0.4 * 4500)) == pytest.approx(js_distance_floor(0.4, 4500), rel=2e-3)
