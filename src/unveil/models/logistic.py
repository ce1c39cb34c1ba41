"""
A model with prior knowledge: log odds that were learnt elsewhere, whose scale adapts here.

A few noisy labels could only spoil what was learnt from millions. What they do change is the slope and the shift of the
log odds, and how much more each attribute counts; each is pulled back to where it was as strongly as a number of labels
would pull, so that few labels move little and many move all of it. Nothing that labels can do makes agreement count
against a match: the slope stays above 0, and no attribute is ever counted for less than nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Protocol, Self

import numpy as np

from unveil.linkage.outcome import SUREST, Flags, Outcomes, Reals
from unveil.models.attribute_evidence import WeighedAttributes
from unveil.models.noise import NO_BETTER_THAN_CHANCE, Weights, estimated_error, fit, unsure

_DIGITS = 12
_PLAUSIBLE = (0.4, 2.0)  # slopes between which a prior fits its data
_FAR = 3.0  # a shift beyond this means another world
_FLATTEST = 0.2
_WORSE = 1.25  # labels teach as if reviewers erred so much more often: how often they do is a guess itself
#: How firmly slope, shift and each further weight stay at 1, 0 and 0: where there are none, and where attributes may be
#: weighed anew.
INERTIA: Final = (100.0, 4.0, 20.0)
LOOSER: Final = (80.0, 1.0, 20.0)
#: Labels of people that any number of labels of machines is worth, and where it is about how many matches there are.
MACHINES_WORTH: Final = 20.0
MACHINES_COUNT: Final = 1000.0


class PriorKnowledge(Protocol):
    """What is known before the first label."""

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row."""
        ...

    def columns(self, features: Reals) -> Reals:
        """Further columns that labels may give weight to; more of each speaks for a match."""
        ...

    def settled(self, features: Reals) -> Self:
        """The same after a look at all pairs at hand, without any label."""
        ...


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """
    Prior knowledge with the slope, shift and further weights that labels have taught it.

    `inertia` says how firmly these stay where they start; `error` is the share of labels taken to be wrong.
    """

    prior: PriorKnowledge
    inertia: tuple[float, float, float] = INERTIA
    error: float = 0.0
    slope: float = 1.0
    shift: float = 0.0
    further: tuple[float, ...] = ()

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

    @property
    def attributes_heard(self) -> Reals | None:
        """How far the prior listens to each attribute; None at the record level, where there are none."""
        return self.prior.heard if isinstance(self.prior, WeighedAttributes) else None

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row, as adapted."""
        odds = self.slope * self.prior.log_odds(features) + self.shift
        return odds + self.prior.columns(features) @ np.array(self.further) if any(self.further) else odds

    def predict(self, features: Reals) -> Outcomes:
        """Return g and p of each row; a tie is a non-match."""
        # Rounded, so that the order of summation on another machine decides nothing.
        odds = self.log_odds(features).round(_DIGITS)
        p = 1 / (1 + np.exp(-np.abs(odds)))
        return Outcomes(odds > 0, np.clip(p, 0.5, SUREST))

    def band(self, p_t: float) -> None:
        """It looks at more than similarity."""
        del p_t

    def settled(self, features: Reals) -> LogisticModel:
        """The model whose prior has looked at all pairs."""
        return replace(self, prior=self.prior.settled(features))

    def updated(self, features: Reals, g: Flags, weight: Reals) -> LogisticModel:
        """
        Return the model with slope, shift and further weights fitted to the labels.

        A person's label with p below 1 is wrong more often than others. One of a machine is a probability: it says
        match with p, or 1 − p if g says non-match.
        """
        if not len(g):
            return self
        if self.error >= NO_BETTER_THAN_CHANCE:
            # What such labels say could as well be learnt from a coin; turned round, from somebody who means harm.
            return replace(self, slope=1.0, shift=0.0, further=())
        sure = np.minimum(weight, 1.0)
        target, error = np.where(g, sure, 1 - sure), np.array([self.error])
        if self.error:  # of people: nobody judges how often machines err
            target, error = g.astype(np.float64), unsure(error, sure)
        design = self._design(features)
        weights = self._weights(design, self.inertia, by_machines=int(((target > 0) & (target < 1)).sum()))
        found, _ = fit(design, target, error, weights)
        slope, shift, *further = found[0].tolist()
        return replace(self, slope=slope, shift=shift, further=tuple(further))

    def judging_reviewers(self, features: Reals, labels: Outcomes) -> tuple[LogisticModel, float | None]:
        """The model that takes as many labels to be wrong as its prior finds, and that share."""
        # The further weights stay out of it: they would take labels for a new world that are only wrong.
        design = self._design(features)[:, :2]
        error = estimated_error(design, labels, self._weights(design, INERTIA))
        return replace(self, error=min(_WORSE * error, 1.0)), error

    def _design(self, features: Reals) -> Reals:
        return np.column_stack([self.prior.log_odds(features), np.ones(len(features)), self.prior.columns(features)])

    def _weights(self, design: Reals, inertia: tuple[float, float, float], *, by_machines: int = 0) -> Weights:
        """The same weights, firmer where machines gave most labels: they are wrong together, people are not."""
        further = design.shape[1] - 2
        slope, shift, each = inertia
        firmer, count = (max(1.0, by_machines / worth) for worth in (MACHINES_WORTH, MACHINES_COUNT))
        return Weights(
            start=np.array([1.0, 0.0] + [0.0] * further),
            inertia=np.array([slope * firmer, shift * count] + [each * firmer] * further),
            lowest=np.array([_FLATTEST, -np.inf] + [0.0] * further),
        )
