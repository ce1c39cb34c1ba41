"""
How often blocking keys and attributes agree among pairs that are taken for the same person.

An owner that writes a date or a name in a way of its own makes no error that anybody would see: its records are
plausible, and links are found by the rest. But what it writes so never agrees with the other owner's. That shows in
the hashes and similarities that the units hold anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Outcomes, Reals
from unveil.linkage.pairs import Rows

_LIKELY: Final = 0.9  # probability from which on a pair is taken for one person
_ENOUGH: Final = 20  # of such pairs tell how often something agrees
# Even in generated registers with 14 % wrong values and a third of the people moved, 30 % and more agree.
_HARDLY: Final = 0.05
# Of attributes a little more: a date of the form 12.12.1912 is the same from either end.
_SELDOM: Final = 0.1
_COMMON: Final = 10  # records that have the same value: more than a household
_MANY: Final = 20  # such values of an owner, of which some would be at the other, too
_EQUAL: Final = 0.999  # similarity of values that are the same

_Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class KeyAgreement:
    """
    One blocking key: likely pairs whose records both have it, and how many of these agree.

    `apart` says that no value at all occurs at both owners, though each has many that ten or more of its records have.
    """

    pairs: int
    agreeing: int
    apart: bool

    @property
    def hardly(self) -> bool:
        """Whether it hardly ever agrees where it should."""
        return self.pairs >= _ENOUGH and self.agreeing < _HARDLY * self.pairs


@dataclass(frozen=True, slots=True)
class AttributeAgreement:
    """One attribute: likely pairs whose records both have it, those in which it is equal, and the same of others."""

    pairs: int
    equal: int
    others: int
    equal_in_others: int

    @property
    def hardly(self) -> bool:
        """Whether it is hardly ever equal where it should be."""
        return self.pairs >= _ENOUGH and self.equal < _SELDOM * self.pairs

    @property
    def written_alike(self) -> bool:
        """
        Whether it is equal in some of the other pairs, so that both owners write it in one form.

        Pairs are opened where they are uncertain. Where nothing but a move or a marriage makes them so, all likely ones
        have moved or married; but the others among them, who are kin or live together, then have the same address or
        name.
        """
        return self.equal_in_others > 0 and self.equal_in_others >= _HARDLY * self.others


def likely(outcomes: Outcomes) -> Flags:
    """Which pairs are taken for the same person with high probability."""
    return outcomes.g & (outcomes.p >= _LIKELY)


def key_agreements(
    left: NDArray[np.uint8], right: NDArray[np.uint8], pairs: tuple[Rows, Rows]
) -> Iterator[KeyAgreement]:
    """The agreement of each of the hashed keys (n, K, 16) of two owners, by pairs that are likely."""
    for key in range(left.shape[1]):
        yield _agreement(_words(left[:, key]), _words(right[:, key]), pairs)


def attribute_agreements(similarity: Reals, taken_for_one: Flags) -> list[AttributeAgreement]:
    """The agreement of each attribute, by its similarities in pairs of which some are likely; NaN: not known."""
    counts = [
        count.tolist()
        for some in (similarity[taken_for_one], similarity[~taken_for_one])
        for count in ((~np.isnan(some)).sum(axis=0), (some >= _EQUAL).sum(axis=0))
    ]
    return [AttributeAgreement(*each) for each in zip(*counts, strict=True)]


def _agreement(left: _Keys, right: _Keys, pairs: tuple[Rows, Rows]) -> KeyAgreement:
    a, b = left[pairs[0]], right[pairs[1]]
    there = a.any(axis=1) & b.any(axis=1)
    agreeing = int((there & (a == b).all(axis=1)).sum())
    return KeyAgreement(pairs=int(there.sum()), agreeing=agreeing, apart=not agreeing and _apart(left, right))


def _apart(left: _Keys, right: _Keys) -> bool:
    """Whether no value occurs at both owners, though each has many that are common."""
    # Half of a hash tells values apart as well, and is sorted in a fraction of the time.
    sides = [np.unique(side[side.any(axis=1), 0], return_counts=True) for side in (left, right)]
    common = [values[times >= _COMMON] for values, times in sides]
    if min(map(len, common)) < _MANY:
        return False
    if _short(left) and _short(right):
        # Rare values share a short hash by chance, and of common ones a few.
        return bool(np.isin(common[0], common[1], assume_unique=True).mean() < _HARDLY)
    return not np.isin(sides[0][0], sides[1][0], assume_unique=True).any()


def _short(side: _Keys) -> bool:
    """Whether nothing of the hashes but their beginnings was sent: then their second halves are all the same."""
    there = side[side.any(axis=1), 1]
    return len(there) > 1 and bool((there == there[0]).all())


def _words(hashes: NDArray[np.uint8]) -> _Keys:
    """Hashes of 16 bytes as two numbers each; zeros stand for a key that is omitted."""
    return np.ascontiguousarray(hashes).view(np.uint64)
