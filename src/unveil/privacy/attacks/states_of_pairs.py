"""
Joining pairs of one record by what is found out about each pair: what is missing, alike or equal, and how common.

Two pairs of a record have that record in common, so what is missing in it, or how common its names are, tends to show
in both. How telling each state is the attacker learns from pairs of its own, of which it knows which share a record.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix

#: The state of each pair and attribute as a small number, of shape (n, D).
States = NDArray[np.int64]

#: Pairs that are thought to have shown every combination of states before any was seen.
_BEFORE: Final = 0.05


def recognised_by_states(first: States, second: States, own: tuple[States, States]) -> Matrix:
    """
    How likely each pair (row) of `first` and each of `second` share a record, as log odds.

    Rows of `own` are pairs of the attacker's: row i of both sides shares a record. Attributes count as independent.
    """
    states = 1 + int(max(each.max() for each in (first, second, *own)))
    out = np.zeros((len(first), len(second)), np.float32)
    for column in range(first.shape[1]):
        together = np.full((states, states), _BEFORE)
        np.add.at(together, (own[0][:, column], own[1][:, column]), 1)
        together /= together.sum()
        alone = together.sum(axis=1)[:, None] * together.sum(axis=0)[None]
        told = np.log(together / alone).astype(np.float32)
        out += told[first[:, column]][:, second[:, column]]
    return out
