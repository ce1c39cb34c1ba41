"""
How evenly bits are spread, each measure beside what chance alone gives.

Near the floor a measure proves little: it rules out a frequency table, and no attack that goes by similarities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from unveil.linkage.bits import Bits
from unveil.privacy.bits import gini, gini_floor, js_distance, js_distance_floor, position_counts


@dataclass(frozen=True, slots=True)
class Beside:
    """A measure and what that many independent random filters of the same fill have."""

    value: float
    floor: float

    @property
    def ratio(self) -> float:
        """How many times the floor it is."""
        return self.value / self.floor if self.floor else 0.0


@dataclass(frozen=True, slots=True)
class Spread:
    """The measures of a set of filters; `entropy` is what is missing to the most there can be, in bits."""

    filters: int
    fill: float
    gini: Beside
    js_distance: Beside
    entropy: Beside


def spread(filters: Bits) -> Spread:
    """The measures of these filters."""
    counts = position_counts(filters)
    n = len(filters)
    fill = float(counts.sum()) / (n * filters.m) if n else 0.0
    if not 0 < fill < 1:
        nothing = Beside(0.0, 0.0)
        return Spread(n, fill, nothing, nothing, nothing)
    return Spread(
        filters=n,
        fill=fill,
        gini=Beside(gini(counts), gini_floor(fill, n)),
        js_distance=Beside(js_distance(counts), js_distance_floor(fill, n)),
        entropy=Beside(missing_entropy(counts), missing_entropy_floor(fill, n)),
    )


def missing_entropy(counts: ArrayLike) -> float:
    """Return log2(m) - H(p) for p = c/Σc: the bits by which positions are less even than they could be."""
    c = np.asarray(counts, dtype=np.float64)
    total = c.sum()
    if total == 0:
        return 0.0
    p = c[c > 0] / total
    return max(0.0, float(math.log2(len(c)) + (p * np.log2(p)).sum()))


def missing_entropy_floor(fill: float, n: int) -> float:
    """
    Return what to expect of n independent random filters with that share of ones.

    (1 - f) / (2·ln 2·f·n): the second-order term of the divergence from uniform, for counts that vary by n·f·(1 - f).
    """
    return (1 - fill) / (2 * math.log(2) * fill * n)
