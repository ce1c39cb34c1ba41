"""The whole protocol on invented people: studies, runs, and what can be read off them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray
from small_project import Traffic, with_protocol

from unveil.engines.reference.engine import ReferenceEngine
from unveil.lab.simulation.reviewer import SimulatedReviewer
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.lab.synthetic import generate
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.schema import Hardening, Schema, built_in

PERSON = built_in("paper")  # plain filters, whose similarities the thresholds of these tests are made for
#: M_R is sure of nothing but the extremes, so that nearly every candidate can be asked about.
WIDE = with_protocol(PERSON, threshold_below=1.0, threshold_above=1.0)
#: The warm-up on a smaller scale: five iterations, two review batches each, half as many trees.
SCALED = with_protocol(PERSON, batches=(60,) * 5, review_budget=100, forest_initial=5, forest_added=5, forest_cap=50)
XOR = PERSON.layer_r.model_copy(update={"hardening": (Hardening(method="xor-fold"),)})


def study_of(schema: Schema, *, records: int, overlap: float = 0.2, errors: int = 1, seed: int = 3) -> Study:
    people = generate(records=records, overlap=overlap, errors=errors, seed=seed)
    return Study("invented", schema, people.a, people.b, people.truth, ReferenceEngine())


@cache
def the_study() -> Study:
    """5,000 people a side, a fifth of them shared; made once for all tests."""
    return study_of(PERSON, records=5000)


def run(
    study: Study, schema: Schema, settings: SimulationSettings | None = None, *, tap: Traffic | None = None
) -> World:
    """One run to its end; it starts at the best threshold unless told otherwise."""
    world = World(study, schema, settings or SimulationSettings(t0=study.best[0]), tap=tap)
    world.run()
    return world


@cache
def final_f1(study: Study, schema: Schema, error: float, seeds: tuple[int, ...] = (1, 2)) -> NDArray[np.float64]:
    """F1 at the start and at the end, for starts below, at and above the best threshold (mean over the seeds)."""
    starts = [round(study.best[0] + offset, 2) for offset in (-0.05, 0.0, 0.05)]
    points = [
        [
            [world.points[0].f1, world.points[-1].f1]
            for seed in seeds
            for world in (_at(study, schema, error, t0, seed),)
        ]
        for t0 in starts
    ]
    return np.array(points).mean(axis=1)


def _at(study: Study, schema: Schema, error: float, t0: float, seed: int) -> World:
    return run(study, schema, SimulationSettings(seed=seed, error=error, t0=t0))


def people(world: World) -> list[list[tuple[str, int]]]:
    """Which records belong together: the result, without the ids."""
    rows: dict[bytes, list[tuple[str, int]]] = {}
    for party in world.owners:
        for row, link_id in enumerate(party.link_ids):
            rows.setdefault(link_id, []).append((party.address.name, row))
    return sorted(rows[one] + rows[other] for one, other in world.joined())


@dataclass
class Watcher:
    """The simulated reviewer, who also notes how many trees M_A has, and how many are left of the first."""

    world: World
    sizes: list[int] = field(default_factory=list)
    first_left: list[int] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    _first: tuple[object, ...] = ()

    def note(self) -> None:
        """Note the forest as it stands."""
        trees = self.world.forest.trees
        self._first = self._first or trees
        self.sizes.append(len(trees))
        self.first_left.append(sum(any(tree is old for tree in trees) for old in self._first))

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """Review as the simulated reviewer does."""
        self.note()
        self.batches.append(len(pairs))
        error, chance = self.world.settings.error, SeededChance(len(self.batches), "watcher")
        reviewer = SimulatedReviewer(self.world.truth_of, error=error, chance=chance)
        return reviewer.review(pairs, spent=spent, budget=budget)


@dataclass(repr=False)
class FullRun:
    """The published schedule, and all that went over the wire."""

    study: Study
    world: World
    traffic: Traffic
    watcher: Watcher


@cache
def full_schedule() -> FullRun:
    """
    The published batches on 9,000 people a side, who have more than 4,500 candidates; b = 300, one label in five wrong.

    All of them count as uncertain (p_t = 1), since so few people leave too few pairs in the published band.
    """
    study = study_of(with_protocol(WIDE, review_budget=300, p_t=1.0), records=9000)
    traffic = Traffic()
    watchers: list[Watcher] = []

    def watched(world: World) -> Watcher:
        watchers.append(Watcher(world))
        return watchers[0]

    world = World(study, study.schema, SimulationSettings(error=0.2, t0=study.best[0]), reviewer=watched, tap=traffic)
    world.run()
    watchers[0].note()
    return FullRun(study, world, traffic, watchers[0])
