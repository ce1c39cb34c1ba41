"""
How full an owner's filters are on average, and whether that is far from what schemas aim at.

Schemas choose h so that filters are 40 % full. Two strangers' filters are about as similar as they are full: beyond .6
they pass for alike, and below .2 bits hardly overlap, so that single q-grams can be read off. In between are plain
filters with gaps in their records (.3), and hardened ones, which most methods bring to about a half. Two owners who
hold the same kind of people differ by some hundredths; a tenth is an attribute that one of them lacks or cuts short.
"""

from __future__ import annotations

from typing import Final

from unveil.linkage.bits import Bits

_EMPTY: Final = 0.2
_FULL: Final = 0.6
_APART: Final = 0.1
_ENOUGH: Final = 100  # records from which on their mean says something


def mean_fill(filters: Bits) -> float | None:
    """The mean share of ones; None of too few filters."""
    return None if len(filters) < _ENOUGH else float(filters.popcounts.mean() / filters.m)


def far_off(fill: float) -> bool:
    """Whether filters so full are nearly empty, or too full."""
    return not _EMPTY <= fill <= _FULL


def differ(first: float, second: float) -> bool:
    """Whether two owners' filters can hardly hold the same attributes in the same form."""
    return abs(first - second) > _APART
