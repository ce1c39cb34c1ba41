"""
How often strangers are how alike, found where nobody is anybody's match: within each owner's own register.

Two records of one register are different people, but for second entries. So pairs within a register tell how many pairs
of strangers across the owners reach any similarity, and whatever reaches it across the owners beyond that number are
matches. This needs no label, no attribute and no assumption about names, kin or households, all of which are at home in
a register as they are between two of them. Of large registers a sample of records is compared with all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

import numpy as np

from unveil.linkage.bits import Bits, dice
from unveil.linkage.neighbours import at_random, strangers
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import STEPS, Pairs, Tail, steps_of

_MOST_COMPARED: Final = 200_000_000  # pairs within one register
_SAMPLE: Final = 20_000


class AllPairs(Protocol):
    """How an engine compares all pairs."""

    def __call__(self, a: Bits, b: Bits, *, floor: float) -> Iterator[Pairs]:
        """Every pair at or above the floor."""
        ...


def tail_of(compare: AllPairs, a: Bits, b: Bits, alike: Reals, *, floor: float) -> Tail:
    """The tail of two registers of which `alike` are the similarities across the owners from the floor on."""
    middle = float(np.median(strangers(a, b, _SAMPLE)))
    lowest = (floor - middle) / max(1 - middle, 1e-3)
    pairs = len(a) * len(b)
    homes = [_at_home(compare, side, lowest) for side in (a, b)]
    worth = np.array([pairs / max(1, compared) for _, compared in homes])
    return Tail(middle, _reaching(alike, middle), worth[:, None] * np.stack([found for found, _ in homes]), worth)


def _at_home(compare: AllPairs, side: Bits, lowest: float) -> tuple[Reals, int]:
    """How many pairs within this register reach each step, and of how many."""
    n = len(side)
    chosen = max(1, min(n, _MOST_COMPARED // max(1, n)))
    if n < 2:  # noqa: PLR2004 - no pair
        return np.zeros(STEPS + 1), 0
    rows = np.sort(np.random.default_rng(0).permutation(n)[:chosen]).astype(np.int32)
    some = Bits(side.words[rows], side.m)
    middle = float(np.median(_at_random_home(side)))
    floor = float(np.clip(middle + lowest * (1 - middle), 0.0, 1.0))
    counts = np.zeros(STEPS + 1)
    for part in compare(some, side, floor=floor):
        others = rows[part.left] != part.right
        counts += _reaching(part.similarity[others], middle)
    return counts, chosen * (n - 1)


def _at_random_home(side: Bits) -> Reals:
    """How alike records of one register are that are paired at random, none with itself."""
    left, right = at_random(side, side, _SAMPLE)
    left, right = left[left != right], right[left != right]
    common = np.bitwise_count(side.words[left] & side.words[right]).sum(axis=1, dtype=np.int64)
    return dice(common, side.popcounts[left], side.popcounts[right])


def _reaching(similarity: Reals, middle: float) -> Reals:
    """How many reach each step."""
    counts = np.bincount(steps_of(similarity, middle), minlength=STEPS + 1).astype(np.float64)
    return counts[::-1].cumsum()[::-1]
