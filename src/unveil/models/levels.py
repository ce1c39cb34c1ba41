"""
How well two values agree, in levels, and what each level says: how often matches show it, and how often others do.

The weight of a level is the logarithm of the two shares' ratio, as Fellegi and Sunter have it. Shares start from what
attributes of the same role showed in generated worlds, and adapt to the pairs at hand without any label: each pair
counts for matches as far as it seems to be one, and how many seem so says how far the log odds from above are off for
all of them: few people may be shared. Better agreement never weighs less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Reals

#: Similarities from which on a level begins; 0 is a missing value, 1 the lowest level, the last of these is equality.
BOUNDS: Final = np.array([0.45, 0.55, 0.65, 0.75, 0.85, 0.999])
EQUAL: Final = len(BOUNDS) + 1  # levels from this one on are equal values
UNLIKE: Final = 3  # levels up to this one are values that have little in common
CLASSES: Final = 3  # of frequency: an equal value is a frequent, a common or a rare one
LEVELS: Final = EQUAL + CLASSES + 1
_FIRM: Final = 5000.0  # pairs that what is known before is worth
_ROUNDS: Final = 4
_SHIFT_ROUNDS: Final = 60
_WITHIN: Final = 0.25  # a shift up to this may as well be the fault of these shares
_SHIFT_FIRM: Final = 0.5  # how firmly the log odds from above stay as they are
_TEMPERED: Final = 0.7  # attributes are not independent: their weights together say less than their sum
_FARTHEST: Final = 6.0  # log odds from above beyond which a pair counts fully for one side

Levels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shares:
    """For each role the shares of the levels among matches, and among other pairs."""

    match: Mapping[str, Reals]
    other: Mapping[str, Reals]

    def of(self, roles: Sequence[str]) -> tuple[Reals, Reals]:
        """Both as arrays with a row for each attribute."""
        return np.stack([self.match[role] for role in roles]), np.stack([self.other[role] for role in roles])


def levels(similarity: Reals, agreement: NDArray[np.uint8]) -> Levels:
    """The level of each attribute of each pair."""
    found = np.digitize(similarity, BOUNDS).astype(np.int64) + 1
    equal = (similarity >= BOUNDS[-1]) & (agreement > 0)
    found = np.where(equal, EQUAL + np.minimum(agreement, CLASSES), found)
    return np.where(np.isnan(similarity), 0, found)


def weights(match: Reals, other: Reals) -> Reals:
    """The weight of every level of every attribute, never falling with agreement; a gap never speaks for a match."""
    raw = np.log(match / other)
    found = np.empty_like(raw)
    for row in range(len(raw)):
        found[row, 1:] = rising(raw[row, 1:], match[row, 1:] + other[row, 1:])
        # Among uncertain pairs gaps are common in matches, and still a gap must not speak for one.
        found[row, 0] = np.clip(raw[row, 0], found[row, 1], min(0.0, found[row, -1]))
    return found


def rising(values: Reals, weight: Reals) -> Reals:
    """The nearest values, by weighted squares, that never fall."""
    from scipy.optimize import isotonic_regression

    return isotonic_regression(values, weights=weight).x


@dataclass(frozen=True, slots=True)
class Adapted:
    """The shares as found among the pairs at hand, and what is to be added to log odds from above, for all."""

    match: Reals
    other: Reals
    shift: float


def adapted(found: Levels, odds: Reals, match: Reals, other: Reals, heard: Reals) -> Adapted:
    """
    The shares after looking at these pairs, of which the layer above gave log odds, and how many are matches.

    `heard` says how far each attribute is listened to.
    """
    counted = [np.eye(LEVELS)[found[:, at]] for at in range(found.shape[1])]
    odds = np.clip(odds, -_FARTHEST, _FARTHEST)
    shift = _shift(odds, _TEMPERED * (summed(weights(match, other), found) @ heard))
    here = Adapted(match, other, shift)
    for _ in range(_ROUNDS):
        p = _logistic(odds + _TEMPERED * (summed(weights(here.match, here.other), found) @ heard))
        here = Adapted(_mixed(match, counted, p), _mixed(other, counted, 1 - p), shift)
    return here


def _shift(odds: Reals, said: Reals) -> float:
    """
    What must be added to log odds so that they give no more matches than they do with what attributes say.

    It is found with the shares as known before: adapted along, both could agree on a world without matches. A little of
    it may as well be the fault of these shares, and is left. Nothing is ever added for matches: where encodings are
    noisy all values seem alike, and taking strangers for matches does more harm than the other way round.
    """
    shift = 0.0
    for _ in range(_SHIFT_ROUNDS):
        before, after = _logistic(odds + shift), _logistic(odds + shift + said)
        missing = float((after - before).sum()) - shift * _SHIFT_FIRM
        shift += float(np.clip(missing / (float((before * (1 - before)).sum()) + _SHIFT_FIRM), -1, 1))
    return min(shift + _WITHIN, 0.0)


def _logistic(odds: Reals) -> Reals:
    p: Reals = 1 / (1 + np.exp(-np.clip(odds, -20, 20)))
    return p


def _mixed(before: Reals, counted: Sequence[Reals], share: Reals) -> Reals:
    seen = np.stack([share @ one for one in counted])
    return (_FIRM * before + seen) / (_FIRM + share.sum())


def summed(weight: Reals, found: Levels) -> Reals:
    """The weight of each attribute's level in each pair."""
    return weight[np.arange(found.shape[1]), found]
