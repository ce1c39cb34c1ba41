"""What is done for one study: prepare it once, then take its tasks one after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.engines import choose
from unveil.lab.evaluation.baselines import attribute_level_f1
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.evaluation.result import Point, RunResult
from unveil.lab.paper import spread
from unveil.lab.paper.cells import PLAIN
from unveil.lab.paper.journal import Result
from unveil.lab.paper.tasks import StudyTask, StudyTasks
from unveil.lab.simulation.run import simulate, starting_threshold
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings
from unveil.one_place.stopwatch import Stopwatch
from unveil.schema import Schema
from unveil.schema.presets import with_encoding, with_preset

#: The run whose keyed filters are measured: how many pairs are opened does not depend on the budget.
_MEASURED_BUDGET, _MEASURED_ERROR = 200, 0.2

#: Names of the KAPR figures of a run, by what the review unit would hold.
_KAPR = {"held, all values": "kapr_all", "held, unequal values": "kapr_unequal", "held": "kapr_between"}


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the data sets lie and how studies are to be prepared; small enough to be sent to another process."""

    data: Path
    schema: Schema
    preset: str
    engine: str = "auto"
    threads: int | None = None

    def results(self, batch: StudyTasks) -> Iterator[Result]:
        """The result of each task of the batch, as soon as it is there."""
        began = time.perf_counter()
        schema = with_preset(with_encoding(self.schema, batch.encoding), self.preset)
        engine = choose(self.engine, threads=self.threads)
        study = Study(batch.dataset, schema, *read_dataset(self.data / batch.dataset, schema), engine, seed=batch.seed)
        _ = study.best  # encodes and compares
        prepared = time.perf_counter() - began
        for task in batch.tasks:
            began = time.perf_counter()
            found = self._done(task, study, prepared)
            yield {
                "key": task.key, "kind": task.kind, "dataset": task.cell.dataset, "encoding": task.cell.encoding,
                "budget": task.cell.budget, "error": task.cell.error, "offset": task.offset, "seed": task.seed,
                **found, "seconds": time.perf_counter() - began,
            }  # fmt: skip

    def _done(self, task: StudyTask, study: Study, prepared: float) -> dict[str, Any]:
        match task.kind:
            case "study":
                return {**baselines(study), "prepared": prepared}
            case "bits":
                return self._bits(task, study)
            case "run":
                return self._run(task, study)

    def _bits(self, task: StudyTask, study: Study) -> dict[str, Any]:
        record = spread.record_spread(study)
        if task.cell.encoding != PLAIN:
            return {"record": record}  # attribute filters do not depend on how records are encoded
        schema = with_preset(study.schema, self.preset, budget=_MEASURED_BUDGET)
        settings = SimulationSettings(seed=task.seed, error=_MEASURED_ERROR, t0=study.best[0])
        keyed = spread.keyed_spread(study, schema, settings)
        return {"record": record, "attribute": {"abf": spread.plain_spread(study), "kabf": keyed}}

    def _run(self, task: StudyTask, study: Study) -> dict[str, Any]:
        schema = with_preset(study.schema, self.preset, budget=task.cell.budget)
        t0 = starting_threshold(study, offset=task.offset, threshold=None)
        settings = SimulationSettings(seed=task.seed, error=task.cell.error, t0=t0)
        watch = Stopwatch.start(time.perf_counter)
        run, _ = simulate(study, schema, settings, watch, preset=self.preset, full=task.reviewed)
        found: dict[str, Any] = {
            "t_opt": run.t_opt,
            "t0": run.t0,
            "true_pairs": run.true_pairs,
            "points": [counted(point, run.true_pairs) for point in run.trajectory],
        }
        return {**found, "review": seen_in_review(run)} if task.reviewed else found


def baselines(study: Study) -> dict[str, Any]:
    """What linkage without review reaches on the study, and how many pairs there are."""
    left, right = (study.encoder.attribute_level(records) for records in (study.a, study.b))
    attribute_level = attribute_level_f1(
        study.comparison.pairs, left, right, study.schema, is_true=study.is_true, true_pairs=len(study.truth)
    )
    return {
        "t_opt": study.best[0],
        "record_level": study.best[1],
        "attribute_level": attribute_level,
        "true_pairs": len(study.truth),
        "candidate_pairs": study.comparison.compared,
        "pairs_completeness": study.pairs_completeness,
        "records": [len(study.a), len(study.b)],
    }


def counted(point: Point, true_pairs: int) -> list[float]:
    """
    A point as reviewed pairs, labels, threshold, true positives and matched pairs.

    Counts come back from precision and recall by rounding. Where nothing was found at all, precision 0 says only that
    something was matched: 1 is the least that can be.
    """
    found = round(point.recall * true_pairs)
    matched = round(found / point.precision) if found else int(point.precision < 1)
    return [point.reviewed_pairs, point.clerical_labels, point.threshold, found, matched]


def seen_in_review(run: RunResult) -> dict[str, Any]:
    """KAPR under three request policies, and the share of reviewed pairs of which each attribute was provided."""
    shares = {name: states.get("shown", 0) / (sum(states.values()) or 1) for name, states in run.review_states.items()}
    return {"kapr": {name: run.kapr.get(key, 0.0) for key, name in _KAPR.items()}, "provided": shares}
