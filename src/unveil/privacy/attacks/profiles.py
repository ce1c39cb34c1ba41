"""
What an attacker begins with who knows nobody: records are told apart by how similar they are to all others.

A profile is the distribution of a record's similarities, as quantiles: whoever bears a common name is like many, a
rare one like few. Two samples of one population have the same profiles but for chance, so it needs no shared people
beside the one it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix, View, expected_rows, pieces, seen_rows

#: Shares of the others below which a quantile lies: evenly, and close together where few are most alike.
_SHARES: Final = np.concatenate([np.linspace(0.02, 0.98, 25), 1 - np.geomspace(0.0004, 0.02, 12)])
#: Bins that agreements from -1 to 1 are counted in.
_BINS: Final = 8192
#: What is added to the spread of profiles in every direction, as chance does.
_CHANCE: Final = 0.05


def likeness(views: Sequence[View]) -> Matrix:
    """How like the profile of each filter is to that of each entry: minus half the squared distance, in spreads."""
    out = np.zeros((len(views[0].signs), views[0].entries), np.float32)
    for view in views:
        seen, expected = _alike(
            _quantiles(seen_rows(view), len(view.signs)), _quantiles(expected_rows(view.expected), view.entries)
        )
        for rows in pieces(*out.shape):
            some = (seen[rows] ** 2).sum(axis=1)[:, None] + (expected**2).sum(axis=1)[None]
            out[rows] -= 0.5 * (some - 2 * seen[rows] @ expected.T).astype(np.float32)
    return out


def _quantiles(agreement: Iterator[tuple[slice, Matrix]], size: int) -> NDArray[np.float64]:
    """The quantiles of each row, as fine as the bins that agreements are counted in."""
    out = np.empty((size, len(_SHARES)))
    places = (_SHARES * (size - 1)).astype(np.int64)
    for rows, some in agreement:
        bins = ((some + 1) * (_BINS / 2)).astype(np.int32)
        bins += (np.arange(len(some), dtype=np.int32) * (_BINS + 1))[:, None]
        below = np.bincount(bins.ravel(), minlength=len(some) * (_BINS + 1)).reshape(len(some), -1).cumsum(axis=1)
        for at, counts in enumerate(below, start=rows.start):
            out[at] = np.searchsorted(counts, places, side="right")
    return out


def _alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both sides on one scale, without what all quantiles have in common."""
    one, other = ((each - each.mean(axis=0)) / (each.std(axis=0) + 1e-6) for each in (one, other))
    spread, directions = np.linalg.eigh(np.cov(other.T) + _CHANCE * np.eye(other.shape[1]))
    turn = directions / np.sqrt(spread)
    return one @ turn, other @ turn
