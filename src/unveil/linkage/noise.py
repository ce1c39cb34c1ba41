"""Labels that may be wrong: what one is worth beside the model's word, and how often the reviewer errs."""

from __future__ import annotations

import numpy as np

from unveil.linkage.logistic import SUREST, fit
from unveil.linkage.outcome import Outcomes, Reals

#: Errors that a reviewer may be found to make; nobody is taken to be free of error, or no better than a coin.
ERRORS = np.round(np.arange(0.01, 0.46, 0.01), 10)
#: What is expected of a reviewer before any label was seen, as if six had been checked and one been wrong.
_WRONG, _RIGHT = 1.0, 5.0


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


def estimated_error(odds: Reals, label: Outcomes, *, inertia: tuple[float, float]) -> float:
    """
    Return how often the reviewer errs, from labels on pairs for which a model gives log odds.

    A label says match with probability m·(1 − e) + (1 − m)·e, where m is the model's probability of a match. The e that
    makes the labels most likely is returned, with a little prior expectation, and with the model's own slope and shift
    fitted along. Labels on pairs that the model is sure of teach the most; a coin toss teaches nothing.
    """
    target = np.where(label.g, label.p, 1 - label.p)
    losses = [fit(odds, target, error=float(error), inertia=inertia)[1] for error in ERRORS]
    losses -= _WRONG * np.log(ERRORS) + _RIGHT * np.log(1 - ERRORS)
    return float(ERRORS[int(np.argmin(losses))])


def log_odds(outcomes: Outcomes) -> Reals:
    """The log odds of a match behind each outcome."""
    match = np.where(outcomes.g, outcomes.p, 1 - outcomes.p)
    match = np.clip(match, 1 - SUREST, SUREST)
    return np.log(match / (1 - match))
