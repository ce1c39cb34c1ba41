"""`unveil parties`: the demo's linkage through five processes that trust each other as little as in the field."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.demo import PRESET, people_study, with_budget, write_results
from unveil.cli.door import notes, print_json
from unveil.cli.options import EngineName, JsonObject, LabelBudget, PeoplePerOwner, ResultsFolder, ReviewerError, Seed

if TYPE_CHECKING:
    from unveil.lab.evaluation.result import RunResult
    from unveil.lab.local_parties.folder import Trial
    from unveil.lab.local_parties.logs import Holding
    from unveil.lab.local_parties.processes import Processes
    from unveil.lab.simulation.machines import Machines, SimulationSettings
    from unveil.lab.simulation.study import Study
    from unveil.one_place.stopwatch import Stopwatch
    from unveil.schema import Schema

_HELD = ("messages", "decisions", "erased", "bytes")
_TIMES = ("seconds", "peak_rss_mb")  # of a summary, what differs between runs that are the same


@app.command()
def parties(
    *,
    out: ResultsFolder = Path("parties"),
    records: PeoplePerOwner = 20_000,
    budget: LabelBudget = 100,
    error: ReviewerError = 0.1,
    seed: Seed = 1,
    engine: EngineName = "auto",
    keep: Annotated[bool, typer.Option("--keep", help="keep every party's folder: database, log, keys")] = False,
    as_json: JsonObject = False,
) -> None:
    """
    Link generated people through three units and two owners, each a process of its own, over TLS on this machine.

    The links must be those of `unveil demo`, byte for byte. A demonstration: whoever runs it holds everybody's secrets.

    Example: unveil parties --out parties --records 5000 --keep
    """
    from unveil.cli.story import DemoStory
    from unveil.lab.local_parties.logs import holdings
    from unveil.lab.local_parties.replay import Replay
    from unveil.lab.simulation.run import starting_threshold, summarise
    from unveil.lab.simulation.world import SimulationSettings
    from unveil.one_place.stopwatch import Stopwatch
    from unveil.schema import built_in

    watch = Stopwatch.start(time.perf_counter)
    schema, story = with_budget(built_in(), budget), DemoStory(notes)
    with _folders(out, keep=keep):
        study = people_study(out, schema, records, seed, watch, engine=engine)
        settings = SimulationSettings(seed=seed, error=error, t0=starting_threshold(study, offset=0.03, threshold=None))
        story.owners(study)
        trial = _run(out, study, schema, settings, watch, engine=engine)
        story.record_unit(study)
        replay = Replay(trial, study, schema, settings, on_point=story.point)
        watch.lap("reading the logs")
        run = summarise(replay, watch, preset=PRESET, full=True, examples=True)
        story.end(run, replay)
        held = holdings(trial)
        _tell_holdings(held)
        write_results(out, run, replay)
        _compare(out, run, replay)
    if as_json:
        parts = {one.party: {name: getattr(one, name) for name in _HELD} for one in held}
        print_json(run.summary() | {"parties": parts, "same_links_as_simulation": True})
    story.where(out)


@contextmanager
def _folders(out: Path, *, keep: bool) -> Iterator[None]:
    """The parties' folders are there while it lasts, and later only if they are to be kept."""
    from unveil.errors import SettingError
    from unveil.lab.local_parties.folder import PARTY_FOLDERS

    ours = [out / name for name in (*PARTY_FOLDERS, "pki", "project.toml", "project.key")]
    there = [path.name for path in ours if path.exists()]
    if there:
        raise SettingError(f"{out} holds parties already: {', '.join(there)}", hint="choose another --out")
    try:
        yield
    finally:
        for path in [] if keep else ours:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _run(
    out: Path, study: Study, schema: Schema, settings: SimulationSettings, watch: Stopwatch, *, engine: str
) -> Trial:
    """Start everybody, let the reviewer decide, stop everybody."""
    from unveil.cli.progress import Stages
    from unveil.lab.local_parties import folder
    from unveil.lab.local_parties.course import CourseProgress, conduct
    from unveil.lab.local_parties.processes import Processes
    from unveil.lab.local_parties.reviewer import TrialReviewer, visitor
    from unveil.lab.simulation.study import simulation_key

    key = simulation_key(settings.seed).secret
    trial = folder.make(out.resolve(), schema, seed=settings.seed, key=key, engine=engine)
    reviewer = TrialReviewer(trial, study.truth, error=settings.error, seed=settings.seed)
    operator = visitor(trial, "record-unit", "operator")
    with Processes(trial) as processes, reviewer, operator, Stages(notes) as stages:
        stages.begin("starting five processes")
        processes.start()
        processes.wait_ready()
        watch.lap("starting")
        _tell_processes(trial, processes)
        stage = ""

        def tell(progress: CourseProgress) -> None:
            nonlocal stage
            if stage != progress.stage:
                stage = progress.stage
                stages.begin(stage, total=schema.protocol.review.budget)
            stages.reach(progress.labels)

        conduct(processes, reviewer, operator, tell=tell)
        watch.lap("protocol")
    watch.lap("stopping")
    return trial


def _tell_processes(trial: Trial, processes: Processes) -> None:
    """Who runs where."""
    from rich.table import Table

    from unveil.lab.local_parties.folder import PARTY_FOLDERS, UNIT_FOLDERS

    project = trial.project()
    notes.print("\n[bold cyan]Five processes[/bold cyan] play their parts, with TLS between them.", soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    for heading in ("party", "process", "listens on"):
        table.add_column(heading)
    for party in PARTY_FOLDERS:
        where = project.address(UNIT_FOLDERS[party]) if party in UNIT_FOLDERS else "nothing: it calls the units"
        table.add_row(party.replace("-", " "), str(processes.pid(party)), where)
    notes.print(table)


def _tell_holdings(held: list[Holding]) -> None:
    """What each party's database holds at the end."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, title="what each database holds", title_justify="left")
    table.add_column("party")
    for heading in ("messages", "decisions", "contents erased", "size"):
        table.add_column(heading, justify="right")
    for one in held:
        size = "–" if one.bytes is None else f"{one.bytes / 2**20:,.1f} MB"
        counts = (f"{count:,}" for count in (one.messages, one.decisions, one.erased))
        table.add_row(one.party.replace("-", " "), *counts, size)
    notes.print()
    notes.print(table)


def _compare(out: Path, run: RunResult, replay: Machines) -> None:
    """Run the simulation on the same people; links and figures must be the same."""
    from unveil.lab.local_parties.processes import TrialError
    from unveil.lab.simulation.links import different_links
    from unveil.lab.simulation.run import simulate
    from unveil.one_place.stopwatch import Stopwatch

    watch = Stopwatch.start(time.perf_counter)
    expected, world = simulate(replay.study, replay.schema, replay.settings, watch, preset=PRESET)
    found = run.summary()
    wrong = different_links(out, world)
    wrong += [key for key, value in expected.summary().items() if key not in _TIMES and value != found[key]]
    if wrong:
        raise TrialError(f"not the same as in the simulation: {', '.join(wrong)}")
    notes.print("\n[bold green]same links as the simulation, byte for byte[/bold green]")
