"""
A model with prior knowledge: logistic regression whose weights were learnt elsewhere and whose scale adapts here.

The weights stay as they came: a hundred noisy labels could only spoil them. What labels do change is the slope and the
shift of the log odds, two numbers, pulled towards 1 and 0 as strongly as a handful of labels would pull back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unveil.linkage.outcome import Flags, Outcomes, Reals

#: A model is never as sure as a person: p = 1 is kept for reviewed pairs.
SUREST = 1 - 2**-20
_STEPS = 30
_DIGITS = 12
_CLOSE = 1e-9
_START = np.array([1.0, 0.0])  # slope and shift of a prior that nobody has contradicted
_FLATTEST = 0.2
_PLAUSIBLE = (0.4, 2.0)  # slopes between which a prior fits its data
_FAR = 3.0  # a shift beyond this means another world


@dataclass(frozen=True, slots=True)
class Prior:
    """Weights learnt on generated people: log odds = intercept + Σ weight · (feature − mean) / scale."""

    names: tuple[str, ...]
    mean: Reals
    scale: Reals
    weight: Reals
    intercept: float

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.mean) == len(self.scale) == len(self.weight):
            raise ValueError("a prior needs a mean, a scale and a weight for each feature")

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row."""
        return ((features - self.mean) / self.scale) @ self.weight + self.intercept


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """
    A prior with the slope and shift that labels have taught it.

    `inertia` says how firmly slope and shift stay at 1 and 0; `error` is the share of labels taken to be wrong.
    """

    prior: Prior
    inertia: tuple[float, float] = (100.0, 4.0)
    error: float = 0.0
    slope: float = 1.0
    shift: float = 0.0

    @property
    def ready(self) -> bool:
        """A model with prior knowledge can decide at once."""
        return True

    @property
    def plausible(self) -> bool:
        """Whether labels have left the prior about as it was."""
        return _PLAUSIBLE[0] < self.slope < _PLAUSIBLE[1] and abs(self.shift) < _FAR

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row, as adapted."""
        return self.slope * self.prior.log_odds(features) + self.shift

    def predict(self, features: Reals) -> Outcomes:
        """Return g and p of each row; a tie is a non-match."""
        # Rounded, so that the order of summation on another machine decides nothing.
        odds = self.log_odds(features).round(_DIGITS)
        p = 1 / (1 + np.exp(-np.abs(odds)))
        return Outcomes(odds > 0, np.clip(p, 0.5, SUREST))

    def updated(self, features: Reals, g: Flags, weight: Reals) -> LogisticModel:
        """
        Return the model with slope and shift fitted to the labels.

        A label with p below 1 is a soft one: it says match with probability p, or 1 − p if g says non-match.
        """
        if not len(g):
            return self
        target = np.where(g, np.minimum(weight, 1.0), 1 - np.minimum(weight, 1.0))
        (slope, shift), _ = fit(self.prior.log_odds(features), target, error=self.error, inertia=self.inertia)
        return replace(self, slope=slope, shift=shift)


def fit(odds: Reals, target: Reals, *, error: float, inertia: tuple[float, float]) -> tuple[tuple[float, float], float]:
    """
    Return the slope and shift of log odds that make the labels most likely, and the loss that is left.

    With q = e + (1 − 2e)·σ(slope·odds + shift), the chance that a label says match when a share e of labels is wrong,
    the loss is −Σ (y·log q + (1 − y)·log(1 − q)) + ½·Σ inertia·(θ − θ₀)². It is minimised by Fisher scoring, and no
    step is taken that would not lower it.
    """
    design = np.stack([odds, np.ones(len(odds))], axis=1)
    firm = np.array(inertia)
    theta = _START.copy()
    loss = _loss(design @ theta, target, error) + 0.0
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(design @ theta, -30, 30)))
        q = np.clip(error + (1 - 2 * error) * p, 1e-9, 1 - 1e-9)
        slope = (1 - 2 * error) * p * (1 - p)
        score = design.T @ ((target - q) * slope / (q * (1 - q))) - firm * (theta - _START)
        information = (design * (slope**2 / (q * (1 - q)))[:, None]).T @ design + np.diag(firm)
        step = np.linalg.solve(information, score)
        while float(np.abs(step).max()) > _CLOSE:
            after = theta + step
            lower = _loss(design @ after, target, error) + float(firm @ (after - _START) ** 2) / 2
            if lower < loss:
                theta, loss = after, lower
                break
            step = step / 2
        else:
            break
    return (round(max(float(theta[0]), _FLATTEST), _DIGITS), round(float(theta[1]), _DIGITS)), float(loss)


def _loss(odds: Reals, target: Reals, error: float) -> float:
    p = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    q = np.clip(error + (1 - 2 * error) * p, 1e-9, 1 - 1e-9)
    return float(-(target * np.log(q) + (1 - target) * np.log(1 - q)).sum())
