"""M_R: a threshold on record-level similarity that follows the labels reported from below."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unveil.errors import SettingError
from unveil.linkage.model import Uncalibrated
from unveil.linkage.outcome import Flags, Outcomes, Reals, log_odds
from unveil.schema import ThresholdSettings

_DIGITS = 10  # thresholds are multiples of the grid step, free of the noise of repeated addition


@dataclass(frozen=True, slots=True)
class ThresholdModel(Uncalibrated):
    """Threshold t, which started at t0 and may move at most dt from there, dt_step at a time."""

    t: float
    t0: float
    settings: ThresholdSettings

    @classmethod
    def start(cls, settings: ThresholdSettings, t0: float | None = None) -> ThresholdModel:
        """The model before any label."""
        t = settings.t if t0 is None else t0
        if not 0 < t < 1:
            raise SettingError("the threshold must lie between 0 and 1")
        return cls(t, t, settings)

    @property
    def ready(self) -> bool:
        """A threshold can decide at once."""
        return True

    @property
    def threshold(self) -> float:
        """The similarity from which on it says match."""
        return self.t

    def predict(self, features: Reals) -> Outcomes:
        """
        Return g and p of each similarity.

        g = match iff sim ≥ t;  p = 0.5·(1 + min(1, |sim − t| / d)), d = below if sim < t, else above.
        """
        g = features >= self.t
        d = np.where(g, min(1 - self.t, self.settings.above), min(self.t, self.settings.below))
        return Outcomes(g, 0.5 * (1 + np.minimum(1.0, np.abs(features - self.t) / d)))

    def log_odds(self, features: Reals) -> Reals:
        """The log odds behind each outcome."""
        return log_odds(self.predict(features))

    def band(self, p_t: float) -> tuple[float, float]:
        """The open interval of similarities whose p is below p_t."""
        share = 2 * p_t - 1
        below, above = min(self.t, self.settings.below), min(1 - self.t, self.settings.above)
        return self.t - share * below, self.t + share * above

    def updated(self, features: Reals, g: Flags, weight: Reals) -> ThresholdModel:
        """
        Return the model with the threshold of highest weighted accuracy Σw·[correct] / Σw within reach.

        It moves only on strict improvement; among equals the nearest wins, then the lower.
        """
        if not len(features):
            return self
        best, best_score = self.t, self._score(self.t, features, g, weight)
        for candidate in self._candidates():
            score = self._score(candidate, features, g, weight)
            if score > best_score:
                best, best_score = candidate, score
        return replace(self, t=best)

    def _candidates(self) -> list[float]:
        """Thresholds within reach, nearest first, the lower before the higher."""
        settings = self.settings
        reach = int(settings.dt_step / settings.step + 1e-9)
        moves = sorted(range(-reach, reach + 1), key=lambda move: (abs(move), move))
        steps = [round(self.t + move * settings.step, _DIGITS) for move in moves if move]
        return [t for t in steps if abs(t - self.t0) <= settings.dt + 1e-9 and 0 < t < 1]

    @staticmethod
    def _score(t: float, similarity: Reals, g: Flags, weight: Reals) -> float:
        # Rounded, so that equal accuracies compare equal whatever the order of summation.
        return round(float(weight[(similarity >= t) == g].sum() / weight.sum()), 12)
