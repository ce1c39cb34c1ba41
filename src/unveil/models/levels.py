"""
How well two values agree, in levels, and what each level says: how often matches show it, and how often others do.

The weight of a level is the logarithm of the two shares' ratio, as Fellegi and Sunter have it. Shares start from what
attributes of the same role showed in generated worlds, and adapt to the pairs at hand without any label: each pair
counts for matches as far as it seems to be one, and how many seem so says how far the log odds from above are off for
all of them: few people may be shared, or many. Better agreement never weighs less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Reals

#: Similarities from which on a level begins; 0 is a missing value, 1 the lowest level, the last of these is equality.
#: Names that have nothing in common are .4 alike; short values less, and there an initial or two digits already tell.
BOUNDS: Final = np.array([0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.999])
EQUAL: Final = len(BOUNDS) + 1  # levels from this one on are equal values
UNLIKE: Final = 5  # levels up to this one are values that have little in common
CLASSES: Final = 3  # of frequency: an equal value is a frequent, a common or a rare one
LEVELS: Final = EQUAL + CLASSES + 1
#: Worlds differ much: what is known of a role is worth few pairs with a known answer. Of pairs that only seem to be
#: matches it is worth far more, or what was taken for one at first would confirm itself.
_SEEMING: Final = 150.0
_ROUNDS: Final = 6
_SHIFT_ROUNDS: Final = 25
#: How firmly log odds from above hold against fewer matches than they give, and against more: they rest on counts, and
#: attributes that take many more pairs for matches than were counted mislead, so that against more they hardly move.
_FEWER_FIRM: Final = 4.0
_MORE_FIRM: Final = 1000.0
_SHIFT_PAIRS: Final = 300.0
_CLOSE: Final = 1e-9
_HALVINGS: Final = 40
_DIGITS: Final = 9
_TEMPERED: Final = 0.6  # the odds from above follow from the same values: beside these they say less than alone
KIN: Final = 0.3  # of the pairs that are no matches, before a look
_KIN_WORTH: Final = 20.0
_FARTHEST: Final = 6.0  # log odds from above beyond which a pair counts fully for one side
#: Pairs that what is put in the place of known shares is worth: of those forgotten, and of those of equal values.
_FORGOTTEN: Final = 20.0
_UNEQUAL: Final = 100.0
_STRAY: Final = 0.001  # of equal values, where none are expected
_SOME: Final = 0.1  # of a pair on every level, so that none seems impossible

#: Kinds of pairs, in this order: one person; two of a household; strangers, namesakes among them.
KINDS: Final = ("match", "kin", "other")

Levels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KnownShares:
    """What is known of each attribute: shares of levels by kind of pair, and how many pairs that is worth."""

    shares: Reals  # by kind, attribute and level
    firm: Reals  # by kind and attribute


@dataclass(frozen=True, slots=True)
class Shares:
    """
    For each role the shares of the levels over generated worlds, a row for each kind of pair.

    `firm` says how little worlds differ in each: as many pairs with a known answer would tell as much as is known.
    """

    shares: Mapping[str, Reals]
    firm: Mapping[str, Reals]

    def of(self, roles: Sequence[str]) -> KnownShares:
        """The same for attributes with these roles."""
        return KnownShares(
            np.stack([self.shares[role] for role in roles], axis=1),
            _SEEMING * np.stack([self.firm[role] for role in roles], axis=1),
        )


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
    """The shares as found among the pairs at hand, how many of the others are kin, and what is to be added to odds."""

    shares: Reals
    kin: float
    shift: float

    def against(self) -> Reals:
        """The weights of every level of every attribute against kin, and against strangers."""
        match, *others = self.shares
        return np.stack([weights(match, other) for other in others])

    def together(self) -> Reals:
        """The weights against all that are no matches."""
        match, kin, other = self.shares
        return weights(match, self.kin * kin + (1 - self.kin) * other)


def against_either(against: Reals, kin: float) -> Reals:
    """Log odds against others of whom so many are kin, from the weights against kin and against strangers."""
    return -np.logaddexp(np.log(kin) - against[0], np.log(1 - kin) - against[1])


def adapted(found: Levels, odds: Reals, known: KnownShares) -> Adapted:
    """
    The shares after looking at these pairs, of which the layer above gave log odds, and how many are matches.

    In rounds, each pair counts for matches as far as it seems to be one by the log odds from above, by what is to be
    added to all of them, and by its levels as they weigh so far.
    """
    counted = [np.eye(LEVELS)[found[:, at]] for at in range(found.shape[1])]
    odds = _tempered(odds)
    here = Adapted(known.shares, KIN, 0.0)
    for _ in range(_ROUNDS):
        against = np.stack([summed(weight, found).sum(axis=1) for weight in here.against()])
        said = against_either(against, here.kin)
        shift = _shift(odds, said, here.shift)
        p = _logistic(odds + shift + said)
        # Of what is no match, the part that is kin.
        kin = _logistic(np.log(here.kin / (1 - here.kin)) - against[0] + against[1])
        seeming = np.stack([p, (1 - p) * kin, (1 - p) * (1 - kin)])
        shares = np.stack(
            [
                _mixed(before, firm, counted, one)
                for before, firm, one in zip(known.shares, known.firm, seeming, strict=True)
            ]
        )
        here = Adapted(shares, _kin_share(seeming), shift)
    return here


def forgetting(known: KnownShares, found: Levels, heard: Reals, equal: Reals) -> KnownShares:
    """
    What is known, less what does not hold of attributes that one owner writes otherwise: not, or only in part, `heard`.

    In its place stand the shares among all of these pairs, the same for matches, kin and others. So such an attribute
    says nothing at first, and then as much as it tells apart what the other attributes take for one or the other. Of
    one that is heard, but never `equal` in matches, what is known of unequal values stays.
    """
    unequal = known.shares * np.where(np.arange(LEVELS) < EQUAL, 1, _STRAY)
    unequal /= unequal.sum(axis=2, keepdims=True)
    never = 1 - equal
    known = KnownShares(equal[:, None] * known.shares + never[:, None] * unequal, equal * known.firm + never * _UNEQUAL)
    counts = np.stack([np.bincount(column, minlength=LEVELS) for column in found.T]) + _SOME
    anybody = counts / counts.sum(axis=1, keepdims=True)
    shares = heard[:, None] * known.shares + (1 - heard)[:, None] * anybody
    return KnownShares(shares, heard * known.firm + (1 - heard) * _FORGOTTEN)


def seeming_without(at: int, found: Levels, odds: Reals, here: Adapted, known: KnownShares) -> Reals:
    """How likely each pair is a match by all attributes but that one, as they weighed before this look at them."""
    others = np.arange(found.shape[1]) != at
    before = replace(here, shares=known.shares)
    against = np.stack([summed(weight, found) @ others for weight in before.against()])
    return _logistic(_tempered(odds) + here.shift + against_either(against, here.kin))


def _tempered(odds: Reals) -> Reals:
    """Log odds from above that say less about each pair, and still as many matches in all."""
    odds = np.clip(odds, -_FARTHEST, _FARTHEST)
    wanted, least, most = float(_logistic(odds).sum()), -2 * _FARTHEST, 2 * _FARTHEST
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        if float(_logistic(_TEMPERED * odds + middle).sum()) < wanted:
            least = middle
        else:
            most = middle
    return _TEMPERED * odds + round((least + most) / 2, _DIGITS)


def _kin_share(seeming: Reals) -> float:
    """How many of those who are no matches are kin."""
    _, kin, others = seeming.sum(axis=1).tolist()
    return round((KIN * _KIN_WORTH + kin) / (_KIN_WORTH + kin + others), _DIGITS)


def _shift(odds: Reals, said: Reals, start: float) -> float:
    """
    What is to be added to log odds so that they give as many matches as they do with what attributes say.

    Pairs beyond a few hundred count no more: what is wrong with the shares is wrong in all of them alike.
    """
    shift, worth = start, min(1.0, _SHIFT_PAIRS / max(1, len(odds)))
    for _ in range(_SHIFT_ROUNDS):
        before, after = _logistic(odds + shift), _logistic(odds + shift + said)
        firm = _MORE_FIRM if shift > 0 else _FEWER_FIRM
        missing = worth * float((after - before).sum()) - firm * shift
        step = missing / (worth * float((before * (1 - before)).sum()) + firm)
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
