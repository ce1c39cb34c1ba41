"""A whole run, from a data set to the numbers and pictures of its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from unveil.errors import SettingError
from unveil.lab.evaluation.baselines import attribute_level_f1
from unveil.lab.evaluation.result import Histogram, Point, RunResult
from unveil.lab.simulation.machines import Machines, SimulationSettings
from unveil.lab.simulation.observer import ObservedReviewer, asked
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import World
from unveil.one_place.measured import disclosures, kept_out, peak_rss_mb, risk, states, with_advice
from unveil.one_place.parties import Reviewer
from unveil.one_place.stopwatch import Stopwatch
from unveil.schema import Schema

_EXAMPLES = 12
_BIN = 0.01


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
        review_states=states(schema, world.answered),
        kapr=risk(world.parties, schema, (study.a, study.b), world.answered),
        reviewer_error=world.attribute_unit.layer.reviewer_error,
        kept_out=kept_out(world.record_unit),
        warnings=world.record_unit.data_warnings() + world.attribute_unit.data_warnings(),
    )
    watch.lap("estimates")
    if full:
        run = with_advice(_with_pictures(run, world, examples=examples), world.parties, schema)
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
        disclosures=disclosures(world.parties, schema, (study.a, study.b)),
        asked=tuple(asked(answered, schema) for answered in decided[:_EXAMPLES]) if examples else (),
    )


def _histogram(study: Study) -> Histogram:
    floor = study.schema.protocol.floor
    edges = np.round(np.arange(floor, 1 + _BIN, _BIN), 10)
    similarity = study.comparison.pairs.similarity
    matches = np.histogram(similarity[study.is_true], edges)[0]
    others = np.histogram(similarity[~study.is_true], edges)[0]
    return Histogram(tuple(edges.tolist()), tuple(matches.tolist()), tuple(others.tolist()))
