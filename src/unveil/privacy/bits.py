"""
How evenly the ones of a set of filters are spread over the bit positions.

Frequency attacks read frequent values out of frequent bits. Gini coefficient and Jensen-Shannon distance to the uniform
distribution are 0 when every position is set equally often; filters under keys of their own come down to the noise
floor of that many random filters, and no further.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.linkage.bits import Bits

Counts = NDArray[np.int64]
_CHUNK = 4096  # filters unpacked at a time: one byte per bit, so 1,024-bit filters take 4 MiB


def position_counts(filters: Bits) -> Counts:
    """How many filters have a one at each of the m positions."""
    counts = np.zeros(filters.m, dtype=np.int64)
    for start in range(0, len(filters), _CHUNK):
        rows = np.ascontiguousarray(filters.words[start : start + _CHUNK], dtype="<u8").view(np.uint8)
        bits = np.unpackbits(rows, axis=1, bitorder="little", count=filters.m)
        counts += bits.sum(axis=0, dtype=np.int64)
    return counts


def gini(counts: ArrayLike) -> float:
    """
    Return the Gini coefficient of the counts, 0 when all are equal.

    Σ_i Σ_j |c_i - c_j| / (2·m·Σc), computed from sorted counts as Σ_i (2i - m - 1)·c_(i) / (m·Σc), i from 1.
    """
    c = np.sort(np.asarray(counts, dtype=np.float64))
    m, total = len(c), c.sum()
    if total == 0:
        return 0.0
    rank = 2.0 * np.arange(1, m + 1) - m - 1
    return float(rank @ c / (m * total))


def js_divergence(counts: ArrayLike) -> float:
    """
    Return the Jensen-Shannon divergence, base 2, of the counts from the uniform distribution.

    (KL(p‖a) + KL(u‖a)) / 2 with p = c/Σc, u = 1/m and a = (p + u)/2. A count of zero adds nothing to the first term
    but keeps its part of the second.
    """
    c = np.asarray(counts, dtype=np.float64)
    m, total = len(c), c.sum()
    if total == 0:
        return 0.0
    p = c / total
    u = 1.0 / m
    a = (p + u) / 2
    held = p > 0
    from_p = (p[held] * np.log2(p[held] / a[held])).sum()
    from_u = (u * np.log2(u / a)).sum()
    return float(max(0.0, (from_p + from_u) / 2))  # rounding may fall a hair below zero


def js_distance(counts: ArrayLike) -> float:
    """Return the Jensen-Shannon distance, the square root of the divergence; the figure that papers print."""
    return math.sqrt(js_divergence(counts))


def gini_floor(fill: float, n: int) -> float:
    """
    Return the Gini coefficient to expect of n independent random filters with that share of ones.

    G₀ ≈ √((1 - f) / (π·f·n)): counts are nearly normal, and a normal variable has G = σ / (μ·√π). Records that share a
    key and agree are not independent, so n counts keys (pairs) rather than records.
    """
    return math.sqrt((1 - fill) / (math.pi * fill * n))


def js_distance_floor(fill: float, n: int) -> float:
    """
    Return the Jensen-Shannon distance to expect of n independent random filters with that share of ones.

    JSD₀ ≈ 0.425·√((1 - f) / (f·n)), where 0.425 ≈ √(1 / (8·ln 2)) comes from the divergence's second-order term.
    """
    return math.sqrt((1 - fill) / (8 * math.log(2) * fill * n))
