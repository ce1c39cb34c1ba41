"""Registers that share nobody are told from those that share few, by what each of them is like within."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.nobody_shared import nobody_shared
from unveil.linkage.pairs import STEPS, Pairs, Tail

SIZES = (20_000, 30_000)
seeds = st.integers(0, 2**32 - 1)


def links(count: int) -> Pairs:
    """So many links; how alike they are plays no part."""
    rows = np.arange(count, dtype=np.int32)
    return Pairs(rows, rows, np.full(count, 0.9))


def tail(strangers: int, matches: int, rng: np.random.Generator, *, identical: int = 0) -> Tail:
    """Strangers are the rarer, the more alike, in either register as across; matches are across alone."""

    def reaching(of_strangers: float, of_matches: int) -> np.ndarray:
        low = 40 + rng.exponential(15, rng.poisson(of_strangers))
        high = rng.normal(140, 20, of_matches)
        step = np.clip(np.concatenate([low, high, np.full(identical * (of_matches > 0), 199.0)]), 40, STEPS - 1)
        return np.bincount(step.astype(int), minlength=STEPS + 1)[::-1].cumsum()[::-1].astype(float)

    # All pairs of a register are found twice.
    homes = [2 * reaching(strangers / 2, 0), 2 * reaching(strangers / 2, 0)]
    return Tail(0.2, reaching(strangers, matches), np.stack(homes), np.ones(2))


@given(seeds, st.integers(100, 3_000), st.integers(1, 60))
def test_where_few_are_shared_that_is_seen(seed: int, strangers: int, count: int) -> None:
    """Sixty people in twenty thousand stand out from all strangers, however few are linked."""
    assert not nobody_shared(tail(strangers, 60, np.random.default_rng(seed)), links(count), SIZES)


def test_where_nobody_is_shared_links_are_mostly_not_believed() -> None:
    """As many strangers look like a match within each register."""
    rng = np.random.default_rng(1)
    found = [nobody_shared(tail(3_000, 0, rng), links(40), SIZES) for _ in range(200)]
    assert np.mean(found) > 0.8


def test_among_few_records_counts_do_not_decide() -> None:
    """What is opened and reviewed tells more there: of a dozen people shared by a thousand, counts may show none."""
    nobody = tail(3_000, 0, np.random.default_rng(3))
    assert nobody_shared(nobody, links(40), SIZES)
    assert not nobody_shared(nobody, links(40), (9_999, 30_000))


def test_many_links_and_identical_pairs_are_no_chance() -> None:
    """More than one record in twenty, or pairs that are the same across, are not questioned; nor is anything untold."""
    rng = np.random.default_rng(2)
    nobody = tail(3_000, 0, rng)
    assert not nobody_shared(nobody, links(1_001), SIZES)
    assert not nobody_shared(nobody, links(0), SIZES)
    assert not nobody_shared(None, links(5), SIZES)
    few = tail(3_000, 1, rng, identical=3)
    assert not nobody_shared(few, links(5), SIZES)
