"""What the number of strangers says of a pair, by how alike it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import STEPS, ByKeys, Tail
from unveil.linkage.strangers_by_keys import NONE
from unveil.models.beyond_strangers import beyond_strangers, with_the_same_keys

seeds = st.integers(0, 2**32 - 1)
EVERY = np.linspace(0, 1, STEPS + 1)  # similarities, one in each step where pairs at random are not alike at all


def tail(across: Reals, *homes: Reals) -> Tail:
    """A tail of so many pairs in each step."""
    sides = homes if len(homes) > 1 else homes * 2
    counts = [one[::-1].cumsum()[::-1] for one in (across, *sides)]
    return Tail(0.0, counts[0], np.stack(counts[1:]), np.ones(2))


@pytest.mark.parametrize("count", [0, 1, 5])
def test_where_registers_were_not_looked_into_every_pair_is_told_the_same(count: int) -> None:
    """Neither for nor against a match, more than pairs that may be either have."""
    found = beyond_strangers(None, np.linspace(0, 1, count), 100.0)
    assert [[1.0] * count, [2.0] * count, [0.0] * count] == [one.tolist() for one in found]


@given(seeds)
@settings(max_examples=60)
def test_no_pair_is_told_less_for_being_more_alike(seed: int) -> None:
    """For any counts, of any registers; and all are told the same of second entries."""
    rng = np.random.default_rng(seed)
    counts = [np.round(10 ** rng.uniform(-1, 5) * rng.random(STEPS + 1) ** rng.choice([0.3, 1, 9])) for _ in range(3)]
    more, fewer, second = beyond_strangers(tail(*counts), EVERY, 10 ** rng.uniform(0, 5))
    for column in (more, fewer, second):
        assert np.isfinite(column).all()
    assert (np.diff(more) >= -1e-12).all()
    assert (np.diff(fewer) >= 0).all()
    assert 1 == len(set(second.tolist()))
    assert second[0] >= 0


def test_how_many_more_than_strangers_are_alike_is_a_logarithm() -> None:
    """Thousands of strangers below half; above it ten times as many across as within: matches."""
    strangers = np.where(np.arange(STEPS + 1) < 100, 1000.0, 100.0)
    more, _, _ = beyond_strangers(tail(np.full(STEPS + 1, 1000.0), strangers), EVERY, 1000.0)
    np.testing.assert_allclose(0, more[:80], atol=0.01)
    np.testing.assert_allclose(np.log(10), more[120:], atol=0.01)
    none, _, _ = beyond_strangers(tail(strangers, strangers), EVERY, 1000.0)
    np.testing.assert_allclose(0, none, atol=0.01)


def test_for_how_few_records_a_stranger_is_as_alike_follows_from_the_counts() -> None:
    """Of a thousand records: 100 pairs of strangers from half on, and then none."""
    strangers = np.zeros(STEPS + 1)
    strangers[100] = 100.0
    _, fewer, _ = beyond_strangers(tail(strangers, strangers), EVERY, 1000.0)
    np.testing.assert_allclose(np.log(1000 / 100.5), fewer[:100], atol=0.01)
    np.testing.assert_allclose(np.log(1000 / 0.5), fewer[101:], atol=0.15)


def test_second_entries_show_where_registers_have_more_such_pairs_than_there_are_across() -> None:
    """Three times as many pairs like matches at home, in both; in one of them alone it hardly shows."""
    across, home = np.full(STEPS + 1, 0.0), np.zeros(STEPS + 1)
    across[190], home[190] = 300.0, 900.0
    assert np.log(902 / 302) == pytest.approx(beyond_strangers(tail(across, home), EVERY, 900.0)[2][0], abs=0.01)
    one = beyond_strangers(tail(across, home, np.zeros(STEPS + 1)), EVERY, 900.0)[2][0]
    assert 0 == pytest.approx(one, abs=0.05)
    low = np.roll(home, -150)  # strangers, not second entries
    assert 0 == pytest.approx(beyond_strangers(tail(across, low), EVERY, 900.0)[2][0], abs=0.05)


def by_keys(rng: np.random.Generator, keys: int) -> ByKeys:
    """Any counts of pairs that agree on these keys."""
    counts = np.round(10 ** rng.uniform(-1, 4) * rng.random((3, keys + 2, STEPS + 1)) ** rng.choice([0.3, 1, 9]))
    return ByKeys(counts[0], counts[1:])


@given(seeds, st.integers(1, 4))
@settings(max_examples=40)
def test_no_pair_is_told_less_for_being_more_alike_or_for_agreeing_on_a_second_key(seed: int, keys: int) -> None:
    """For any counts: along similarity, and from one key to two to more at the same similarity."""
    rng = np.random.default_rng(seed)
    counts, step = by_keys(rng, keys), np.arange(STEPS + 1)
    otherwise = np.zeros(STEPS + 1), np.zeros(STEPS + 1)
    said = [with_the_same_keys(counts, np.full_like(step, group), step, 1000.0, otherwise) for group in range(keys + 2)]
    for columns in said:
        for column in columns:
            assert np.isfinite(column).all()
            assert (np.diff(column) >= -1e-12).all()
    for single in said[:keys]:
        for less, two, more in zip(single, said[-2], said[-1], strict=True):
            assert (two >= less).all()
            assert (more >= two).all()


def test_pairs_that_agree_on_no_key_are_told_what_all_are_told() -> None:
    """Only of the others it is known how many strangers agree on the same."""
    counts = by_keys(np.random.default_rng(1), 2)
    otherwise = np.array([0.1, 0.2]), np.array([0.3, 0.4])
    group, step = np.array([NONE, 0]), np.array([50, 50])
    found = with_the_same_keys(counts, group, step, 1000.0, otherwise)
    assert [0.1, 0.3] == [column[0] for column in found]
    assert all(column[1] != before[1] for column, before in zip(found, otherwise, strict=True))


def test_what_strangers_agree_on_says_less_than_what_they_do_not() -> None:
    """As many across as at home agree on the first key; on the second nobody does at home."""
    across, home = np.zeros((4, STEPS + 1)), np.zeros((2, 4, STEPS + 1))
    across[:2, 100], home[:, 0, 100] = 500.0, 500.0
    more, _ = with_the_same_keys(
        ByKeys(across, home), np.array([0, 1]), np.array([100, 100]), 1000.0, (np.zeros(2), np.zeros(2))
    )
    assert 0 == pytest.approx(more[0], abs=0.05)
    assert more[1] > 3


def test_noise_under_the_keys_of_real_people_in_one_register_makes_nobody_a_match() -> None:
    """Many pairs share all keys, across and in one register, and are as unlike as strangers; the other one has none."""
    across, home = np.zeros((3, STEPS + 1)), np.zeros((2, 3, STEPS + 1))
    across[-1, 20], home[0, -1, 20] = 500.0, 700.0
    otherwise = np.zeros(1), np.zeros(1)
    more, _ = with_the_same_keys(ByKeys(across, home), np.array([2]), np.array([20]), 1000.0, otherwise)
    assert more[0] < 0.5
    home[:, -1, 20] = 5.0
    more, _ = with_the_same_keys(ByKeys(across, home), np.array([2]), np.array([20]), 1000.0, otherwise)
    assert more[0] > 3
