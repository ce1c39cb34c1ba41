"""
What the number of strangers says about a pair: how many of the pairs that are alike like this are matches.

Within a register nobody is anybody's match, so the pairs there tell how many strangers across the owners are how alike
(`linkage.strangers`). Where across the owners there are more, the rest are matches. Second entries of a person within a
register look like matches, too; that they are there shows where a register has more such pairs than there are across.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import STEPS, ByKeys, Tail
from unveil.linkage.strangers_by_keys import NONE

_WIDTH: Final = 3.0  # steps of similarity that count as alike like this: a standard deviation
_SOME: Final = 0.5  # of a pair, that every number may be off by
_SURELY: Final = 2.0
_UNEVEN: Final = 2.0  # as many pairs of strangers in one register as in the other, beyond which something is wrong
_HIGH: Final = STEPS // 2  # step from which on pairs of a register may be second entries
#: What is said where registers were not looked into.
_UNKNOWN: Final = (1.0, 2.0, 0.0)


def beyond_strangers(tail: Tail | None, similarity: Reals, records: float) -> tuple[Reals, Reals, Reals]:
    """
    Three numbers for each pair, by its similarity.

    How many more pairs are alike like this than strangers would be, as a logarithm; for how few of the records a
    stranger is as alike or more, likewise; and how many more pairs like matches there are within registers than across.
    """
    if tail is None:
        return tuple(np.full(len(similarity), value) for value in _UNKNOWN)  # type: ignore[return-value]
    at = tail.step(similarity)
    reaching = _together(tail.at_home)
    more = _more_than_strangers(tail.across, reaching)
    fewer = -np.log((reaching + _SOME) / records)
    second = np.log((reaching + _SURELY) / (tail.across + _SURELY))[_HIGH:].max()
    return more[at], fewer[at], np.full(len(at), max(0.0, float(second)))


def with_the_same_keys(
    counts: ByKeys, group: NDArray[np.int64], step: NDArray[np.int64], records: float, otherwise: tuple[Reals, Reals]
) -> tuple[Reals, Reals]:
    """
    The first two numbers of `beyond_strangers` among those pairs alone that agree on the same keys as this one.

    They are `otherwise` for pairs that agree on no key.
    """
    more, fewer = (column.copy() for column in otherwise)
    said = np.empty((2, *counts.across.shape))
    for row, across in enumerate(counts.across):
        reaching = _reaching(_strangers(counts.at_home[:, row]))
        said[:, row] = _more_than_strangers(_reaching(across), reaching), -np.log((reaching + _SOME) / records)
    # Whoever agrees on two keys agrees on either: that must not say less.
    for row, those in ((-2, slice(None, -2)), (-1, slice(None, -1))):
        said[:, row] = np.maximum(said[:, row], said[:, those].max(axis=1))
    shared = group != NONE
    more[shared], fewer[shared] = said[:, group[shared], step[shared]]
    return more, fewer


def _strangers(at_home: Reals) -> Reals:
    """
    How many strangers are on each step, by what either register says.

    Only pairs that are alike may be second entries. Where one register has many more of the others, somebody may have
    filled it with noise under the keys of real people: then both count.
    """
    found = _together(at_home)
    few, many = np.sort(at_home[:, :_HIGH].sum(axis=1))
    if many > _UNEVEN * (few + _SURELY):
        found[:_HIGH] = at_home[:, :_HIGH].mean(axis=0)
    return found


def _reaching(counts: Reals) -> Reals:
    """How many reach each step."""
    return counts[::-1].cumsum()[::-1]


def _together(at_home: Reals) -> Reals:
    """What both registers say: their mean, but where one has many more, these are mostly second entries in it."""
    first, second = at_home + _SOME / 10
    return 2 * first * second / (first + second)


def _more_than_strangers(across: Reals, reaching: Reals) -> Reals:
    """The logarithm of pairs across by pairs of strangers around each step; it never falls."""
    from scipy.optimize import isotonic_regression

    here, there = (_around(-np.diff(count, append=0.0)) for count in (across, reaching))
    ratio = np.log((here + _SOME) / (there + _SOME))
    return isotonic_regression(ratio, weights=here + there + _SOME).x


def _around(counts: Reals) -> Reals:
    """Counts, each spread over the steps around its own."""
    from scipy.ndimage import gaussian_filter1d

    return gaussian_filter1d(counts, _WIDTH, mode="nearest") * _WIDTH * np.sqrt(2 * np.pi)
