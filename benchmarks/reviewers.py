"""
What it is worth to weigh labels by their reviewer's own error: teams of two simulated reviewers, label by label.

    python benchmarks/reviewers.py FOLDER --budget 300 --seeds 3

FOLDER holds a data set as `unveil generate` writes it. Each reviewer has eight practice pairs, and one made-up pair for
ten real ones. Prints F1 with labels as given, and with labels weighed as the review unit weighs them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from unveil.engines import choose
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.roles.review_unit.trust import estimated_error, is_used, weighed
from unveil.schema import built_in
from unveil.schema.presets import with_preset

TEAMS = ((0.05, 0.05), (0.2, 0.2), (0.05, 0.4), (0.05, 0.5), (0.1, 0.6))
_PRACTICE, _GOLD = 8, 0.1


class Team:
    """Reviewers who take turns; each errs so often."""

    def __init__(self, truth_of: Callable[[bytes], bool], errors: Sequence[float], seed: int, *, weigh: bool) -> None:
        self._truth_of, self._errors, self._weigh = truth_of, errors, weigh
        self._rng = np.random.default_rng(seed)
        self._seen = [_PRACTICE for _ in errors]
        self._wrong = [int((self._rng.random(_PRACTICE) < error).sum()) for error in errors]

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """A verdict for each pair; unsure for labels that are not used, which spend none of the budget."""
        del spent, budget
        return [self._verdict(pair, turn % len(self._errors)) for turn, pair in enumerate(pairs)]

    def _verdict(self, pair: ReviewablePair, who: int) -> Verdict:
        if self._rng.random() < _GOLD:
            self._seen[who] += 1
            self._wrong[who] += bool(self._rng.random() < self._errors[who])
        match = self._truth_of(pair.task_id) != bool(self._rng.random() < self._errors[who])
        if not self._weigh:
            return Verdict(pair.task_id, match)
        error = estimated_error(self._seen[who], self._wrong[who])
        return Verdict(pair.task_id, match, weighed(1.0, error)) if is_used(error) else Verdict(pair.task_id, None)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--budget", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    schema = with_preset(built_in(), "unveil", budget=given.budget)
    a, b, truth = read_dataset(given.folder, schema)
    found: dict[tuple[Sequence[float], bool], list[float]] = {}
    for seed in range(1, given.seeds + 1):
        study = Study(given.folder.name, schema, a, b, truth, choose(), seed=seed)
        for errors in TEAMS:
            for weigh in (False, True):
                found.setdefault((errors, weigh), []).append(_f1(study, errors, seed, weigh=weigh))
    print("errors of two reviewers   as given   weighed")
    for errors in TEAMS:
        given_f1, weighed_f1 = (float(np.mean(found[errors, weigh])) for weigh in (False, True))
        print(f"{errors[0]:.2f} and {errors[1]:.2f}             {given_f1:.4f}     {weighed_f1:.4f}")


def _f1(study: Study, errors: Sequence[float], seed: int, *, weigh: bool) -> float:
    settings = SimulationSettings(seed=seed)
    world = World(
        study, study.schema, settings, reviewer=lambda world: Team(world.truth_of, errors, 7 * seed + 1, weigh=weigh)
    )
    world.run()
    return world.points[-1].f1


if __name__ == "__main__":
    main()
