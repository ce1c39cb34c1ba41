"""
How well two values agree, in levels, and what each level says: how often matches show it, and how often others do.

The weight of a level is the logarithm of the two shares' ratio, as Fellegi and Sunter have it. Shares start from what
attributes of the same role showed in generated worlds, and adapt to the pairs at hand without any label: each pair
counts for matches as far as it seems to be one, and how many seem so says how far the log odds from above are off for
all of them: few people may be shared, or many. Better agreement never weighs less.
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
#: Worlds differ much: what is known of a role is worth few pairs with a known answer. Of pairs that only seem to be
#: matches it is worth more, or what was taken for one at first would confirm itself.
_SEEMING: Final = 20.0
_ROUNDS: Final = 6
_SHIFT_ROUNDS: Final = 25
_SHIFT_SPREAD: Final = 1.0  # standard deviation of how far log odds from above are off, as is expected before a look
_SHIFT_PAIRS: Final = 300.0
_CLOSE: Final = 1e-9
_DIGITS: Final = 9
_TEMPERED: Final = 0.7  # attributes are not independent: their weights together say less than their sum
_FARTHEST: Final = 6.0  # log odds from above beyond which a pair counts fully for one side

Levels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KnownShares:
    """What is known of each attribute, one row each: shares of levels, and how many seeming pairs that is worth."""

    match: Reals
    other: Reals
    firm_match: Reals
    firm_other: Reals


@dataclass(frozen=True, slots=True)
class Shares:
    """
    For each role the shares of the levels among matches, and among other pairs, over generated worlds.

    `firm` says how little worlds differ in either: as many pairs with a known answer would tell as much as is known.
    """

    match: Mapping[str, Reals]
    other: Mapping[str, Reals]
    firm: Mapping[str, tuple[float, float]]

    def of(self, roles: Sequence[str]) -> KnownShares:
        """The same for attributes with these roles."""
        firm = _SEEMING * np.array([self.firm[role] for role in roles])
        match, other = (np.stack([kind[role] for role in roles]) for kind in (self.match, self.other))
        return KnownShares(match, other, firm[:, 0], firm[:, 1])


def levels(similarity: Reals, agreement: NDArray[np.uint8]) -> Levels:
    """The level of each attribute of each pair."""
    found = np.digitize(similarity, BOUNDS).astype(np.int64) + 1
    equal = (similarity >= BOUNDS[-1]) & (agreement > 0)
    found = np.where(equal, EQUAL + np.minimum(agreement, CLASSES), found)
    return np.where(np.isnan(similarity), 0, found)


def weights(match: Reals, other: Reals) -> Reals:
    """
    The weight of every level of every attribute, never falling with agreement.

    Neither a gap nor a difference speaks for a match: among pairs that are asked about, kin live together and matches
    have moved, but that somebody lives elsewhere is no reason to think that they are the same.
    """
    raw = np.log(match / other)
    found = np.empty_like(raw)
    for row in range(len(raw)):
        found[row, 1:] = rising(raw[row, 1:], match[row, 1:] + other[row, 1:])
        found[row, 1:] -= max(0.0, float(found[row, 1]))
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


def adapted(found: Levels, odds: Reals, known: KnownShares, heard: Reals) -> Adapted:
    """
    The shares after looking at these pairs, of which the layer above gave log odds, and how many are matches.

    In rounds, each pair counts for matches as far as it seems to be one by the log odds from above, by what is to be
    added to all of them, and by its levels as they weigh so far. `heard` says how far each attribute is listened to.
    """
    counted = [np.eye(LEVELS)[found[:, at]] for at in range(found.shape[1])]
    odds = np.clip(odds, -_FARTHEST, _FARTHEST)
    here = Adapted(known.match, known.other, 0.0)
    for _ in range(_ROUNDS):
        said = _TEMPERED * (summed(weights(here.match, here.other), found) @ heard)
        shift = _shift(odds, said, here.shift)
        p = _logistic(odds + shift + said)
        here = Adapted(
            _mixed(known.match, known.firm_match, counted, p),
            _mixed(known.other, known.firm_other, counted, 1 - p),
            shift,
        )
    return here


def _shift(odds: Reals, said: Reals, start: float) -> float:
    """
    What is to be added to log odds so that they give as many matches as they do with what attributes say.

    Pairs beyond a few hundred count no more: what is wrong with the shares is wrong in all of them alike.
    """
    shift, worth = start, min(1.0, _SHIFT_PAIRS / max(1, len(odds)))
    for _ in range(_SHIFT_ROUNDS):
        before, after = _logistic(odds + shift), _logistic(odds + shift + said)
        missing = worth * float((after - before).sum()) - shift / _SHIFT_SPREAD**2
        step = missing / (worth * float((before * (1 - before)).sum()) + 1 / _SHIFT_SPREAD**2)
        shift += float(np.clip(step, -1, 1))
        if abs(step) < _CLOSE:
            break
    return round(shift, _DIGITS)


def _logistic(odds: Reals) -> Reals:
    p: Reals = 1 / (1 + np.exp(-np.clip(odds, -20, 20)))
    return p


def _mixed(before: Reals, firm: Reals, counted: Sequence[Reals], share: Reals) -> Reals:
    seen = np.stack([share @ one for one in counted])
    return (firm[:, None] * before + seen) / (firm + share.sum())[:, None]


def summed(weight: Reals, found: Levels) -> Reals:
    """The weight of each attribute's level in each pair."""
    return weight[np.arange(found.shape[1]), found]
