"""
Candidate pairs from hashed blocking keys: a vectorised join, streamed in chunks.

Two records are candidates if they agree on at least one key. A pair that agrees on several keys is produced once, for
the first of them, so the union needs neither a sort nor memory for pairs seen before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.pairs import Rows

_OMITTED = -1
_TABLE = 8  # values that keys may have, for each of them, to be looked up in a table of all


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocking keys of two owners as small integers: equal code, same block; -1, key omitted. Shape (n, K)."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    skipped: int

    @classmethod
    def of(
        cls,
        left: NDArray[np.uint8],
        right: NDArray[np.uint8],
        *,
        max_block: int,
        progress: Callable[[int], None] = lambda _: None,
    ) -> Blocks:
        """
        The blocks of two sets of hashed keys, each (n, K, 16); blocks with more than max_block pairs are dropped.

        `progress` is given the number of keys that are done, 0 at the start; it may raise, which ends it.
        """
        keys = left.shape[1]
        codes_left = np.full((len(left), keys), _OMITTED, np.int64)
        codes_right = np.full((len(right), keys), _OMITTED, np.int64)
        skipped = 0
        progress(0)
        for key in range(keys):
            codes_left[:, key], codes_right[:, key], dropped = _codes(left[:, key], right[:, key], max_block)
            skipped += dropped
            progress(key + 1)
        return cls(codes_left, codes_right, skipped)

    @property
    def most_candidates(self) -> int:
        """
        A number that there are not more candidates than, quickly found: pairs count for every key that they agree on.

        Of 100,000 records a side 4 % do so for another key; of few records more, where it matters less.
        """
        return sum(int(self.sizes(key).sum()) for key in range(self.left.shape[1]))

    def sizes(self, key: int) -> NDArray[np.int64]:
        """Pairs in each block of a key, by its code."""
        sides = self.left[:, key], self.right[:, key]
        codes = max(int(side.max(initial=_OMITTED)) for side in sides) + 1
        left, right = (np.bincount(side[side >= 0], minlength=codes) for side in sides)
        return left * right

    def with_second_keys(self, most: float) -> Blocks:
        """
        Blocks of the pairs that agree on two keys, or on a rare value.

        Rare are the smallest blocks of all keys, as far as they have not more than so many pairs together.
        """
        sizes = [self.sizes(key) for key in range(self.left.shape[1])]
        limit = _rare(np.concatenate([np.empty(0, np.int64), *sizes]), most)
        sides = [
            np.stack([*_of_rare(side, sizes, limit), *_of_two(side, sizes)], axis=1) for side in (self.left, self.right)
        ]
        return Blocks(sides[0], sides[1], self.skipped)

    def agree(self, left: Rows, right: Rows, keys: slice = slice(None)) -> NDArray[np.bool_]:
        """True where a pair of rows agrees on any of these keys (all of them if not given)."""
        found = np.zeros(len(left), dtype=bool)
        for key in range(self.left.shape[1])[keys]:
            code = self.left[left, key]
            found |= (code >= 0) & (code == self.right[right, key])
        return found

    def agree_twice(self, left: Rows, right: Rows) -> NDArray[np.bool_]:
        """True where a pair of rows agrees on two keys or more."""
        found = np.zeros(len(left), np.int8)
        for key in range(self.left.shape[1]):
            code = self.left[left, key]
            found += (code >= 0) & (code == self.right[right, key])
        return found > 1

    def candidates(self, chunk: int = 1 << 20) -> Iterator[tuple[Rows, Rows]]:
        """Every candidate pair once, in pieces of about `chunk` pairs."""
        for key in range(self.left.shape[1]):
            yield from self.candidates_of(key, chunk)

    def candidates_of(self, key: int, chunk: int = 1 << 20) -> Iterator[tuple[Rows, Rows]]:
        """The candidate pairs that agree on this key and on none before it."""
        for left, right in _join(self.left[:, key], self.right[:, key], chunk):
            new = ~self.agree(left, right, slice(0, key))
            yield left[new], right[new]


def _codes(
    left: NDArray[np.uint8], right: NDArray[np.uint8], max_block: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Integer codes of one key's hashes, -1 where omitted or in a block that is dropped."""
    both = np.ascontiguousarray(np.concatenate([left, right]))
    if not len(both):
        return np.empty(0, np.int64), np.empty(0, np.int64), 0
    codes, values = _numbered(both)
    codes[~both.any(axis=1)] = _OMITTED
    of_left, of_right = codes[: len(left)], codes[len(left) :]
    size = np.bincount(of_left[of_left >= 0], minlength=values) * np.bincount(of_right[of_right >= 0], minlength=values)
    large = size > max_block
    for part in (of_left, of_right):
        part[(part >= 0) & large[part]] = _OMITTED
    return of_left, of_right, int(large.sum())


def _numbered(keys: NDArray[np.uint8]) -> tuple[NDArray[np.int64], int]:
    """The place of each key among all distinct ones in the order of their bytes, and how many these are."""
    number, values = np.zeros(len(keys), np.int64), 1
    for column, most in enumerate(keys.max(axis=0, initial=0).tolist()):
        values *= most + 1
        if values > _TABLE * (1 + len(keys)):
            distinct, codes = np.unique(keys.view(f"V{keys.shape[1]}").ravel(), return_inverse=True)
            return codes.astype(np.int64), len(distinct)
        if most:
            number *= most + 1
            number += keys[:, column]
    # Short keys have few values: a table of them tells the place of each, without any sorting.
    there = np.zeros(values, bool)
    there[number] = True
    place = np.cumsum(there) - 1
    return place[number], int(place[-1]) + 1


def _rare(sizes: NDArray[np.int64], most: float) -> int:
    """The largest size of block up to which all blocks together have at most so many pairs."""
    ordered = np.sort(sizes)
    too_many = np.flatnonzero(np.cumsum(ordered) > most)
    return int(ordered[too_many[0]]) - 1 if len(too_many) else int(ordered[-1]) if len(ordered) else 0


def _of_rare(codes: NDArray[np.int64], sizes: Sequence[NDArray[np.int64]], limit: int) -> Iterator[NDArray[np.int64]]:
    """The codes of each key, omitted where a block has more pairs than the limit."""
    for key, size in enumerate(sizes):
        of_key = codes[:, key]
        rare = of_key >= 0
        rare[rare] = size[of_key[rare]] <= limit
        yield np.where(rare, of_key, _OMITTED)


def _of_two(codes: NDArray[np.int64], sizes: Sequence[NDArray[np.int64]]) -> Iterator[NDArray[np.int64]]:
    """A code for each two keys that are both there."""
    for one, other in combinations(range(len(sizes)), 2):
        both = (codes[:, one] >= 0) & (codes[:, other] >= 0)
        yield np.where(both, codes[:, one] * len(sizes[other]) + codes[:, other], _OMITTED)


def _join(left: NDArray[np.int64], right: NDArray[np.int64], chunk: int) -> Iterator[tuple[Rows, Rows]]:
    """Pairs of rows with equal, non-negative code, in pieces of about `chunk` pairs."""
    rows = np.flatnonzero(left >= 0)
    order = np.argsort(right, kind="stable")
    ordered = right[order]
    first = np.searchsorted(ordered, left[rows], side="left")
    count = np.searchsorted(ordered, left[rows], side="right") - first
    rows, first, count = rows[count > 0], first[count > 0], count[count > 0]
    if not len(rows):
        return
    total = np.cumsum(count)
    cuts = np.searchsorted(total, np.arange(chunk, int(total[-1]) + chunk, chunk), side="left") + 1
    start = 0
    for stop in np.unique(np.minimum(cuts, len(rows))).tolist():
        some = count[start:stop]
        within = np.arange(int(some.sum())) - np.repeat(np.cumsum(some) - some, some)
        yield (
            np.repeat(rows[start:stop], some).astype(np.int32),
            order[np.repeat(first[start:stop], some) + within].astype(np.int32),
        )
        start = stop
