"""
Quality without truth: precision, recall and F1 as the units themselves can tell, each with an interval.

If the probabilities p of a match are right, the true matches among any pairs number Σp over them. Precision, recall and
F1 follow from four such numbers, of pairs linked or not, opened or not, and from how many matches are no candidates.
Each of the five may be off: by chance, whose variance is Σp(1 − p); and because the model does not fit, by a part of
what it doubts, Σmin(p, 1 − p). Whatever is off is so for reasons of its own, so that it adds up as squares do.

How many matches are no candidates, or candidates that nobody would take for one, shows in those that just are found.
There are two ways of finding candidates, blocking keys and nearest neighbours, or the first key and the others: who is
hard to find for the one is so for the other, so that about as many are found by neither as by only the one and by only
the other, in the geometric mean. Where many matches are hardly more alike than neighbours must be, others are less so.
And where the record unit doubted most matches before it learnt, records are so different that some share nothing, and
half as many so little that it was sure of a non-match and opened none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import Comparison

#: The many candidates that are almost surely different people would add up to more matches than there are: over
#: generated worlds, log odds of pairs that were not opened fall nearly half as fast again beyond this.
_FAR: Final = -2.0
_STEEPER: Final = 1.45
#: By which part of what the model doubts each number may be off: linked or not, opened or not.
_OFF: Final = {"linked, opened": 1.0, "opened": 0.8, "linked": 1.0, "neither": 2.0}
#: Of what is expected to be lost how much is lost at least, and at most.
_LOST: Final = (0.0, 3.0)
#: How many are lost: of all that were found where there is only one way, for each found by only one of two ways, for
#: each hardly alike enough, and for each that was doubted. Fitted to 200 generated worlds that no model learnt.
_ALONE: Final = 0.05
_ONE_WAY: Final = 0.6
_BARELY: Final = 0.05
_DOUBTED: Final = 0.15
_ABOVE: Final = 12  # steps of similarity from the lowest that count as hardly alike enough
_SEEN: Final = 0.05  # probability from which on a pair that is not linked tells what a way finds
_SPREAD: Final = 1.64  # standard deviations that a number may be off by, nine times in ten
_UNSEEN: Final = 1.0  # variance that is left where everything seems sure
_CLOSEST: Final = 0.005  # no figure is known better than this

Interval = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Low, point and high of each. `trusted` is false where the labels contradict what the models expect."""

    precision: Interval
    recall: Interval
    f1: Interval
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Candidates:
    """
    All candidate pairs: log odds of a match, whether opened to the layer below, linked, and by which way found.

    `thought` are the record unit's log odds before it learnt; `barely` marks pairs hardly alike enough to be found.
    """

    odds: Reals
    opened: Flags
    linked: Flags
    one_way: Flags
    other_way: Flags
    thought: Reals
    barely: Flags


@dataclass(frozen=True, slots=True)
class _Counts:
    """Links, the true ones among them, and the matches that are not linked."""

    links: int
    right: float
    missed: float

    def quality(self) -> Reals:
        """Precision, recall and F1."""
        precision = self.right / self.links if self.links else 1.0
        all_of_them = self.right + self.missed
        recall = self.right / all_of_them if all_of_them else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return np.array([precision, recall, f1])

    def moved(self, *, right: float = 0.0, missed: float = 0.0) -> _Counts:
        """The same with so many more of either, as far as there can be."""
        return replace(
            self,
            right=min(max(self.right + right, 0.0), float(self.links)),
            missed=max(self.missed + missed, 0.0),
        )


def estimated_quality(pairs: Candidates, *, trusted: bool = True) -> Estimate:
    """Return the estimate for the current links."""
    p = _probabilities(pairs)
    lost = _lost(pairs, p)
    low, high = (share * lost for share in _LOST)
    counts = _Counts(int(pairs.linked.sum()), float(p[pairs.linked].sum()), float(p[~pairs.linked].sum()) + lost)
    moves = [counts.moved(missed=low - lost), counts.moved(missed=high - lost)]
    for name, some in _groups(pairs).items():
        off = _SPREAD * _deviation(p[some], _OFF[name])
        moves += [counts.moved(**{"right" if "linked" in name else "missed": by}) for by in (off, -off)]
    precision, recall, f1 = _intervals(counts.quality(), [move.quality() for move in moves])
    return Estimate(precision, recall, f1, trusted)


def _probabilities(pairs: Candidates) -> Reals:
    """How likely each pair is a match, far ones that nobody looked at less than their odds say."""
    far = np.where(pairs.opened, 0.0, np.minimum(pairs.odds - _FAR, 0) * (_STEEPER - 1))
    return _logistic(pairs.odds + far)


def _groups(pairs: Candidates) -> dict[str, Flags]:
    return {
        "linked, opened": pairs.linked & pairs.opened,
        "opened": ~pairs.linked & pairs.opened,
        "linked": pairs.linked & ~pairs.opened,
        "neither": ~pairs.linked & ~pairs.opened,
    }


def _deviation(p: Reals, off: float) -> float:
    """By how much Σp may be off, as a standard deviation; 0 of no pairs."""
    if not len(p):
        return 0.0
    doubt = float(np.minimum(p, 1 - p).sum())
    return float(np.sqrt((p * (1 - p)).sum() + (off * doubt) ** 2 + _UNSEEN))


def _lost(pairs: Candidates, p: Reals) -> float:
    """How many matches may be no candidates."""
    one_way, other_way = pairs.one_way, pairs.other_way
    p = np.where(pairs.linked | (p > _SEEN), p, 0.0)  # many that hardly are matches would look like a finding
    lost = _BARELY * float(p[pairs.barely].sum()) + _DOUBTED * float(p @ _logistic(-pairs.thought))
    if not float(p[one_way & other_way].sum()):
        return lost + _ALONE * float(p.sum())
    only_one, only_other = float(p[one_way & ~other_way].sum()), float(p[other_way & ~one_way].sum())
    return lost + _ONE_WAY * float(np.sqrt(only_one * only_other))


def barely_alike(comparison: Comparison) -> Flags:
    """Which pairs are hardly more alike than neighbours must be; none where no neighbours were looked for."""
    similarity = comparison.pairs.similarity
    if comparison.near is None or comparison.tail is None:
        return np.zeros(len(similarity), bool)
    return comparison.tail.step(similarity) < comparison.tail.lowest + _ABOVE


def _logistic(odds: Reals) -> Reals:
    p: Reals = 1 / (1 + np.exp(-np.clip(odds, -40, 40)))
    return p


def _intervals(point: Reals, moves: Sequence[Reals]) -> list[Interval]:
    """Low, point and high of each figure, if what moves it adds up as squares do."""
    by = np.array(moves) - point
    down, up = (np.sqrt((np.minimum(sign * by, 0) ** 2).sum(axis=0)) for sign in (1, -1))
    low, high = np.maximum(point - down - _CLOSEST, 0), np.minimum(point + up + _CLOSEST, 1)
    return [(float(a), float(b), float(c)) for a, b, c in zip(low, point, high, strict=True)]
