"""
A model with prior knowledge: logistic regression whose weights were learnt elsewhere and whose scale adapts here.

The weights stay as they came: a hundred noisy labels could only spoil them. What labels do change is the slope and the
shift of the log odds, two numbers, pulled towards 1 and 0 as strongly as a handful of labels would pull back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unveil.linkage.outcome import SUREST, Flags, Outcomes, Reals
from unveil.models.noise import NO_BETTER_THAN_CHANCE, estimated_error, fit

_DIGITS = 12
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
    def threshold(self) -> None:
        """It looks at more than similarity."""
        return

    @property
    def calibrated(self) -> bool:
        """P follows from odds that were learnt, so it is a probability."""
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

    def band(self, p_t: float) -> None:
        """It looks at more than similarity."""
        del p_t

    def updated(self, features: Reals, g: Flags, weight: Reals) -> LogisticModel:
        """
        Return the model with slope and shift fitted to the labels.

        A label with p below 1 is a soft one: it says match with probability p, or 1 − p if g says non-match.
        """
        if not len(g):
            return self
        if self.error >= NO_BETTER_THAN_CHANCE:
            # What such labels say could as well be learnt from a coin; turned round, from somebody who means harm.
            return replace(self, slope=1.0, shift=0.0)
        target = np.where(g, np.minimum(weight, 1.0), 1 - np.minimum(weight, 1.0))
        (slope, shift), _ = fit(self.prior.log_odds(features), target, error=self.error, inertia=self.inertia)
        return replace(self, slope=slope, shift=shift)

    def judging_reviewers(self, features: Reals, labels: Outcomes) -> tuple[LogisticModel, float | None]:
        """The model that takes as many labels to be wrong as its prior finds, and that share."""
        error = estimated_error(self.prior.log_odds(features), labels, inertia=self.inertia)
        return replace(self, error=error), error
