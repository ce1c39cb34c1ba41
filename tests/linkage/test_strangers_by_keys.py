"""Pairs are counted by the keys that they agree on and by how alike they are, across owners and at home."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage import strangers_by_keys as module
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.pairs import STEPS
from unveil.linkage.strangers import middle_at_home
from unveil.linkage.strangers_by_keys import NONE, by_keys, groups

ENGINE = ReferenceEngine()
MIDDLE = 0.4
seeds = st.integers(0, 2**32 - 1)


def register(count: int, seed: int, keys: int, values: int = 4) -> tuple[Bits, NDArray[np.int64]]:
    """Filters, and the codes of their keys, some of them omitted."""
    rng = np.random.default_rng([seed, count])
    words = np.bitwise_and(*rng.integers(0, 2**64, (2, count, 2), dtype=np.uint64))
    return Bits(words, 128), rng.integers(-1, values, (count, keys))


def step_of(one: NDArray[np.uint64], other: NDArray[np.uint64], middle: float) -> int:
    """The step of Dice, from the definition."""
    ones = sum(int(word).bit_count() for row in (one, other) for word in row)
    common = sum((int(x) & int(y)).bit_count() for x, y in zip(one, other, strict=True))
    similarity = 2 * common / ones if ones else 0.0
    return max(0, min(STEPS, int((similarity - middle) / (1 - middle) * STEPS)))


def counted(
    sides: tuple[tuple[Bits, NDArray[np.int64]], tuple[Bits, NDArray[np.int64]]], middle: float, *, itself: bool
) -> NDArray[np.float64]:
    """By a plain search: a row for each single key, one for two, one for more."""
    (a, left), (b, right) = sides
    keys = left.shape[1]
    found = np.zeros((keys + 2, STEPS + 1))
    for i, row in enumerate(left.tolist()):
        for j, other in enumerate(right.tolist()):
            agree = [at for at in range(keys) if row[at] >= 0 and row[at] == other[at]]
            if agree and (itself or i != j):
                group = agree[0] if len(agree) == 1 else keys + min(len(agree), 3) - 2
                found[group, step_of(a.words[i], b.words[j], middle)] += 1
    return found


@given(st.integers(2, 9), st.integers(2, 9), st.integers(1, 5), seeds)
@settings(max_examples=25)
def test_counts_are_those_of_a_plain_search(n: int, m: int, keys: int, seed: int) -> None:
    """Across the owners each pair once; at home every record with every other, scaled to as many pairs as across."""
    a, b = register(n, seed, keys), register(m, seed + 1, keys)
    found = by_keys(ENGINE.block_pairs, a[0], b[0], Blocks(a[1], b[1], 0), MIDDLE)
    np.testing.assert_array_equal(counted((a, b), MIDDLE, itself=True), found.across)
    for side, home in zip((a, b), found.at_home, strict=True):
        within = counted((side, side), middle_at_home(side[0]), itself=False)
        np.testing.assert_allclose(n * m / (len(side[0]) * (len(side[0]) - 1)) * within, home)


def test_large_registers_tell_about_the_same_by_some_of_their_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of the candidates: as many in each group within a tenth, and not the same ones."""
    a, b = register(1500, 1, 3, values=20), register(1200, 2, 3, values=20)
    blocks = Blocks(a[1], b[1], 0)
    whole = by_keys(ENGINE.block_pairs, a[0], b[0], blocks, MIDDLE)
    monkeypatch.setattr(module, "_MOST_COMPARED", blocks.most_candidates // 5)
    some = by_keys(ENGINE.block_pairs, a[0], b[0], blocks, MIDDLE)
    for one, other in ((whole.across, some.across), *zip(whole.at_home, some.at_home, strict=True)):
        assert not np.array_equal(one, other)
        np.testing.assert_allclose(other[:3].sum(axis=1), one[:3].sum(axis=1), rtol=0.1)


def test_a_pair_is_of_the_group_of_the_keys_that_it_agrees_on() -> None:
    """One key by its number, two, more, none; an omitted key agrees with nothing."""
    left = np.array([[1, 2, 3, 4]] * 5)
    right = np.array([[1, 0, 0, 0], [0, 0, 0, 4], [0, 2, 3, 0], [1, 2, 3, 0], [0, 0, 0, 0]])
    assert [0, 3, 4, 5, NONE] == groups(left, right).tolist()
    assert [5] == groups(np.array([[1, 2, 3, 4]]), np.array([[1, 2, 3, 4]])).tolist()
    assert [NONE] == groups(np.array([[-1, -1]]), np.array([[-1, -1]])).tolist()


@pytest.mark.parametrize("sizes", [(1, 5), (5, 1), (1, 1)])
def test_a_register_of_one_record_has_nobody_at_home(sizes: tuple[int, int]) -> None:
    """Nothing is counted there, and nothing divided by it."""
    a, b = (register(n, 3, 2, values=1) for n in sizes)
    found = by_keys(ENGINE.block_pairs, a[0], b[0], Blocks(a[1], b[1], 0), MIDDLE)
    for n, home in zip(sizes, found.at_home, strict=True):
        assert np.isfinite(home).all()
        assert (n > 1) or not home.any()
