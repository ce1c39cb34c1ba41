"""Each record once: the most alike pair of all stays, then the most alike of those that are left."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.clusters import symmetric_best
from unveil.one_place import one_to_one
from unveil.one_place.one_to_one import most_alike_first

edges = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 7), st.sampled_from([0.7, 0.8, 0.9])),
    max_size=25,
    unique_by=lambda pair: pair[:2],
)


def stays(pairs: list[tuple[int, int, float]]) -> list[tuple[int, int]]:
    left, right = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    kept = most_alike_first(left, right, np.array([score for *_, score in pairs]))
    assert sorted(kept.tolist()) == kept.tolist()
    return [pairs[at][:2] for at in kept]


@given(edges, st.integers(1, 4))
def test_pairs_are_taken_by_similarity_and_then_by_their_rows(pairs: list[tuple[int, int, float]], block: int) -> None:
    """However many are looked at at a time."""
    left: set[int] = set()
    right: set[int] = set()
    expected = set()
    for one, other, _ in sorted(pairs, key=lambda pair: (-pair[2], *pair[:2])):
        if one not in left and other not in right:
            expected.add((one, other))
            left.add(one)
            right.add(other)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(one_to_one, "_BLOCK", block)
        found = stays(pairs)
    assert expected == set(found)
    assert len(expected) == len(found)


@given(edges)
def test_pairs_that_are_each_others_best_are_among_them(pairs: list[tuple[int, int, float]]) -> None:
    """So nothing is lost to those who linked by mutual bests before."""
    ordered = sorted(pairs)
    left, right = (np.array([pair[side] for pair in ordered], np.int32) for side in (0, 1))
    best = symmetric_best(left, right, np.array([score for *_, score in ordered]))
    assert {ordered[at][:2] for at in np.flatnonzero(best)} <= set(stays(ordered))


def test_whoever_loses_its_best_has_the_best_that_is_left() -> None:
    """Which is where mutual bests end."""
    assert [(0, 0), (1, 1)] == stays([(0, 0, 0.9), (1, 0, 0.8), (1, 1, 0.7)])
