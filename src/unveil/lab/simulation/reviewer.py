"""The simulated reviewer: tells the truth, except that a share of the labels is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unveil.errors import SettingError
from unveil.roles.chance import Chance
from unveil.roles.review_unit.display import ReviewablePair, Verdict

_COIN = 0.5  # nobody does worse than a coin for want of values


class SimulatedReviewer:
    """
    Each label is wrong with probability `error`, independently; p is always 1.

    With `hidden_error`, a reviewer who is shown less errs more: that much is added, in full where no unequal value was
    shown, in part where some were. Without it, withholding values would cost nothing in a simulation.
    """

    def __init__(
        self,
        truth_of: Callable[[bytes], bool],
        *,
        error: float,
        hidden_error: float = 0.0,
        chance: Chance,
    ) -> None:
        if not 0 <= error <= 1:
            raise SettingError("the reviewer's error must lie between 0 and 1")
        if not 0 <= hidden_error <= 1:
            raise SettingError("the error that hidden values add must lie between 0 and 1")
        self._truth_of, self._error, self._hidden_error, self._chance = truth_of, error, hidden_error, chance

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """A verdict for each pair."""
        del spent, budget  # a person wants to know; this one does not
        chance = np.array([self._error + self._hidden_error * hidden_share(pair) for pair in pairs])
        # A draw of its own for each task: the order in which tasks come makes no difference.
        luck = np.array([self._chance(f"task {pair.task_id.hex()}").rng.random() for pair in pairs])
        wrong = luck < np.minimum(chance, max(self._error, _COIN))
        return [
            Verdict(pair.task_id, self._truth_of(pair.task_id) != bool(flip))
            for pair, flip in zip(pairs, wrong, strict=True)
        ]


def hidden_share(pair: ReviewablePair) -> float:
    """The share of the unequal attributes whose values the reviewer cannot see; 0 if all agree."""
    unequal = [name for name, state in pair.states.items() if state in ("dissimilar", "shown")]
    return sum(name not in pair.values for name in unequal) / len(unequal) if unequal else 0.0
