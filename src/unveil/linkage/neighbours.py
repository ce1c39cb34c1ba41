"""
Each record's nearest neighbours among all records of the other owner: candidates that need no blocking key.

All pairs are compared. Those that are no more alike than strangers are by chance are dropped as they come, so memory
follows the number of records; of the rest a pair is kept if it is among the k most similar of both its records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits, dice
from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import Pairs, Rows

_SAMPLE = 200_000
_FEWEST = 20  # sampled pairs above a quantile, or it is too uncertain to be used
_PER_RECORD = 20  # pairs of strangers that may stand above the floor, for each record
_ABOVE_MEAN = 1.5  # standard deviations of strangers that a neighbour is above their mean, at least
_FAR_ABOVE = 4.0  # and where the sample is too small to tell how many strangers stand above
_HIGHEST = 0.95
_AT_ONCE = 4096  # rows
_PLACE = 32  # bits


def strangers(a: Bits, b: Bits, size: int = _SAMPLE) -> Reals:
    """How alike records paired at random are, nearly all of them strangers; always the same for the same records."""
    return similarity_of(a, b, *at_random(a, b, size))


def similarity_of(a: Bits, b: Bits, left: NDArray[np.int64], right: NDArray[np.int64]) -> Reals:
    """How alike these rows are, some at a time, so that what is worked on stays in the processor's cache."""
    common = np.empty(len(left), np.int64)
    for start in range(0, len(left), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        both = a.words.take(left[some], axis=0) & b.words.take(right[some], axis=0)
        common[some] = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
    return dice(common, a.popcounts[left], b.popcounts[right])


def at_random(a: Bits, b: Bits, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows paired at random: any do, and always the same ones."""
    rng = np.random.default_rng(0)
    left, right = (rng.integers(0, len(bits), size) for bits in (a, b))
    return left, right


def neighbour_floor(a: Bits, b: Bits) -> float:
    """The similarity from which on pairs may be neighbours, set by strangers: few enough of them reach it."""
    share = _PER_RECORD * (len(a) + len(b)) / (len(a) * len(b))
    if share >= 1:
        return 0.0  # all pairs are few enough, and too many of them are no strangers' to tell what these are like
    similarity = strangers(a, b)
    mean, spread = float(similarity.mean()), float(similarity.std())
    enough = share * len(similarity) > _FEWEST
    reached = float(np.quantile(similarity, 1 - share)) if enough else mean + _FAR_ABOVE * spread
    return max(min(reached, _HIGHEST), mean + _ABOVE_MEAN * spread)


def mutual_nearest(pairs: Pairs, k: int) -> Flags:
    """Which pairs are among the k most similar of both their records; of equals, those that stand first."""
    # Similarity and place as one number. Similarities of filters of up to 16,384 bits that differ at all differ by more
    # than a step of these 31 bits, and places have the 32 bits below them.
    unlike = ((1 - pairs.similarity) * (1 << 31)).astype(np.uint64)
    keys = unlike << np.uint64(_PLACE) | np.arange(len(pairs), dtype=np.uint64)
    return _nearest(pairs.left, keys.copy(), k) & _nearest(pairs.right, keys, k)


def _nearest(rows: Rows, keys: NDArray[np.uint64], k: int) -> Flags:
    """Which pairs have one of the k smallest keys of their record; keys end in the pair's place, and are used up."""
    near, used = np.zeros(len(rows), bool), np.iinfo(np.uint64).max
    records, whose = int(rows.max(initial=-1)) + 1, rows.astype(np.intp)  # the only ones that NumPy is fast with
    for _ in range(k):
        best = np.full(records, used, np.uint64)
        np.minimum.at(best, whose, keys)
        chosen = best[best != used] & np.uint64((1 << _PLACE) - 1)
        if not len(chosen):
            break
        near[chosen], keys[chosen] = True, used
    return near


def by_score(rows: Rows, score: Reals) -> NDArray[np.int64]:
    """The order of pairs by record, the best of each first."""
    return np.lexsort((-score, rows))


def places(rows: Rows, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each pair among those of the same record, in that order, which goes by record first."""
    ordered = rows[order]
    first = np.ones(len(rows), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(first)
    place = np.empty(len(rows), np.int64)
    place[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))
    return place


def united(by_keys: Pairs, near: Pairs) -> tuple[Pairs, Flags]:
    """Both kinds of candidates, each pair once and sorted, and which of them are neighbours."""
    found = _numbers(near)
    new = ~_among(found, np.sort(_numbers(by_keys)))
    both = Pairs.concatenate([by_keys, near.where(new)]).sorted()
    return both, _among(_numbers(both), np.sort(found))


def _among(numbers: NDArray[np.int64], rising: NDArray[np.int64]) -> Flags:
    """Which numbers are among these, which rise."""
    if not len(rising):
        return np.zeros(len(numbers), bool)
    return rising[np.minimum(np.searchsorted(rising, numbers), len(rising) - 1)] == numbers


def _numbers(pairs: Pairs) -> NDArray[np.int64]:
    return pairs.left.astype(np.int64) << 32 | pairs.right
