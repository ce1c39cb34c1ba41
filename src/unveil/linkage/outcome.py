"""Outcomes (g, p): match or not, and how probable that is. Arrays side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

#: p of a person's word. A model's p stays below it, so a label with this p came from a reviewer.
CERTAIN = 1.0
#: A model is never as sure as a person: p = 1 is kept for reviewed pairs.
SUREST = 1 - 2**-20


@dataclass(frozen=True, slots=True)
class Outcomes:
    """g is true for a match; p is the probability of g and lies in [0.5, 1]."""

    g: Flags
    p: Reals

    def __post_init__(self) -> None:
        if self.g.shape != self.p.shape:
            raise ValueError("g and p must have the same length")
        if not np.all((self.p >= 0.5) & (self.p <= 1.0)):  # NaN fails too  # noqa: PLR2004 - bounds of p
            raise ValueError("p must lie in [0.5, 1]")

    def __len__(self) -> int:
        return len(self.g)


def posterior(word: Outcomes, label: Outcomes, error: float) -> Outcomes:
    """
    Return the outcome that follows from the model's word and a person's label together.

    Log odds add up: those of the model, and ±log((1 − e) / e) for a label that is wrong with probability e. A label
    given with less than full confidence is wrong more often: e' = 1 − p·(1 − e) − (1 − p)·e.
    """
    wrong = 1 - label.p * (1 - error) - (1 - label.p) * error
    wrong = np.clip(wrong, 1e-6, 0.5)
    odds = log_odds(word) + np.where(label.g, 1.0, -1.0) * np.log((1 - wrong) / wrong)
    return Outcomes(odds > 0, np.clip(1 / (1 + np.exp(-np.abs(odds))), 0.5, SUREST))


def log_odds(outcomes: Outcomes) -> Reals:
    """The log odds of a match behind each outcome."""
    match = np.where(outcomes.g, outcomes.p, 1 - outcomes.p)
    match = np.clip(match, 1 - SUREST, SUREST)
    return np.log(match / (1 - match))
