"""`unveil simulate`: the whole protocol in one process, on a data set with known truth."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, results
from unveil.cli.options import EngineName, JsonObject, SchemaName
from unveil.cli.table_options import tell

if TYPE_CHECKING:
    from unveil.lab.evaluation.result import RunResult
    from unveil.lab.simulation.world import World
    from unveil.models.forest import Forest
    from unveil.one_place.stopwatch import Stopwatch
    from unveil.schema import Schema

_RARELY = 100_000  # objects more than before, until cycles are looked for
_NO_TRUTH = (
    "the truth names no pair, so every link counts as wrong and recall is of nobody: truth.csv has a row for each "
    "person in both files, with the columns record_id_a and record_id_b"
)


@app.command()
def simulate(
    *,
    data: Annotated[Path, typer.Option(help="folder with a.csv, b.csv and truth.csv", show_default=False)],
    preset: Annotated[str, typer.Option(help="unveil; paper: as published; schema: the schema's own")] = "unveil",
    budget: Annotated[
        int | None, typer.Option(help="labels that may be asked of the reviewer", show_default="100")
    ] = None,
    error: Annotated[float, typer.Option(help="share of the reviewer's labels that are wrong")] = 0.0,
    hidden_error: Annotated[float, typer.Option(help="how much more the reviewer errs when shown nothing")] = 0.0,
    offset: Annotated[
        float | None, typer.Option(help="starting threshold, relative to the best one by truth", show_default="0")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="starting threshold itself", show_default=False)] = None,
    seed: Annotated[int, typer.Option(help="same seed, same result")] = 1,
    encoding: Annotated[
        str | None, typer.Option(help="clk or clk-xor; the schema's own if not given", show_default=False)
    ] = None,
    layers: Annotated[
        int | None, typer.Option(help="1, 2 or 3; the schema's own if not given", show_default=False)
    ] = None,
    schema: SchemaName = None,
    model: Annotated[Path | None, typer.Option(help="start layer A from this saved model", show_default=False)] = None,
    save_model: Annotated[Path | None, typer.Option(help="save layer A's model here", show_default=False)] = None,
    report: Annotated[Path | None, typer.Option(help="write an HTML report here", show_default=False)] = None,
    engine: EngineName = "auto",
    as_json: JsonObject = False,
) -> None:
    """
    Run the whole protocol in one process on records with known truth, with a simulated reviewer.

    Example: unveil simulate --data people --budget 300 --error 0.2 --seed 7 --report report.html
    """
    from unveil.errors import SettingError
    from unveil.one_place.stopwatch import Stopwatch

    if offset is not None and threshold is not None:
        raise SettingError("both --offset and --threshold were given", hint="give one of them")
    if seed < 0:
        raise SettingError("the seed must not be negative")
    chosen = _chosen(schema, encoding, preset, budget=budget, layers=layers)
    if save_model is not None and chosen.protocol.models != "paper":
        raise SettingError("only the paper's models grow a forest to save", hint="add --preset paper")
    start = _saved(model, chosen)
    if (chosen.protocol.layers, chosen.protocol.models, start) == (2, "paper", None):
        notes.print("note: without a reviewer and without --model, layer A can only repeat what layer R thinks")
    watch = Stopwatch.start(time.perf_counter)
    run, world = _run(
        data, chosen, watch, preset=preset, error=error, hidden_error=hidden_error, offset=offset,
        threshold=threshold, seed=seed, forest=start, engine=engine, full=report is not None,
    )  # fmt: skip
    if save_model is not None:
        from unveil.files.arrays import write_arrays
        from unveil.models.saved import forest_arrays

        write_arrays(save_model, forest_arrays(world.forest, chosen))
    if report is not None:
        _write_report(report, run)
    if as_json:
        print_json(run.summary())
    else:
        print_summary(run)


def _chosen(schema: str | None, encoding: str | None, preset: str, *, budget: int | None, layers: int | None) -> Schema:
    from unveil.schema import named
    from unveil.schema.presets import with_encoding, with_preset

    # Published figures are those of plain filters.
    base = with_encoding(named(schema or ("paper" if preset == "paper" else "person")), encoding)
    return with_preset(base, preset, budget=budget, layers=layers)


def _saved(model: Path | None, schema: Schema) -> Forest | None:
    from unveil.files.arrays import read_arrays
    from unveil.models.saved import forest_of

    return forest_of(read_arrays(model), schema, source=str(model)) if model else None


def _run(
    data: Path,
    schema: Schema,
    watch: Stopwatch,
    *,
    preset: str,
    error: float,
    hidden_error: float,
    offset: float | None,
    threshold: float | None,
    seed: int,
    forest: Forest | None,
    engine: str,
    full: bool,
) -> tuple[RunResult, World]:
    from unveil.cli.progress import WHOLE, Stages
    from unveil.engines import choose
    from unveil.lab.evaluation.dataset import read_dataset
    from unveil.lab.simulation.run import simulate as run_simulation
    from unveil.lab.simulation.run import starting_threshold
    from unveil.lab.simulation.study import Study
    from unveil.lab.simulation.world import SimulationSettings

    # What is loaded by now stays, and what a run makes lives long: to look for cycles often finds none, for a price.
    gc.freeze()
    gc.set_threshold(_RARELY)
    steps = 1 + len(schema.protocol.batches)
    with Stages(notes) as stages:
        stages.begin("reading records")
        a, b, truth = read_dataset(data, schema)
        if not len(truth):
            tell((), [_NO_TRUTH])
        watch.lap("reading")
        study = Study(data.resolve().name, schema, a, b, truth, choose(engine), seed=seed)
        stages.begin("encoding records")
        study.encode()
        watch.lap("encoding")
        stages.begin("comparing records", total=WHOLE)
        study.compare_now(stages.share)
        t0 = starting_threshold(study, offset=offset, threshold=threshold)
        watch.lap("comparing")
        stages.begin("running the protocol", total=steps)
        settings = SimulationSettings(seed=seed, error=error, hidden_error=hidden_error, t0=t0, forest=forest)
        run, world = run_simulation(
            study, schema, settings, watch, preset=preset, on_point=lambda _: stages.advance(), full=full
        )
    return run, world


def _write_report(path: Path, run: RunResult) -> None:
    from unveil.files.atomic import replacing
    from unveil.lab.evaluation.report import render

    with replacing(path) as temporary:
        temporary.write_text(render(run), encoding="utf-8")
    notes.print(f"report: {path}")


def print_summary(run: RunResult) -> None:
    """The run in a few lines, for people."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("pairs in layer A", "labels", "threshold", "precision", "recall", "F1"):
        table.add_column(name, justify="right")
    for point in run.trajectory:
        table.add_row(
            f"{point.reviewed_pairs:,}", f"{point.clerical_labels:,}", f"{point.threshold:.2f}",
            f"{point.precision:.3f}", f"{point.recall:.3f}", f"{point.f1:.3f}",
        )  # fmt: skip
    results.print(table)
    results.print(
        f"F1 {run.initial_f1:.3f} → {run.final_f1:.3f}; {run.candidate_pairs:,} candidate pairs, "
        f"{run.true_pairs:,} true pairs, {run.pairs_completeness:.1%} of them candidates; "
        f"{run.seconds:.1f} s, {run.peak_rss_mb:,.0f} MB",
        soft_wrap=True,
    )
    for owner, reasons in run.kept_out.items():
        for why, records in reasons.items():
            results.print(f"kept out of the comparison: {records:,} records of {owner}, {why}", soft_wrap=True)
    for warning in run.warnings:
        results.print(f"warning: {warning.sentence}", markup=False, soft_wrap=True)
    if run.labels_unused:
        results.print(
            f"reviewers seem to err in {run.reviewer_error:.0%} of their labels: no better than chance, so nothing was "
            "learnt from them",
            soft_wrap=True,
        )
    if run.estimate is not None:
        low, likely, high = run.estimate.f1
        results.print(f"F1 as the units can tell without truth: {likely:.3f}, between {low:.3f} and {high:.3f}")
        if not run.estimate.trusted:
            results.print(
                "this estimate cannot be trusted: the models give no probabilities, or labels contradict them"
            )
