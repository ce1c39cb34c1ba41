"""How many people an attacker found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TEN = 10


@dataclass(frozen=True, slots=True)
class Recognised:
    """Of so many people the share found at first guess and among the first ten."""

    people: int
    first: float
    ten: float


def recognised(weights: Matrix, truth: NDArray[np.int64], *, known: NDArray[np.int64] | None = None) -> Recognised:
    """
    What these weights find, of filters (rows) whose entry (column) is `truth`; -1 for those who have none.

    People whom the attacker knew before do not count. Entries that weigh the same are taken in the worst order.
    """
    counts = truth >= 0
    if known is not None:
        counts = counts.copy()
        counts[known[:, 0]] = False
    rows = np.flatnonzero(counts)
    if not len(rows):
        return Recognised(0, 0.0, 0.0)
    own = weights[rows, truth[rows]]
    ahead = (weights[rows] >= own[:, None]).sum(axis=1) - 1
    return Recognised(len(rows), float((ahead < 1).mean()), float((ahead < TEN).mean()))


def recognised_among_few(weights: csr_array, truth: NDArray[np.int64], *, known: NDArray[np.int64]) -> Recognised:
    """The same of sparse weights: an entry that weighs nothing is not found, however few weigh more."""
    counts = truth >= 0
    counts[known[:, 0]] = False
    people = int(counts.sum())
    if not people:
        return Recognised(0, 0.0, 0.0)
    some = weights.tocoo()
    there = counts[some.row] & (some.data > 0)
    row, column, data = some.row[there], some.col[there], some.data[there]
    is_own = truth[row] == column
    own = np.full(len(truth), np.inf)
    own[row[is_own]] = data[is_own]
    ahead = np.bincount(row, data >= own[row], len(truth))[np.isfinite(own)] - 1
    return Recognised(people, float((ahead < 1).sum() / people), float((ahead < TEN).sum() / people))


@dataclass(frozen=True, slots=True)
class Guessed:
    """Of so many values or positions the share guessed right, and by always making the same, best guess."""

    guesses: int
    right: float
    constant: float


def guessed(guess: NDArray[np.int64], truth: NDArray[np.int64]) -> Guessed:
    """How often guesses are right, where the truth is not negative: there is none then."""
    there = truth >= 0
    if not there.any():
        return Guessed(0, 0.0, 0.0)
    most = np.bincount(truth[there]).max()
    return Guessed(int(there.sum()), float((guess == truth)[there].mean()), float(most / there.sum()))


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Of so many people the share told by a candidate set of one, and the median size of these sets."""

    people: int
    alone: float
    median: float
