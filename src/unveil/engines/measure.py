"""
The similarity measures, and how many common ones a floor asks for.

With x and y ones in two filters of m bits and c ones in common:

* dice      2c / (x + y)
* jaccard   c / (x + y - c)
* hamming   (m - x - y + 2c) / m, the share of positions that agree

Each is one division of two integers that float64 holds exactly, so it is rounded once and comes out the same on every
machine that rounds as IEEE 754 says. Two empty filters have a Dice and Jaccard similarity of 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits, dice
from unveil.linkage.engine import Measure

Ints = NDArray[np.integer]


def similarity(common: Ints, left: Ints, right: Ints, *, m: int, measure: Measure) -> NDArray[np.float64]:
    """The similarity of filters with so many ones in common, left and right: what every engine must return."""
    if measure == "dice":
        return dice(common, left, right)
    total = np.asarray(left, np.int64) + right
    if measure == "hamming":
        return (m - total + 2 * np.asarray(common, np.int64)) / m
    over, under = np.asarray(common, np.int64), total - common
    return np.divide(over, under, out=np.zeros(under.shape), where=under > 0)


def needed(floor: float, *, most: int, m: int, measure: Measure) -> NDArray[np.int32]:
    """
    For every s = x + y up to `most` the fewest common ones that reach the floor; where none do, s // 2 + 1.

    The measures depend on x and y through s alone, rise with c and fall with s, rounding included. So a pair reaches
    the floor if and only if c >= needed[s], and needed itself rises with s by 0 or 1 at a time: engines may compare
    integers and skip by counts of ones without ever losing a pair to rounding.
    """
    total = np.arange(most + 1, dtype=np.int64)
    low, high = np.zeros_like(total), total // 2 + 1
    none = np.zeros_like(total)
    while (low < high).any():
        middle = np.minimum((low + high) // 2, total // 2)
        reached = (similarity(middle, total, none, m=m, measure=measure) >= floor) & (low < high)
        low, high = np.where(reached | (low >= high), low, middle + 1), np.where(reached, middle, high)
    return low.astype(np.int32)


def check_alike(a: Bits, b: Bits) -> None:
    """Refuse filters of different lengths: position i of the one means nothing in the other."""
    if a.m != b.m:
        raise ValueError(f"filters of {a.m} and {b.m} bits cannot be compared")
