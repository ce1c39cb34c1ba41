"""
What an attacker begins with who knows nobody: records are told apart by how similar they are to all others.

A profile is the distribution of a record's similarities, as quantiles: whoever bears a common name is like many, a
rare one like few. Two samples of one population have the same profiles but for chance, so it needs no shared people
beside the one it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix, View

#: Shares of the others below which a quantile lies: evenly, and close together where few are most alike.
_SHARES: Final = np.concatenate([np.linspace(0.02, 0.98, 25), 1 - np.geomspace(0.0004, 0.02, 12)])
#: What is added to the spread of profiles in every direction, as chance does.
_CHANCE: Final = 0.05


def likeness(views: Sequence[View]) -> Matrix:
    """How like the profile of each filter is to that of each entry: minus half the squared distance, in spreads."""
    out = np.zeros((len(views[0].seen), len(views[0].expected)), np.float32)
    for view in views:
        seen, expected = _alike(_quantiles(view.seen), _quantiles(view.expected))
        distance = (seen**2).sum(axis=1)[:, None] + (expected**2).sum(axis=1)[None] - 2 * seen @ expected.T
        out -= 0.5 * distance.astype(np.float32)
    return out


def _quantiles(agreement: Matrix) -> NDArray[np.float64]:
    others = np.sort(agreement, axis=1)
    places = (_SHARES * (others.shape[1] - 1)).astype(np.int64)
    return others[:, places].astype(np.float64)


def _alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both sides on one scale, without what all quantiles have in common."""
    one, other = ((each - each.mean(axis=0)) / (each.std(axis=0) + 1e-6) for each in (one, other))
    spread, directions = np.linalg.eigh(np.cov(other.T) + _CHANCE * np.eye(other.shape[1]))
    turn = directions / np.sqrt(spread)
    return one @ turn, other @ turn
