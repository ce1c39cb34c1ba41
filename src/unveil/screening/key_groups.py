"""
Records of one upload that share blocking keys: which are copies, unrelated, or several people in one filter.

Likeness of two filters is 1 − d / s, where d is the number of bits in which they differ and s is what it is for two
records drawn at random: 1 is identical, 0 is strangers, whatever the encoding and its hardening.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits, Words
from unveil.linkage.outcome import Flags, Reals

_SAME: Final = 0.8  # likeness of near copies; 1 in 1000 records of a register has another that is so like it
_ALIKE: Final = 0.4  # likeness of what may be the same person; hardly a stranger with the same keys is so like
_STRANGE: Final = 0.05  # likeness of strangers
_LARGE: Final = 0.05  # share of the upload from which on a group of strangers is too large to be chance
_SAMPLE: Final = 4096
_FULL: Final = 0.6  # of the records are no fuller than one that lacks nothing: second entries often lack something
_ROUNDER: Final = 1.15  # a union has so many more ones than such a record …
_LARGER: Final = 1.2  # … and than the record that it holds
_HELD: Final = 0.98  # share of that record's ones that it holds
_WINDOW: Final = 8  # records with fewer ones under the same key that are looked at
_ROOM: Final = np.uint64(17)  # bits that hold any number of ones
_UNIONS: Final = 0.01  # share of the upload below which unions are taken for fuller duplicates, as registers hold them


class KeyGroups:
    """Records of an upload, ordered by their blocking keys (n, K, 16): a group is those that share all of them."""

    def __init__(self, filters: Bits, keys: NDArray[np.uint8]) -> None:
        self._words, self._ones = filters.words, filters.popcounts
        # Keys are hashes, so half of one tells them apart; omitted keys are zero.
        self._keys: Words = np.ascontiguousarray(keys).view(np.uint64)[:, :, 0]
        pattern = mixed(self._keys)
        self._order = np.argsort(pattern)
        ordered = pattern[self._order]
        usable = np.asarray((self._keys > 0).any(axis=1))  # records without any key share nothing
        self._joined: Flags = (ordered[1:] == ordered[:-1]) & usable[self._order[1:]]
        self._likeness = self._neighbours()

    def _neighbours(self) -> Reals:
        """The likeness of each record that has the same keys as the one before it in order, NaN for others."""
        found = np.full(len(self._joined), np.nan)
        at = np.flatnonzero(self._joined)
        left, right = self._order[at], self._order[at + 1]
        strangers = _strangers(self._words)
        found[at] = 1 - _differing(self._words[left], self._words[right]) / strangers
        return found

    def resembling(self, among: Flags) -> float:
        """Return the share of these records that resemble another of them with the same keys."""
        near = np.nan_to_num(self._likeness, nan=-1.0) >= _ALIKE
        near &= among[self._order[1:]] & among[self._order[:-1]]
        has = np.zeros(len(self._order), bool)
        has[1:] |= near
        has[:-1] |= near
        return float(has.sum() / max(1, among.sum()))

    def copied(self, most: int) -> Flags:
        """Which records are in groups of more than `most` that share all keys and are near copies of each other."""
        return self._groups(most, _SAME, np.inf)

    def unrelated(self, most: int) -> Flags:
        """
        Which records are in large groups that share all keys though their filters are strangers.

        People who share several keys resemble each other. A single key may be a weak one, such as a town, so a group
        must share two at least, and hold more than `most` records and one in twenty.
        """
        several = (self._keys > 0).sum(axis=1) > 1
        return self._groups(max(most, int(_LARGE * len(self._order))), -np.inf, _STRANGE) & several

    def _groups(self, most: int, low: float, high: float) -> Flags:
        """Which records are in groups of more than `most` whose typical likeness lies between these."""
        starts = np.flatnonzero(np.concatenate([[True], ~self._joined]))
        sizes = np.diff(np.append(starts, len(self._order)))
        marked = np.zeros(len(self._order), bool)
        for start, size in zip(starts[sizes > most].tolist(), sizes[sizes > most].tolist(), strict=True):
            typical = float(np.median(self._likeness[start : start + size - 1]))
            marked[self._order[start : start + size]] = low <= typical <= high
        return marked

    def unions(self) -> Flags:
        """Which filters hold another record with a key of theirs, and much more; none if these are few."""
        found = np.zeros(len(self._order), bool)
        many = self._ones > _ROUNDER * np.quantile(self._ones, _FULL)
        for key in self._keys.T:
            # Ordered by key, then by ones: the key's last bits make room, so that one sort does both.
            number = (key >> _ROOM << _ROOM) | self._ones.astype(np.uint64)
            order = np.argsort(number)
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order))
            large = np.flatnonzero(many & ~found & (key > 0))
            for step in range(1, _WINDOW + 1):
                large = large[place[large] >= step]
                small = order[place[large] - step]
                same = number[small] >> _ROOM == number[large] >> _ROOM
                large, small = large[same], small[same]
                held = np.bitwise_count(self._words[large] & self._words[small]).sum(axis=1, dtype=np.int64)
                fits = (held >= _HELD * self._ones[small]) & (self._ones[large] >= _LARGER * self._ones[small])
                # A second entry that lacks a key lacks the values of it, and is no other person.
                fits &= ~((self._keys[small] == 0) & (self._keys[large] > 0)).any(axis=1)
                found[large[fits]] = True
        return found if found.mean() > _UNIONS else np.zeros(len(found), bool)


def repeats(words: Words) -> NDArray[np.int64]:
    """How often each row occurs."""
    numbers = mixed(words)
    order = np.argsort(numbers)
    ordered = numbers[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.append(np.flatnonzero(first), len(ordered)))
    count = np.empty(len(ordered), np.int64)
    count[order] = np.repeat(sizes, sizes)
    return count


def mixed(words: Words) -> NDArray[np.uint64]:
    """A number per row: equal rows have equal numbers, others hardly ever. No secret hangs on it."""
    number = np.zeros(len(words), np.uint64)
    for column in words.T:
        number = (number ^ column) * np.uint64(0x9E3779B97F4A7C15)
        number ^= number >> np.uint64(29)
    return number


def _differing(left: Words, right: Words) -> NDArray[np.int64]:
    return np.bitwise_count(left ^ right).sum(axis=1, dtype=np.int64)


def _strangers(words: Words) -> float:
    """In how many bits records drawn at random differ, on average."""
    rng = np.random.default_rng(0)  # any pairs do, and always the same ones
    left, right = rng.integers(0, len(words), (2, _SAMPLE))
    apart = left != right
    return max(1.0, float(_differing(words[left[apart]], words[right[apart]]).mean()))
