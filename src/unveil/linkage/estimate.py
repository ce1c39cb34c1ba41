"""
Quality without truth: precision, recall and F1 as the units themselves can tell, each with an interval.

If the probabilities p of a match are right, the true matches among the linked pairs number Σp over them, and those
among all candidates Σp over all. How wrong they may be is what the interval is about: the log odds of pairs that were
opened may be off by a little, those of pairs that never were by more, few pairs differ from their expectation by
chance, and pairs that are no candidates are not seen at all. The last are estimated from two ways of finding
candidates, blocking keys and nearest neighbours, or the first key and the others: were both independent, as many as
(only the one) × (only the other) / (both) would be found by neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

from unveil.linkage.outcome import Flags, Reals

#: How far the log odds of opened pairs, and of pairs never opened, may be off.
_OFF_OPENED = (-0.7, 0.7)
_OFF_UNOPENED = (-1.5, 1.0)
#: The many candidates that are almost surely different people would add up to more matches than there are: over 315
#: generated worlds, log odds fall half as fast again beyond this.
_FAR, _STEEPER = -4.0, 1.5
#: The two ways are not independent: how much of the estimate may be lost, and what is expected, by kind of ways.
_LOST = {"keys": (0.0, 0.3, 1.0), "neighbours": (0.0, 1.0, 2.0)}
#: Of all matches, where there is only one way.
_ALONE = 0.02
_SPREAD = 1.64  # standard errors that chance may be off by, nine times in ten

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
    """All candidate pairs: log odds of a match, whether opened to the layer below, linked, and on which keys agreed."""

    odds: Reals
    opened: Flags
    linked: Flags
    one_way: Flags
    other_way: Flags
    ways: Literal["keys", "neighbours"] = "keys"


def estimated_quality(pairs: Candidates, *, trusted: bool = True) -> Estimate:
    """Return the estimate for the current links."""
    share = _LOST[pairs.ways]
    corners = [
        _quality(pairs, opened, unopened, lost)
        for opened, unopened, lost in product(_OFF_OPENED, _OFF_UNOPENED, share[::2])
    ]
    point = _quality(pairs, 0.0, 0.0, share[1])
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    precision, recall = (
        (float(min(a, p)), float(p), float(max(b, p))) for a, p, b in zip(low, point, high, strict=True)
    )
    # One shift of all log odds lifts precision and lowers recall, or the other way round: none reaches the best F1.
    f1 = (_f1(precision[0], recall[0]), _f1(precision[1], recall[1]), _f1(precision[2], recall[2]))
    linked = int(pairs.linked.sum())
    precision, recall, f1 = (_by_chance(one, linked) for one in (precision, recall, f1))
    return Estimate(precision, recall, f1, trusted)


def _by_chance(interval: Interval, count: int) -> Interval:
    """The interval, wider by what chance may do to that many pairs."""
    if not count:
        return interval
    low, point, high = interval
    off = _SPREAD * float(np.sqrt(max(point * (1 - point), 0.25 / (count + 1)) / count))
    return max(0.0, low - off), point, min(1.0, high + off)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _quality(pairs: Candidates, opened: float, unopened: float, lost: float) -> tuple[float, float]:
    """Precision and recall if the log odds were off by so much and so much of what neither way finds was lost."""
    far = np.minimum(pairs.odds - _FAR, 0) * (_STEEPER - 1)
    p = 1 / (1 + np.exp(-(pairs.odds + np.where(pairs.opened, opened, unopened + far))))
    found, linked = float(p[pairs.linked].sum()), int(pairs.linked.sum())
    both, one, other = (
        float(p[marks].sum())
        for marks in (
            pairs.one_way & pairs.other_way,
            pairs.one_way & ~pairs.other_way,
            ~pairs.one_way & pairs.other_way,
        )
    )
    seen = float(p.sum())
    unseen = lost * one * other / both if both else lost * _ALONE * seen
    precision = found / linked if linked else 1.0
    recall = found / (seen + unseen) if seen + unseen else 1.0
    return precision, recall
