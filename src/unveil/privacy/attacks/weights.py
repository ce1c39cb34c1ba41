"""
What the number of ones tells: how long a value is, and whose record it was under another pair's key.

A Bloom filter has the more ones the more tokens its value has. Keys hide which ones, not how many. So whoever gets a
record in several pairs sees the same weights again, up to chance, and joins the pairs; and weights alone tell lengths.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Words
from unveil.privacy.attacks.agreement import Matrix
from unveil.privacy.attacks.guesses import Guessed, guessed

Weights = NDArray[np.int64]
Counts = NDArray[np.int64]

#: What is added to the noise, so that nothing is divided by none.
_LEAST_SPREAD: Final = 1e-6


def weights_of(encodings: Words) -> Weights:
    """The number of ones of each record and attribute, from encodings of shape (n, D, words)."""
    return np.bitwise_count(encodings).sum(axis=2, dtype=np.int64)


def noise_of(first: Weights, second: Weights) -> NDArray[np.float64]:
    """By how much the weights of one value vary with its key, from records of the attacker's own under two keys."""
    return np.asarray((first - second).std(axis=0) / 2**0.5 + _LEAST_SPREAD, dtype=np.float64)


def recognised_by_weights(first: Weights, second: Weights, noise: NDArray[np.float64]) -> Matrix:
    """
    How likely each row of `first` is the same record as each row of `second`, which has other keys.

    Both are of shape (n, D); a row's log likelihood is minus a quarter of the squared distance in units of the noise.
    """
    one, other = (each.astype(np.float64) / noise for each in (first, second))
    distance = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None] - 2 * one @ other.T
    return (-0.25 * distance).astype(np.float32)


def guessed_lengths(weights: Weights, tokens: Counts, *, known: NDArray[np.bool_]) -> Guessed:
    """
    How often the number of tokens of a value is guessed from the weight of one attribute, of shape (n,).

    The attacker encodes values of its own, or those of `known` rows: for each weight it guesses the number that is most
    frequent among these, for a weight that it never met that of the nearest one.
    """
    seen, told = weights[known], tokens[known]
    table = np.zeros((int(seen.max()) + 1, int(tokens.max()) + 1), np.int64)
    np.add.at(table, (seen, told), 1)
    met = np.flatnonzero(table.any(axis=1))
    best = table[met].argmax(axis=1)
    asked = weights[~known]
    nearest = np.abs(asked[:, None] - met[None]).argmin(axis=1)
    return guessed(best[nearest], tokens[~known])
