"""
How often strangers are how alike, found where nobody is anybody's match: within each owner's own register.

Two records of one register are different people, but for second entries. So pairs within a register tell how many pairs
of strangers across the owners reach any similarity, and whatever reaches it across the owners beyond that number are
matches. This needs no label, no attribute and no assumption about names, kin or households, all of which are at home in
a register as they are between two of them. Of large registers a sample of records is compared with all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.neighbours import at_random, similarity_of, strangers
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import STEPS, Pairs, Rows, Tail, steps_of

_MOST_COMPARED: Final = 200_000_000  # pairs within one register
_MOST_IN_BLOCKS: Final = 20_000_000  # of them that share a blocking key
_SAMPLE: Final = 20_000


class AllPairs(Protocol):
    """How an engine compares all pairs."""

    def __call__(self, a: Bits, b: Bits, *, floor: float) -> Iterator[Pairs]:
        """Every pair at or above the floor."""
        ...


class CandidatePairs(Protocol):
    """How an engine compares the candidates of blocking keys."""

    def __call__(self, a: Bits, b: Bits, blocks: Blocks, *, floor: float) -> Iterator[Pairs]:
        """Every candidate pair at or above the floor."""
        ...


def all_are_compared(a: Bits, b: Bits) -> bool:
    """Whether all pairs within either register are few enough to be compared, rather than those of a sample."""
    return max(len(a), len(b)) ** 2 <= _MOST_COMPARED


def tail_of(compare: AllPairs, a: Bits, b: Bits, alike: Reals, *, floor: float) -> Tail:
    """The tail of two registers of which `alike` are the similarities across the owners from the floor on."""
    middle, lowest = _scale(a, b, floor)
    return _tail((a, b), alike, middle, [_at_home(compare, side, lowest) for side in (a, b)])


def tail_in_blocks(compare: CandidatePairs, a: Bits, b: Bits, blocks: Blocks, alike: Reals, *, floor: float) -> Tail:
    """The same of pairs that share a blocking key alone, across the owners and within each register."""
    middle, lowest = _scale(a, b, floor)
    sides = zip((a, b), (blocks.left, blocks.right), strict=True)
    return _tail((a, b), alike, middle, [_in_blocks_at_home(compare, *side, lowest) for side in sides])


def _scale(a: Bits, b: Bits, floor: float) -> tuple[float, float]:
    """How alike records paired at random are; and where the floor is, if that is 0 and equal filters are at 1."""
    middle = float(np.median(strangers(a, b, _SAMPLE)))
    return middle, (floor - middle) / max(1 - middle, 1e-3)


def _tail(sides: tuple[Bits, Bits], alike: Reals, middle: float, homes: list[tuple[Reals, int]]) -> Tail:
    pairs = len(sides[0]) * len(sides[1])
    worth = np.array([pairs / max(1, compared) for _, compared in homes])
    return Tail(middle, _reaching(alike, middle), worth[:, None] * np.stack([found for found, _ in homes]), worth)


def _at_home(compare: AllPairs, side: Bits, lowest: float) -> tuple[Reals, int]:
    """How many pairs within this register reach each step, and of how many."""
    n = len(side)
    rows = drawn(n, _MOST_COMPARED // max(1, n))
    return _counted(side, rows, lowest, lambda some, floor: compare(some, side, floor=floor))


def _in_blocks_at_home(
    compare: CandidatePairs, side: Bits, codes: NDArray[np.int64], lowest: float
) -> tuple[Reals, int]:
    """How many pairs within this register share a key and reach each step, and of how many pairs in all."""
    every = Blocks(codes, codes, 0).most_candidates
    rows = drawn(len(side), int(len(side) * min(1.0, _MOST_IN_BLOCKS / max(1, every))))
    within = Blocks(codes[rows], codes, 0)
    return _counted(side, rows, lowest, lambda some, floor: compare(some, side, within, floor=floor))


def drawn(records: int, count: int) -> Rows:
    """So many rows of a register, in rising order: any do, and always the same ones."""
    chosen = max(1, min(records, count))
    return np.sort(np.random.default_rng(0).permutation(records)[:chosen]).astype(np.int32)


def _counted(
    side: Bits, rows: Rows, lowest: float, compare: Callable[[Bits, float], Iterator[Pairs]]
) -> tuple[Reals, int]:
    """How many pairs of these rows with others of their register reach each step, and of how many."""
    if len(side) < 2:  # noqa: PLR2004 - no pair
        return np.zeros(STEPS + 1), 0
    middle = middle_at_home(side)
    floor = float(np.clip(middle + lowest * (1 - middle), 0.0, 1.0))
    counts = np.zeros(STEPS + 1)
    for part in compare(Bits(side.words[rows], side.m), floor):
        others = rows[part.left] != part.right
        counts += _reaching(part.similarity[others], middle)
    return counts, len(rows) * (len(side) - 1)


def middle_at_home(side: Bits) -> float:
    """How alike records of one register are that are paired at random, none with itself; 0 of a single record."""
    if len(side) < 2:  # noqa: PLR2004 - no pair
        return 0.0
    left, right = at_random(side, side, _SAMPLE)
    left, right = left[left != right], right[left != right]
    return float(np.median(similarity_of(side, side, left, right)))


def _reaching(similarity: Reals, middle: float) -> Reals:
    """How many reach each step."""
    counts = np.bincount(steps_of(similarity, middle), minlength=STEPS + 1).astype(np.float64)
    return counts[::-1].cumsum()[::-1]
