"""A small trial as real processes, and the same linkage in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patience import PATIENCE
from unveil.engines import choose
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.evaluation.result import RunResult
from unveil.lab.local_parties import folder
from unveil.lab.local_parties.course import CourseProgress, conduct
from unveil.lab.local_parties.folder import Trial
from unveil.lab.local_parties.processes import Processes
from unveil.lab.local_parties.replay import Replay
from unveil.lab.local_parties.reviewer import TrialReviewer, visitor
from unveil.lab.simulation.machines import SimulationSettings
from unveil.lab.simulation.run import simulate, summarise
from unveil.lab.simulation.study import Study, simulation_key
from unveil.lab.simulation.world import World
from unveil.lab.synthetic import generate, write
from unveil.one_place.stopwatch import Stopwatch
from unveil.roles.owner.policy import Policy
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset

SEED, ERROR = 5, 0.2
UNVEIL = with_preset(built_in(), "unveil", budget=20)


def with_decoys(share: float) -> Schema:
    """The schema with decoys among the wishes."""
    return UNVEIL.model_copy(update={"protocol": UNVEIL.protocol.model_copy(update={"decoys": share})})


def new_trial(root: Path, schema: Schema = UNVEIL, policies: dict[str, str] | None = None) -> Trial:
    """The folder of a trial with 600 people at each owner."""
    (root / "people").mkdir(parents=True)
    write(generate(records=600, overlap=0.6, errors=2, seed=SEED), root / "people")
    return folder.make(root, schema, seed=SEED, key=simulation_key(SEED).secret, policies=policies)


@dataclass
class Both:
    """One linkage, run twice."""

    trial: Trial
    pids: list[int]
    replay: Replay
    run: RunResult
    world: World
    expected: RunResult


def both(
    root: Path,
    schema: Schema = UNVEIL,
    *,
    policy_of_a: tuple[str, Policy] | None = None,
    meanwhile: Callable[[Processes, CourseProgress], None] = lambda *_: None,
) -> Both:
    """Run the trial, read it back from its logs, and run the simulation."""
    text, policy = policy_of_a or (None, Policy())
    trial = new_trial(root, schema, {"owner-a": text} if text else None)
    a, b, truth = read_dataset(root / "people", schema)
    study = Study("people", schema, a, b, truth, choose(), seed=SEED)
    settings = SimulationSettings(seed=SEED, error=ERROR, policies=(policy, Policy()))
    reviewer = TrialReviewer(trial, truth, error=ERROR, seed=SEED)
    operator = visitor(trial, "record-unit", "operator")
    with Processes(trial) as processes, reviewer, operator:
        processes.start()
        processes.wait_ready(timeout=PATIENCE)
        pids = [processes.pid(party) for party in folder.PARTY_FOLDERS]
        conduct(processes, reviewer, operator, tell=lambda progress: meanwhile(processes, progress), patience=PATIENCE)
    expected, world = simulate(study, schema, settings, _watch(), preset="unveil", full=True, examples=True)
    replay = Replay(trial, study, schema, settings)
    run = summarise(replay, _watch(), preset="unveil", full=True, examples=True)
    return Both(trial, pids, replay, run, world, expected)


def without_times(run: RunResult) -> dict[str, Any]:
    """All of a run that two equal runs share. A reviewer's labels may travel in one message or in many."""
    times = ("seconds", "peak_rss_mb", "timings", "flows")
    return {name: getattr(run, name) for name in run.__dataclass_fields__ if name not in times}


def traffic(run: RunResult) -> dict[tuple[str, str, str], tuple[int, int]]:
    """Messages and bytes of every kind that no person sends."""
    return {
        (flow.sender, flow.recipient, flow.kind): (flow.messages, flow.bytes)
        for flow in run.flows
        if flow.sender != "review unit"
    }


def _watch() -> Stopwatch:
    return Stopwatch.start(time.perf_counter)
