"""A whole run, from a data set to the numbers and pictures of its report."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from unveil.errors import SettingError
from unveil.lab.evaluation.baselines import attribute_level_f1
from unveil.lab.evaluation.result import Disclosure, Histogram, Point, RunResult
from unveil.lab.simulation.machines import Machines, SimulationSettings
from unveil.lab.simulation.observer import ObservedReviewer, asked
from unveil.lab.simulation.reviewer import Reviewer
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import World
from unveil.linkage.pairs import Rows
from unveil.models.advice import attribute_worth, suitability
from unveil.privacy.kapr import kapr_held, kapr_seen
from unveil.privacy.population import ReferencePopulation
from unveil.privacy.requests import RequestPolicy, disclosed
from unveil.records import Column, Records
from unveil.roles.owner.policy import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.roles.review_unit.display import opened
from unveil.schema import Schema

_EXAMPLES = 12
_BIN = 0.01


@dataclass(slots=True)
class Stopwatch:
    """Seconds per stage, by a clock that is handed in."""

    clock: Callable[[], float]
    timings: dict[str, float]
    _last: float

    @classmethod
    def start(cls, clock: Callable[[], float]) -> Stopwatch:
        """A stopwatch that runs from now on."""
        return cls(clock, {}, clock())

    def lap(self, stage: str) -> None:
        """The time since the last lap belongs to this stage."""
        now = self.clock()
        self.timings[stage] = self.timings.get(stage, 0.0) + now - self._last
        self._last = now


def starting_threshold(study: Study, *, offset: float | None, threshold: float | None) -> float:
    """The threshold to start from: given, or so far from the one that is best by truth."""
    t0 = threshold if threshold is not None else round(study.best[0] + (offset or 0.0), 10)
    if not 0 < t0 < 1:
        raise SettingError("the starting threshold must lie between 0 and 1", hint="try --threshold 0.75")
    return t0


def simulate(
    study: Study,
    schema: Schema,
    settings: SimulationSettings,
    watch: Stopwatch,
    *,
    preset: str,
    reviewer: Callable[[World], Reviewer] | None = None,
    on_point: Callable[[Point], None] = lambda _: None,
    full: bool = False,
    examples: bool = False,
) -> tuple[RunResult, World]:
    """
    Run the protocol and return its numbers.

    `full` adds what only the report needs: baselines, histogram, disclosure and risk. `examples` adds masked pairs as
    the reviewer saw them.
    """
    world = World(study, schema, settings, reviewer=reviewer, on_point=on_point)
    observed = ObservedReviewer(world.reviewer, world.truth_of)
    world.reviewer, world.answered = observed, observed.answered
    world.run()
    watch.lap("protocol")
    return summarise(world, watch, preset=preset, full=full, examples=examples), world


def summarise(
    world: Machines, watch: Stopwatch, *, preset: str, full: bool = False, examples: bool = False
) -> RunResult:
    """The numbers of a run that has come to its end, wherever its machines ran."""
    study, schema, settings = world.study, world.schema, world.settings
    run = RunResult(
        dataset=study.name,
        preset=preset,
        budget=schema.protocol.review.budget,
        error=settings.error,
        seed=settings.seed,
        t_opt=study.best[0],
        t0=settings.t0 if settings.t0 is not None else schema.protocol.threshold.t,
        t_final=world.record_unit.t,
        true_pairs=len(study.truth),
        candidate_pairs=study.comparison.compared,
        pairs_completeness=study.pairs_completeness,
        trajectory=tuple(world.points),
        seconds=0.0,
        peak_rss_mb=0.0,
        records=(len(study.a), len(study.b)),
        record_level_f1=study.best[1],
        flows=world.traffic.flows(),
        estimate=world.record_unit.estimate(),
        review_states=_states(world),
        kapr=_risk(world),
        reviewer_error=world.attribute_unit.layer.reviewer_error,
        kept_out=_kept_out(world),
        warnings=world.record_unit.data_warnings() + world.attribute_unit.data_warnings(),
    )
    watch.lap("estimates")
    if full:
        run = _with_advice(_with_pictures(run, world, examples=examples), world)
        watch.lap("baselines")
    timings = dict(watch.timings)
    return replace(run, seconds=sum(timings.values()), peak_rss_mb=peak_rss_mb(), timings=timings)


def _with_pictures(run: RunResult, world: Machines, *, examples: bool) -> RunResult:
    study, schema = world.study, world.schema
    left, right = (study.encoder.attribute_level(records) for records in (study.a, study.b))
    pairs = study.comparison.pairs
    decided = [answered for answered in world.answered if answered.verdict.match is not None]
    true_pairs = len(study.truth)
    return replace(
        run,
        attribute_level_f1=attribute_level_f1(pairs, left, right, schema, is_true=study.is_true, true_pairs=true_pairs),
        uncertain_band=world.record_unit.uncertain_band(),
        histogram=_histogram(study),
        disclosures=_disclosures(world),
        asked=tuple(asked(answered, schema) for answered in decided[:_EXAMPLES]) if examples else (),
    )


def _with_advice(run: RunResult, world: Machines) -> RunResult:
    """What the layers can say about the encoding, the attributes and the reviewers."""
    unit = world.attribute_unit
    if not len(unit.layer):
        return run
    at = np.array([world.record_unit.position_of(pair_id) for pair_id in unit.pair_ids])
    return replace(
        run,
        suitability=suitability(world.record_unit.candidates.pairs.similarity[at], unit.layer.outcomes),
        worth=attribute_worth(unit.similarity, unit.layer.outcomes, world.schema.names),
    )


def _kept_out(world: Machines) -> dict[str, dict[str, int]]:
    """By owner and reason, records that screening kept out of the comparison."""
    return {str(owner): dict(found.reasons) for owner, found in world.record_unit.intake.kept_out.items()}


def _states(world: Machines) -> dict[str, dict[str, int]]:
    """For each attribute, how many reviewed pairs were in which state."""
    states: dict[str, dict[str, int]] = {name: {} for name in world.schema.names}
    for answered in world.answered:
        for name, state in answered.pair.states.items():
            states[name][state] = states[name].get(state, 0) + 1
    return states


def _histogram(study: Study) -> Histogram:
    floor = study.schema.protocol.floor
    edges = np.round(np.arange(floor, 1 + _BIN, _BIN), 10)
    similarity = study.comparison.pairs.similarity
    matches = np.histogram(similarity[study.is_true], edges)[0]
    others = np.histogram(similarity[~study.is_true], edges)[0]
    return Histogram(tuple(edges.tolist()), tuple(matches.tolist()), tuple(others.tolist()))


def _disclosures(world: Machines) -> tuple[Disclosure, ...]:
    """Per layer and attribute, how many records gave it up, of all records of both owners."""
    study, schema = world.study, world.schema
    total = len(study.a) + len(study.b)
    rows = []
    for index, name in enumerate(schema.names):
        present = sum(int((~records.columns[name].missing()).sum()) for records in (study.a, study.b))
        rows.append(Disclosure("record", name, present, total))
        for layer, number in (("attribute", ATTRIBUTE_LAYER), ("review", REVIEW_LAYER)):
            count = sum(int(one.ledger.records(number)[index]) for one in world.owners)
            rows.append(Disclosure(layer, name, count, total))
    return tuple(rows)


def _risk(world: Machines) -> dict[str, float]:
    """KAPR of the records in review: held under three request policies, and seen on the masked display."""
    study, schema, unit = world.study, world.schema, world.attribute_unit
    tasks = [answered.pair.task_id for answered in world.answered]
    if not tasks:
        return {}
    population = ReferencePopulation(schema.names, study.a, study.b)
    at = np.array([world.position_of(task) for task in tasks])
    similarity = unit.similarity[[unit.tasks[task] for task in tasks]]
    left, right = world.candidate_rows
    records = _picked(study, left[at], right[at])
    present = np.stack([~records.columns[name].missing() for name in schema.names], axis=1)
    policies: dict[str, RequestPolicy] = {
        "held": "between",
        "held, unequal values": "unequal",
        "held, all values": "all",
    }
    risk = {}
    for name, policy in policies.items():
        marks = disclosed(
            similarity, present[: len(at)], present[len(at) :], policy=policy, lower=schema.protocol.review.lower
        )
        risk[name] = kapr_held(np.concatenate(marks), records, population)
    if schema.protocol.review.learn_lower is not None:  # what was really provided, under bounds that moved
        given = np.array([[n in answered.pair.values for n in schema.names] for answered in world.answered])
        risk["held"] = kapr_held(np.concatenate([given, given]), records, population)
    values, shown = [], []
    for answered in world.answered:
        sides = opened(answered.pair, schema, answered.verdict.opened)
        for side in (0, 1):
            values.append({name: both[side] for name, both in answered.pair.values.items()})
            shown.append(sides[side])
    return {"seen": kapr_seen(values, shown, population), **risk}


def _picked(study: Study, left: Rows, right: Rows) -> Records:
    """The records in review, left ones first."""
    columns = {
        name: Column.of([study.a.columns[name][row] for row in left] + [study.b.columns[name][row] for row in right])
        for name in study.schema.names
    }
    return Records([str(i) for i in range(len(left) + len(right))], columns)


def peak_rss_mb() -> float:
    """The most memory this process has held, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 if sys.platform != "darwin" else peak / 2**20
