"""`unveil experiment`: the published evaluation, run again."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from unveil.cli import EXIT_INTERRUPTED
from unveil.cli.app import app
from unveil.cli.door import notes, print_json, results, say_error
from unveil.cli.options import EngineName, JsonObject

if TYPE_CHECKING:
    from rich.progress import TaskID

    from unveil.lab.paper.experiment import Outcome
    from unveil.lab.paper.tasks import StudyTasks

commands = typer.Typer(help="the published evaluation, run again, and worlds of every kind", no_args_is_help=True)
app.add_typer(commands, name="experiment")


@commands.command()
def paper(
    *,
    data: Annotated[
        Path, typer.Option(metavar="DIR", help="folder with the sets E1S, E1M, E1L, E2S, E2M", show_default=False)
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="folder for results and report", show_default=False)],
    quick: Annotated[bool, typer.Option("--quick", help="a small part of the grid, in two minutes")] = False,
    preset: Annotated[str, typer.Option(help="parameters: paper as published, or those of another preset")] = "paper",
    jobs: Annotated[int, typer.Option(metavar="N", help="processes at work")] = 2,
    engine: EngineName = "auto",
    as_json: JsonObject = False,
) -> None:
    """
    Run every published setting on sets of the published design, and set the figures beside the published ones.

    Finished runs are kept in the output folder: the same command goes on where an interrupted one stopped.

    Example: unveil experiment paper --data sets --out evaluation --quick
    """
    from unveil.lab.paper import cells
    from unveil.lab.paper.experiment import conduct
    from unveil.schema import built_in

    plan = cells.quick() if quick else cells.whole()
    try:
        with Watched(quiet=as_json) as progress:
            outcome = conduct(
                data,
                out,
                plan,
                built_in("paper"),
                preset=preset,
                jobs=jobs,
                engine=engine,
                progress=progress,
                note=_note,
            )
    except KeyboardInterrupt:
        say_error("interrupted", "finished runs are kept: the same command goes on from there")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if as_json:
        print_json(outcome.summary)
    else:
        _print(outcome)


@commands.command()
def prepare(
    *,
    register: Annotated[
        list[Path], typer.Option(metavar="FILE", help="a snapshot of the register; repeat for each", show_default=False)
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="folder for the sets", show_default=False)],
    sets: Annotated[str, typer.Option(help="sets to make, separated by commas")] = "E1S,E1M,E1L,E2S,E2M",
    date: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATE", help="date of each file, in their order, where neither a column nor the name says it"
        ),
    ] = None,
    records: Annotated[int, typer.Option(metavar="N", help="records in each of the two sources of a set")] = 50_000,
    voters: Annotated[
        int | None,
        typer.Option(metavar="N", help="voters to choose from, at most; more need more memory", show_default="12 × N"),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="the same seed gives the same sets")] = 1,
    force: Annotated[bool, typer.Option("--force", help="write into folders that are not empty")] = False,
    as_json: JsonObject = False,
) -> None:
    """
    Make evaluation sets from snapshots of the North Carolina voter register, by the published design.

    Of a shared voter one entry comes from the newest snapshot, the other from an earlier one with at least one (E1) or
    two (E2) unequal attributes. Files are tab- or comma-separated, one row per voter and snapshot.

    Example: unveil experiment prepare --register ncvoter2014.txt --register ncvoter2021.txt --out sets
    """
    from unveil.lab.paper.design import make_sets, parse_sets, refuse_filled
    from unveil.lab.paper.register import read_registers

    wanted = parse_sets(sets, records=records)
    refuse_filled(out, wanted, force=force)
    with notes.status("reading the register"):
        found = read_registers(register, dates=date or [], seed=seed, most=voters or 12 * records)
    with notes.status("making sets"):
        made = make_sets(found, wanted, out, seed=seed)
    if as_json:
        print_json({"voters": len(found.voters), "rows": found.rows, "left_out": found.left_out, "sets": made})
        return
    results.print(
        f"{found.rows:,} rows, {found.left_out:,} of them left out; {len(found.voters):,} voters to choose from",
        markup=False,
    )
    for one in made:
        results.print(f"{one['name']}: 2 × {one['records']:,} records, {one['shared']:,} shared voters", markup=False)


def _note(text: str) -> None:
    notes.print(f"note: {text}", markup=False, soft_wrap=True)


class Watched:
    """Progress on stderr: a bar for the whole, and a line for what each process is doing."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._bars = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            TimeRemainingColumn(), console=notes, transient=True, disable=not notes.is_terminal,
            speed_estimate_period=300,
        )  # fmt: skip
        self._quiet = quiet or notes.is_terminal
        self._whole: TaskID | None = None
        self._workers: dict[int, TaskID] = {}
        self._left: dict[int, int] = {}
        self._names: dict[int, str] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def begin(self, total: int, done: int) -> None:
        """There are so many pieces of work, of which so many are done already."""
        self._whole = self._bars.add_task("experiment", total=total, completed=done)

    def start(self, worker: int, batch: StudyTasks) -> None:
        """A process takes a study."""
        if worker in self._workers:
            self._bars.remove_task(self._workers[worker])
        self._names[worker], self._left[worker] = batch.name, len(batch.tasks)
        self._workers[worker] = self._bars.add_task(f"  {batch.name}", total=len(batch.tasks))

    def finish(self, worker: int, result: dict[str, Any]) -> None:
        """A process has finished a piece of work; without a terminal, a study that is done makes a line."""
        del result
        if self._whole is not None:
            self._bars.advance(self._whole)
        self._bars.advance(self._workers[worker])
        self._left[worker] -= 1
        if not self._left[worker] and not self._quiet:
            notes.print(f"done: {self._names[worker]}", markup=False)


def _print(outcome: Outcome) -> None:
    """The cells in a table, for people."""
    from rich.table import Table

    from unveil.charts.figures import duration, score
    from unveil.lab.paper.deviations import explanation, signed
    from unveil.lab.paper.privacy_section import printed
    from unveil.lab.paper.published import QUALITY

    found = outcome.findings
    table = Table(box=None, pad_edge=False)
    for name in ("cell", "start", "published", "end", "published", "gain", "published"):
        table.add_column(name, justify="left" if name == "cell" else "right")
    for cell in found.cells:
        ours, theirs = found.figures(cell), QUALITY.get(cell.name, {})
        table.add_row(
            cell.name, score(ours["initial_mean"]), printed(theirs.get("initial_mean")), score(ours["final_mean"]),
            printed(theirs.get("final_mean")), signed(ours["gain"]), printed(theirs.get("gain"), signed),
        )  # fmt: skip
    results.print(table)
    for sentence in explanation(found)[:2]:
        results.print(sentence, markup=False, soft_wrap=True)
    results.print(f"{found.runs:,} runs, {duration(outcome.summary['wall_seconds'])}", markup=False)
    for file in outcome.files:
        results.print(f"  {file}", markup=False, soft_wrap=True)
