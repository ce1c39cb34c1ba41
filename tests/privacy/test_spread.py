"""Bit statistics beside their floors, and combinations that are known together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.bits import pack
from unveil.linkage.bits import Bits
from unveil.privacy.combinations import KnownTogether, known_together, sharing
from unveil.privacy.spread import missing_entropy, spread
from unveil.records import Column, Records


def random_filters(n: int, m: int, fill: float) -> Bits:
    return Bits(pack((np.random.default_rng(4).random((n, m)) < fill).astype(np.uint8)), m)


@pytest.mark.parametrize(("n", "fill"), [(200, 0.5), (2_000, 0.4), (500, 0.1)])
def test_random_filters_are_at_the_floor(n: int, fill: float) -> None:
    """All three measures, whatever the fill and number."""
    found = spread(random_filters(n, 8192, fill))
    assert found.fill == pytest.approx(fill, rel=0.05)
    for one in (found.gini, found.js_distance, found.entropy):
        assert one.ratio == pytest.approx(1, abs=0.1)


def test_filters_of_few_values_are_far_above_it() -> None:
    """Many equal records make some positions frequent."""
    few = random_filters(4, 1024, 0.4)
    found = spread(Bits(np.repeat(few.words, 200, axis=0), 1024))
    assert min(found.gini.ratio, found.js_distance.ratio, found.entropy.ratio) > 5


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_entropy_is_missing_only_where_counts_differ(counts: list[int]) -> None:
    """None where all are equal, at most all of it where one position has everything."""
    assert 0 <= missing_entropy(counts) <= np.log2(len(counts)) + 1e-9
    assert missing_entropy([7] * len(counts)) == pytest.approx(0, abs=1e-9)


def test_empty_and_full_filters_have_no_spread() -> None:
    """There is nothing to measure, and nothing to divide by."""
    assert spread(Bits(np.zeros((3, 1), np.uint64), 64)).gini.ratio == 0
    assert spread(Bits(np.zeros((0, 1), np.uint64), 64)).fill == 0


def test_combinations_are_counted_in_the_owners_records() -> None:
    """Two of three share the name; the town makes everybody unique."""
    people = Records(["1", "2", "3"], {"name": Column.of(["a", "a", "b"]), "town": Column.of(["x", "y", "z"])})
    shown = np.array([[True, False], [True, True], [False, False]])
    assert [2, 2, 1] == sharing(people, ["name"]).tolist()
    assert {
        KnownTogether(("name",), 1, 0, 2, 2.0),
        KnownTogether(("name", "town"), 1, 1, 1, 1.0),
    } == set(known_together(shown, people, ("name", "town")))
    assert [] == known_together(np.zeros((3, 2), bool), people, ("name", "town"))
