"""What the simulation remembers about a review, to tell it afterwards: who was asked what, and what was answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unveil.lab.evaluation.result import AskedPair, Shown
from unveil.one_place.parties import Reviewer
from unveil.roles.review_unit.display import ReviewablePair, Verdict, cells
from unveil.schema import Schema


@dataclass(frozen=True, slots=True, repr=False)
class ReviewedPair:
    """A pair that was shown, and the verdict."""

    pair: ReviewablePair
    verdict: Verdict
    truth: bool


class ObservedReviewer:
    """Passes pairs on to a reviewer and remembers what came of it."""

    def __init__(self, reviewer: Reviewer, truth_of: Callable[[bytes], bool]) -> None:
        self._reviewer, self._truth_of = reviewer, truth_of
        self.answered: list[ReviewedPair] = []

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """The reviewer's verdicts."""
        verdicts = self._reviewer.review(pairs, spent=spent, budget=budget)
        by_task = {pair.task_id: pair for pair in pairs}
        self.answered += [
            ReviewedPair(by_task[verdict.task_id], verdict, self._truth_of(verdict.task_id)) for verdict in verdicts
        ]
        return verdicts


def asked(answered: ReviewedPair, schema: Schema) -> AskedPair:
    """One reviewed pair as the reviewer saw it in the end."""
    shown = tuple(
        Shown(cell.label, cell.state, cell.left, cell.right, cell.words)
        for cell in cells(answered.pair, schema, answered.verdict.opened)
    )
    return AskedPair(shown, bool(answered.verdict.match), answered.truth)
