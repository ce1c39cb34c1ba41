"""
What a model must offer, and what it is told about a pair. Roles know models by this port alone; `models` has them.

Models are values: learning returns a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.engine import Encoded
from unveil.linkage.outcome import Flags, Outcomes, Reals
from unveil.linkage.pairs import Comparison

#: What a model of the record unit is told about each pair, from what that unit holds anyway.
RecordEvidence = Callable[[Comparison, Encoded, Encoded], Reals]
#: What a model of the attribute unit is told: from attribute similarities, agreement classes and the word from above.
AttributeEvidence = Callable[[Reals, NDArray[np.uint8], Outcomes], Reals]


def similarity_alone(comparison: Comparison, _left: Encoded, _right: Encoded) -> Reals:
    """The similarity, which is all that a threshold looks at."""
    return comparison.pairs.similarity


class Model(Protocol):
    """A classifier of pairs."""

    @property
    def ready(self) -> bool:
        """Whether it can decide before it has learnt anything here."""
        ...

    @property
    def threshold(self) -> float | None:
        """The similarity from which on it says match; None if it looks at more than similarity."""
        ...

    @property
    def calibrated(self) -> bool:
        """Whether its p are probabilities, so that labels can be weighed against them and quality estimated."""
        ...

    @property
    def plausible(self) -> bool:
        """Whether what it learnt here has left it about as it was, so that its estimates can be trusted."""
        ...

    @property
    def attributes_heard(self) -> Reals | None:
        """How far it listens to each attribute, from 0 to 1; None if it does not tell."""
        ...

    def predict(self, features: Reals) -> Outcomes:
        """Outcome of each row of features."""
        ...

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row; an outcome's own where there is nothing finer."""
        ...

    def band(self, p_t: float) -> tuple[float, float] | None:
        """The open interval of similarities whose p is below p_t; None if it looks at more than similarity."""
        ...

    def settled(self, features: Reals) -> Self:
        """The model after a look at all pairs at hand, without any label."""
        ...

    def updated(self, features: Reals, g: Flags, weight: Reals) -> Self:
        """The model after learning from these labels."""
        ...

    def judging_reviewers(self, features: Reals, labels: Outcomes) -> tuple[Self, float | None]:
        """The model that knows how often these labels are wrong, and that share; None: it takes each as it is."""
        ...


class Uncalibrated:
    """For models whose p are no probabilities: they take every label as it is, and estimate nothing."""

    __slots__ = ()

    @property
    def calibrated(self) -> bool:
        """P says which decisions are surer than others, and no more."""
        return False

    @property
    def plausible(self) -> bool:
        """There is nothing that it could have departed from."""
        return True

    @property
    def attributes_heard(self) -> None:
        """It does not tell how far it listens to what."""
        return

    def settled(self, features: Reals) -> Self:
        """It learns from labels alone."""
        del features
        return self

    def judging_reviewers(self, features: Reals, labels: Outcomes) -> tuple[Self, float | None]:
        """Every label is taken as it is."""
        del features, labels
        return self, None
