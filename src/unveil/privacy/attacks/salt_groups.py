"""
Which records have the same salt, by what their filters have in common.

Records of one salt are mixed alike, so what most of them share (parts of dates and places, endings of names) leaves a
mean that is a little off from nothing. One pair of filters hardly shows it; in many records the directions of these
means stand out of what chance leaves, the more so the larger the register. Whoever has them compares filters in these
directions alone, and the rest no longer drowns them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix

#: How far above the largest spread of random bits a direction must be, relative to it, to be no chance.
_ABOVE: Final = 1.01
#: Directions that are looked at, at most.
_MOST: Final = 256


def directions(signs: Matrix) -> Matrix:
    """
    Directions (bits × directions) in which filters (as +1 and -1) are spread more than random bits would be.

    Of n random filters of m bits no direction is spread by more than (1 + √(m/n))², but for a trifle.
    """
    n, m = signs.shape
    spread, vectors = np.linalg.eigh(signs.T @ signs / np.float32(n))
    edge = (1 + (m / n) ** 0.5) ** 2
    chosen = np.flatnonzero(spread > _ABOVE * edge)[::-1][:_MOST]
    return np.asarray(vectors[:, chosen], np.float32)


def alike(signs: Matrix, pairs: NDArray[np.int64], turned: Matrix | None = None) -> Matrix:
    """The cosine of the two filters of each pair, in these directions alone if some are given."""
    one, other = (signs[rows] if turned is None else signs[rows] @ turned for rows in pairs.T)
    size = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray(np.einsum("ij,ij->i", one, other) / np.maximum(size, 1e-9), np.float32)


def pairs_by_salt(
    codes: NDArray[np.int64], rng: np.random.Generator, *, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """About so many pairs of records of one salt, and as many of different ones."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    first = np.cumsum(sizes) - sizes
    one, stranger = rng.integers(0, len(codes), (2, count))
    same = order[first[codes[one]] + rng.integers(0, sizes[codes[one]])]
    there, apart = one != same, codes[one] != codes[stranger]
    return np.stack([one, same], axis=1)[there], np.stack([one, stranger], axis=1)[apart]
