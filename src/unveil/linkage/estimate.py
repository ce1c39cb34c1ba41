"""
Quality without truth: precision, recall and F1 as the units themselves can tell, each with an interval.

If the probabilities p of a match are right, the true matches among the linked pairs number Σp over them, and those
among all candidates Σp over all. How wrong they may be is what the interval is about: the log odds of pairs that were
opened may be off by a little, those of pairs that never were by more, and pairs that blocking kept apart are not seen
at all. The last are estimated from how often matches agree on one blocking key but not on the others: were the keys
independent, as many as (only the first) × (only others) / (both) would agree on none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from unveil.linkage.outcome import Flags, Reals

#: How far the log odds of opened pairs, and of pairs never opened, may be off. The many candidates that are almost
#: surely different people add up to more matches than there are, mostly where few people are shared: hence the −3.
_OFF_OPENED = (-0.7, 0.7)
_OFF_UNOPENED = (-3.0, 1.0)
#: Keys are not independent: from none to all of the estimate may be lost in blocking, and this share is expected.
_LOST = (0.0, 0.3, 1.0)

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
    first_key: Flags
    other_keys: Flags


def estimated_quality(pairs: Candidates, *, trusted: bool = True) -> Estimate:
    """Return the estimate for the current links."""
    corners = [
        _quality(pairs, opened, unopened, lost)
        for opened, unopened, lost in product(_OFF_OPENED, _OFF_UNOPENED, _LOST[::2])
    ]
    point = _quality(pairs, 0.0, 0.0, _LOST[1])
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    precision, recall = (
        (float(min(a, p)), float(p), float(max(b, p))) for a, p, b in zip(low, point, high, strict=True)
    )
    # One shift of all log odds lifts precision and lowers recall, or the other way round: none reaches the best F1.
    f1 = (_f1(precision[0], recall[0]), _f1(precision[1], recall[1]), _f1(precision[2], recall[2]))
    return Estimate(precision, recall, f1, trusted)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _quality(pairs: Candidates, opened: float, unopened: float, lost: float) -> tuple[float, float]:
    """Precision and recall if the log odds were off by so much and so much was lost in blocking."""
    p = 1 / (1 + np.exp(-(pairs.odds + np.where(pairs.opened, opened, unopened))))
    found, linked = float(p[pairs.linked].sum()), int(pairs.linked.sum())
    both, first, others = (
        float(p[marks].sum())
        for marks in (
            pairs.first_key & pairs.other_keys,
            pairs.first_key & ~pairs.other_keys,
            ~pairs.first_key & pairs.other_keys,
        )
    )
    unseen = lost * first * others / both if both else 0.0
    total = float(p.sum()) + unseen
    precision = found / linked if linked else 1.0
    recall = found / total if total else 1.0
    return precision, recall
