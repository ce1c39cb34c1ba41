"""Pairs of records: arrays side by side, never an object per pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
#: Steps of similarity, from pairs at random (0) to equal filters (the last).
STEPS: Final = 200
_BITS: Final = 63  # of a number that is not negative


@dataclass(frozen=True, slots=True)
class Pairs:
    """Row `left[i]` of one owner and row `right[i]` of the other are `similarity[i]` alike."""

    left: Rows
    right: Rows
    similarity: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.left)

    @classmethod
    def concatenate(cls, parts: Iterable[Pairs]) -> Pairs:
        """All parts, one after the other."""
        kept = list(parts)
        if not kept:
            return cls(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
        return cls(
            np.concatenate([part.left for part in kept]),
            np.concatenate([part.right for part in kept]),
            np.concatenate([part.similarity for part in kept]),
        )

    def where(self, chosen: NDArray[np.bool_]) -> Pairs:
        """These of them."""
        return Pairs(self.left[chosen], self.right[chosen], self.similarity[chosen])

    def sorted(self) -> Pairs:
        """The same pairs by left, then right row: an order that no engine's way of working can change."""
        order = self._order()
        return Pairs(self.left[order], self.right[order], self.similarity[order])

    def _order(self) -> NDArray[np.int64]:
        """Where the pairs are found in order; no pair is there twice."""
        # As one number for each pair, which is sorted ten times as fast; where there is room for its place, too, the
        # numbers are sorted and not the places, which takes half the time.
        wide, count = (int(most).bit_length() for most in (self.right.max(initial=0), len(self)))
        if int(self.left.max(initial=0)).bit_length() + wide + count > _BITS:
            return np.argsort(self.left.astype(np.int64) << 32 | self.right)
        keys = (self.left.astype(np.int64) << wide | self.right) << count | np.arange(len(self))
        keys.sort()
        return keys & ((1 << count) - 1)


@dataclass(frozen=True, slots=True)
class ByKeys:
    """
    How many pairs that agree on the same blocking keys are how alike: a row for each group, a column for each step.

    The first rows are of pairs that agree on one key alone, the last two of those that agree on two, and on more.
    `at_home` has such rows for each owner's register, scaled to as many pairs as there are across the owners.
    """

    across: NDArray[np.float64]
    at_home: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tail:
    """
    For each step of similarity, how many pairs across the owners reach it, and how many of these strangers would be.

    `middle` is the similarity of pairs at random across the owners, from which steps count. `at_home` has a row for
    each owner's register, in which each pair that was found stands for `worth` pairs across. `by_keys` counts the pairs
    that share a key, where there are keys.
    """

    middle: float
    across: NDArray[np.float64]
    at_home: NDArray[np.float64]
    worth: NDArray[np.float64]
    by_keys: ByKeys | None = None

    @property
    def lowest(self) -> int:
        """The step from which on pairs were counted."""
        return int(np.flatnonzero(self.across == self.across[0])[-1])

    def step(self, similarity: NDArray[np.float64]) -> NDArray[np.int64]:
        """The step of each similarity across the owners."""
        return steps_of(similarity, self.middle)


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    What comparing two owners' records gave: the pairs kept, how many were compared, blocks skipped as too large.

    `near` marks the pairs that are each other's nearest neighbours among all; None where these were not looked for.
    `tail` says how often strangers are how alike; None where that was not looked for.
    """

    pairs: Pairs
    compared: int
    skipped_blocks: int = 0
    near: NDArray[np.bool_] | None = None
    tail: Tail | None = None


def steps_of(similarity: NDArray[np.float64], middle: float) -> NDArray[np.int64]:
    """The step of each similarity, where pairs at random are that alike."""
    scaled = (similarity - middle) / max(1 - middle, 1e-3)
    return np.clip(scaled * STEPS, 0, STEPS).astype(np.int64)
