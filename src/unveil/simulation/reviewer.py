"""The simulated reviewer: tells the truth, except that a share of the labels is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from unveil.errors import SettingError
from unveil.review_unit.display import ReviewablePair, Verdict


class Reviewer(Protocol):
    """Whoever decides about masked pairs: a simulation, a person at a terminal, later a page."""

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """A verdict for each pair of a batch; `spent` labels of the budget were given before."""
        ...


class SimulatedReviewer:
    """Each label is wrong with probability `error`, independently; p is always 1."""

    def __init__(self, truth_of: Callable[[bytes], bool], *, error: float, rng: np.random.Generator) -> None:
        if not 0 <= error <= 1:
            raise SettingError("the reviewer's error must lie between 0 and 1")
        self._truth_of, self._error, self._rng = truth_of, error, rng

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """A verdict for each pair."""
        del spent, budget  # a person wants to know; this one does not
        wrong = self._rng.random(len(pairs)) < self._error
        return [
            Verdict(pair.task_id, self._truth_of(pair.task_id) != bool(flip))
            for pair, flip in zip(pairs, wrong, strict=True)
        ]
