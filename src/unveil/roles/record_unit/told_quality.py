"""
What owners are told of the links' quality: how many there are and how good they seem, so that no one person shows.

An owner that knows all of its register but one record could tell by the exact count whether that one has a partner, and
by exact figures too. So the count is moved by two-sided geometric noise, precision and recall by twice as much over the
count, F1 follows from these, and intervals are widened by as much and rounded outwards. Of few links no figure is told
at all. Whoever may join the tables sees the links, so for them the exact figures are sealed with the pairs.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.estimate import Estimate, Interval
from unveil.protocol.messages import LinkQuality
from unveil.safety.coins import Coins

#: The scale of the noise, in links: one link more moves the odds of any count by a tenth at most.
SCALE: Final = 10
#: That of the noise in precision and in recall: of each, one link moves the odds by a twentieth.
FIGURES_SCALE: Final = 20
#: By how much the count is off at most, nine times in ten.
OFF_BY: Final = math.ceil(SCALE * math.log(10))
#: Of fewer links, as far as owners are told, the noise would drown every figure.
FEWEST: Final = 1000
_STEPS: Final = 1000  # in which figures are told: thousandths
_WIDTHS: Final = 100  # in which intervals are told: hundredths, outwards
_WORD: Final = float(1 << 64)


def told_quality(links: int, estimate: Estimate | None, coins: Coins) -> LinkQuality:
    """The message for owners; every owner gets the same, so that two of them know no more than one."""
    words = coins.words((3, 2))
    count = max(0, links + _noise(words[0], SCALE))
    if estimate is None or count < FEWEST:
        return LinkQuality(count, OFF_BY, 0, b"")
    scale = FIGURES_SCALE / count
    precision, recall = (
        _within(interval[1] + _noise(some, scale * _STEPS) / _STEPS)
        for interval, some in zip((estimate.precision, estimate.recall), words[1:], strict=True)
    )
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    points = (precision, recall, f1)
    intervals = (estimate.precision, estimate.recall, estimate.f1)
    figures = [_around(point, interval, scale) for point, interval in zip(points, intervals, strict=True)]
    return LinkQuality(count, OFF_BY, int(estimate.trusted), np.array(figures, "<f8").tobytes())


def _around(point: float, interval: Interval, scale: float) -> Interval:
    """A point with an interval about as wide as the one that was estimated, and by the noise wider."""
    low, middle, high = interval
    down, up = (math.ceil(each * _WIDTHS) / _WIDTHS + scale * math.log(10) for each in (middle - low, high - middle))
    return round(_within(point - down), 3), round(point, 3), round(_within(point + up), 3)


def _within(share: float) -> float:
    return min(max(share, 0.0), 1.0)


def _noise(words: NDArray[np.uint64], scale: float) -> int:
    """The difference of two geometric numbers of that scale: a whole number, as likely below 0 as above."""
    # From whole words, and whole numbers out: what a float lacks in its last digits would tell the count apart.
    one, other = (math.floor(-scale * math.log((int(word) + 1) / _WORD)) for word in words)
    return one - other
