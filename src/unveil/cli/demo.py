"""`unveil demo`: generated people are linked layer by layer, with a report to look at."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json
from unveil.cli.options import (
    EngineName,
    JsonObject,
    LabelBudget,
    PeoplePerOwner,
    ResultsFolder,
    ReviewerError,
    Seed,
)

if TYPE_CHECKING:
    from unveil.cli.review.person import Place
    from unveil.cli.story import DemoStory
    from unveil.lab.evaluation.result import RunResult
    from unveil.lab.simulation.machines import Machines
    from unveil.lab.simulation.study import Study
    from unveil.lab.simulation.world import World
    from unveil.one_place.stopwatch import Stopwatch
    from unveil.schema import Schema

PRESET = "unveil"


@app.command()
def demo(
    *,
    out: ResultsFolder = Path("demo"),
    records: PeoplePerOwner = 20_000,
    budget: LabelBudget = 100,
    error: ReviewerError = 0.1,
    offset: Annotated[float, typer.Option(help="how far off the starting threshold is")] = 0.03,
    seed: Seed = 1,
    review: Annotated[bool, typer.Option("--review", help="be the reviewer yourself, in your browser")] = False,
    terminal: Annotated[bool, typer.Option("--terminal", help="with --review: here in the terminal instead")] = False,
    engine: EngineName = "auto",
    as_json: JsonObject = False,
) -> None:
    """
    Link generated people of two owners, layer by layer, and write a report that opens in a browser.

    Example: unveil demo --out demo --records 50000 --budget 30 --review
    """
    from unveil.cli.story import DemoStory
    from unveil.one_place.stopwatch import Stopwatch
    from unveil.schema import built_in

    watch = Stopwatch.start(time.perf_counter)
    schema = with_budget(built_in(), budget)
    story = DemoStory(notes)
    study = people_study(out, schema, records, seed, watch, engine=engine)
    story.owners(study)
    story.record_unit(study)
    place: Place | None = ("terminal" if terminal else "page") if review or terminal else None
    run, world = _link(study, schema, watch, story, out=out, error=error, offset=offset, seed=seed, review=place)
    story.end(run, world)
    write_results(out, run, world)
    if as_json:
        print_json(run.summary())
    story.where(out)


def with_budget(schema: Schema, budget: int) -> Schema:
    """The schema with the demo's preset and this budget of labels."""
    from unveil.schema.presets import with_preset

    return with_preset(schema, PRESET, budget=budget)


def people_study(
    out: Path, schema: Schema, records: int, seed: int, watch: Stopwatch, *, engine: str = "auto"
) -> Study:
    """Generated people, saved as an owner would have them, then read, encoded and compared."""
    from unveil.cli.progress import WHOLE, Stages
    from unveil.engines import choose
    from unveil.lab.evaluation.dataset import read_dataset
    from unveil.lab.simulation.study import Study
    from unveil.lab.synthetic import generate, write

    compares = choose(engine)
    folder = out / "people"
    folder.mkdir(parents=True, exist_ok=True)
    with Stages(notes) as stages:
        stages.begin(f"generating 2 × {records:,} people")
        write(generate(records=records, overlap=0.2, errors=1, seed=seed), folder)
        watch.lap("generating")
        stages.begin("reading records")
        a, b, truth = read_dataset(folder, schema)
        watch.lap("reading")
        study = Study("generated people", schema, a, b, truth, compares, seed=seed)
        stages.begin("encoding records")
        study.encode()
        watch.lap("encoding")
        stages.begin("comparing records", total=WHOLE)
        study.compare_now(stages.share)
        _ = study.comparison
        watch.lap("comparing")
    return study


def _link(
    study: Study,
    schema: Schema,
    watch: Stopwatch,
    story: DemoStory,
    *,
    out: Path,
    error: float,
    offset: float,
    seed: int,
    review: Place | None,
) -> tuple[RunResult, World]:
    from unveil.cli.review.person import person_at, run_name
    from unveil.lab.simulation.run import simulate, starting_threshold
    from unveil.lab.simulation.world import SimulationSettings

    t0 = starting_threshold(study, offset=offset, threshold=None)
    settings = SimulationSettings(seed=seed, error=0.0 if review else error, t0=t0)
    with ExitStack() as at_the_end:
        person = None
        if review:
            # Everything is seeded: the same settings ask about the same pairs in the same order.
            text = f"{len(study.a)}|{settings}|{schema.fingerprint()}"
            asked = person_at(
                review, at_the_end, schema, (study.a, study.b), session=out / "review.json", run=run_name(text),
                project="demo",
            )  # fmt: skip
            person = lambda world: asked(world.review_unit)  # noqa: E731 - mypy knows its type from simulate
        return simulate(
            study, schema, settings, watch, preset=PRESET, reviewer=person, on_point=story.point, full=True,
            examples=True,
        )  # fmt: skip


def write_results(out: Path, run: RunResult, world: Machines) -> None:
    """The report, and what each owner gets: a link id for every record."""
    from unveil.files.atomic import replacing
    from unveil.lab.evaluation.report import render
    from unveil.lab.simulation.links import write_links

    with replacing(out / "report.html") as temporary:
        temporary.write_text(render(run), encoding="utf-8")
    write_links(out, world)
