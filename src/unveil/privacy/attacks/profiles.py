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

Told = NDArray[np.float64]

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
        seen = _quantiles(seen_rows(view), len(view.signs))
        add_nearness(out, seen, _quantiles(expected_rows(view.expected), view.entries))
    return out


def add_nearness(out: Matrix, seen: Told, expected: Told, *, share: float = 1.0) -> None:
    """Add, for each record and entry, minus half the squared distance of what is told of them, in spreads."""
    one, other = (each.astype(np.float32) for each in _alike(seen, expected))
    far = (other**2).sum(axis=1)
    for rows in pieces(*out.shape):
        some = one[rows] @ other.T
        some -= 0.5 * (one[rows] ** 2).sum(axis=1)[:, None]
        some -= 0.5 * far
        some *= np.float32(share)
        out[rows] += some


def _quantiles(agreement: Iterator[tuple[slice, Matrix]], size: int) -> Told:
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


def _alike(one: Told, other: Told) -> tuple[Told, Told]:
    """Both sides on one scale, without what all quantiles have in common."""
    one, other = ((each - each.mean(axis=0)) / (each.std(axis=0) + 1e-6) for each in (one, other))
    spread, directions = np.linalg.eigh(np.cov(other.T) + _CHANCE * np.eye(other.shape[1]))
    turn = directions / np.sqrt(spread)
    return one @ turn, other @ turn
