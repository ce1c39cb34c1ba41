"""`unveil privacy evidence`: all attacks, all encodings, and what protection costs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer

from unveil.charts.figures import duration
from unveil.cli import EXIT_INTERRUPTED
from unveil.cli.door import notes, print_json, results, say_error
from unveil.cli.options import JsonObject, SchemaName, Seed
from unveil.cli.privacy import commands

if TYPE_CHECKING:
    from types import TracebackType

    from unveil.lab.evidence.run import Evidence
    from unveil.lab.evidence.trade import ChosenDefault, Traded

_WHOLE = 1000


@commands.command()
def evidence(
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="folder for results and pictures", show_default=False)],
    schema: SchemaName = None,
    quick: Annotated[bool, typer.Option("--quick", help="few people: shows that it works, and proves little")] = False,
    seed: Seed = 1,
    as_json: JsonObject = False,
) -> None:
    """
    Play every attack, on weak encodings first, and weigh every hardening against what it costs.

    Finished pieces are kept in the output folder: the same command goes on where an interrupted one stopped.

    Example: unveil privacy evidence --out evidence --quick
    """
    from unveil.lab.evidence.journal import FinishedPieces
    from unveil.lab.evidence.outputs import write
    from unveil.lab.evidence.plan import QUICK, Sizes, pieces_of
    from unveil.lab.evidence.run import conduct
    from unveil.lab.evidence.trade import choice, traded
    from unveil.schema import named

    pieces = pieces_of(named(schema), QUICK if quick else Sizes(), seed=seed)
    finished = FinishedPieces(out)
    try:
        with _TimeLeft(quiet=as_json) as told:
            found = conduct(named(schema), pieces, finished, told=told)
    except KeyboardInterrupt:
        say_error("interrupted", "finished pieces are kept: the same command goes on from there")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    rows = traded(found)
    chosen = choice(rows)
    files = write(out, found, rows, chosen)
    if as_json:
        from unveil.lab.evidence.trade import as_json as trade_json

        print_json({**found.as_json(), **trade_json(rows, chosen)})
    else:
        _print(found, rows, chosen, files)


class _TimeLeft:
    """Progress on stderr: the piece at work, the share that is done, and the time left by how long it took so far."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._bars = Progress(
            TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}"),
            console=notes, transient=True, disable=not notes.is_terminal,
        )  # fmt: skip
        self._quiet = quiet or notes.is_terminal
        self._task = self._bars.add_task("evidence", total=_WHOLE, left="")
        self._begun: tuple[float, float] | None = None
        self._name = ""

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def __call__(self, name: str, share: float, /) -> None:
        """A piece goes on; without a terminal, one that begins makes a line."""
        now = time.monotonic()
        self._begun = self._begun or (now, share)
        begun, before = self._begun
        done = share - before
        left = f"{duration((now - begun) * (1 - share) / done)} left" if done > 0 else ""
        self._bars.update(self._task, description=name, completed=round(_WHOLE * share), left=left)
        if name != self._name and not self._quiet:
            notes.print(f"{share:.0%} {name}{', ' if left else ''}{left}", markup=False, soft_wrap=True)
        self._name = name


def _print(found: Evidence, rows: list[Traded], chosen: ChosenDefault, files: list[Path]) -> None:
    from rich.table import Table

    from unveil.lab.evidence.run import passed

    table = Table(box=None, pad_edge=False)
    for name in ("attack", "encoding", "people", "shared", "found", "first ten", "chance", ""):
        table.add_column(name, justify="left" if name in {"attack", "encoding", ""} else "right")
    for kind in ("control", "own"):
        for one in found.findings(kind):
            held = passed(one, control=kind == "control")
            verdict = ("succeeds, as it must" if held else "FAILS: proves nothing") if kind == "control" else (
                "holds" if held else "FALLS")  # fmt: skip
            table.add_row(
                one.attack, one.coding if kind == "own" else f"weak: {one.coding}", f"{one.people:,}",
                "" if one.shared is None else f"{one.shared:.0%}", f"{one.first:.4f}",
                "" if one.ten is None else f"{one.ten:.4f}", f"{one.chance:.4f}", verdict,
            )  # fmt: skip
    results.print(table)
    trade = Table(box=None, pad_edge=False)
    for name in ("", "encoding", "nobody known", "people known", "F1", "to encode", "to compare"):
        trade.add_column(name, justify="left" if name == "encoding" else "right")
    for row in rows:
        trade.add_row(
            str(row.number), row.title, f"{row.nobody_known:.4f}", f"{row.with_known:.4f}", f"{row.f1:.3f}",
            f"{row.encoding:.1f} µs a record", f"{row.comparing:.2f} × plain",
        )  # fmt: skip
    results.print(trade)
    results.print(f"default: {chosen.coding or 'none'}: {chosen.reason}", markup=False, soft_wrap=True)
    results.print(f"{duration(found.seconds)} of work", markup=False)
    for file in files:
        results.print(f"  {file}", markup=False, soft_wrap=True)
