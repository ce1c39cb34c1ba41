"""
How alike two values are, by the signs that they have in common, and how common they are if they are equal.

Signs are fair coins (`encoding.signs`): what both owners send of a pair tells the number of signs in common and
nothing else. Models and bounds are made for similarities of filters, so that number is put on their scale.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Words
from unveil.linkage.outcome import Reals

#: Share of ones in the filters whose scale is used.
_FILL: Final = 0.4
#: Classes of frequency that can be hidden; rarer ones count as the last.
MOST_CLASSES: Final = 7
_HALVES: Final = 16  # values of half a byte, in which a class is hidden


def sign_similarities(left: Words, right: Words) -> Reals:
    """
    Return the similarity of each pair and attribute by signs and marks, of shape (n, D, words).

    Where the marks differ, a value is missing on one side or both, and the similarity is NaN.
    """
    signs = 64 * (left.shape[2] - 1)
    apart = np.bitwise_count(left[..., :-1] ^ right[..., :-1]).sum(axis=2, dtype=np.int64)
    there = (left[..., -1] == right[..., -1]) & (left[..., -1] != 0)
    found = np.where(apart == 0, 1.0, as_filters(1 - apart / signs))
    return np.where(there, found, np.nan)


def as_filters(common: Reals) -> Reals:
    """
    Return the Dice similarity that filters would have, from the share of signs in common.

    Of signs, p are in common by ρ = sin(π·(p − ½)), the share of tokens in common. Filters of which f are ones, of
    values of one length, have 1 − 2·(1−f) + (1−f)^(2−ρ) of their bits in common, and their Dice similarity is that over
    f: for f = .4 it is .4 of unrelated values, and 1 of equal ones.
    """
    tokens, empty = np.sin(np.pi * (common - 0.5)), 1 - _FILL
    return np.asarray((1 - 2 * empty + empty ** (2 - tokens)) / _FILL, dtype=np.float64)


def chance_of_signs(signs: int, deviations: float) -> float:
    """The similarity of unrelated values that many standard deviations above what is expected: half the signs."""
    return float(as_filters(np.array(0.5 + deviations * 0.5 / signs**0.5)))


def shown_classes(similarity: Reals, left: NDArray[np.uint8], right: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """
    Return the class of each equal value, 0 where values differ, from what both owners sent.

    Both halves of each byte are shifted by numbers that equal values share. One owner adds its class to the first half,
    the other one to the second half: what they differ by is the one's class and minus the other's.
    """
    first = (left.astype(np.int16) % _HALVES - right % _HALVES) % _HALVES
    second = (left.astype(np.int16) // _HALVES - right // _HALVES) % _HALVES
    # Whoever stands left, classes are 1 to 7, and minus them 9 to 15.
    ours, theirs = (np.where(half > MOST_CLASSES, _HALVES - half, half) for half in (first, second))
    return np.where(similarity == 1.0, np.maximum(ours, theirs), 0).astype(np.uint8)
