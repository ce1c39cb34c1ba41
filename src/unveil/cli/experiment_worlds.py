"""`unveil experiment worlds`: registers of every kind, linked in every way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unveil.cli.door import notes, print_json, results
from unveil.cli.experiment import commands
from unveil.cli.options import EngineName, JsonObject

if TYPE_CHECKING:
    from unveil.lab.worlds.measure import Figures

_COLUMNS = ("pairs_completeness", "nothing_opened", "opened", "final", "plain_clk", "supervised")


@commands.command()
def worlds(
    *,
    first: Annotated[int, typer.Option(metavar="SEED", help="seed of the first world", min=0)] = 10_000,
    count: Annotated[int, typer.Option(metavar="N", help="number of worlds", min=1, max=10_000)] = 40,
    largest: Annotated[int, typer.Option(metavar="N", help="records of the largest register", min=200)] = 4_000,
    budget: Annotated[int, typer.Option(help="labels that may be asked of the reviewer", min=0)] = 100,
    error: Annotated[float, typer.Option(help="share of the reviewer's labels that are wrong", min=0, max=1)] = 0.2,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write a line of JSON for each world here", show_default=False)
    ] = None,
    engine: EngineName = "auto",
    as_json: JsonObject = False,
) -> None:
    """
    Link generated worlds of every kind: nothing opened, opened, and reviewed, beside what others reach on the same.

    Worlds from seed 10,000 on are never learnt from. One that cannot be linked is named, and the others go on.

    Example: unveil experiment worlds --count 5 --largest 1000
    """
    from unveil.cli.progress import Stages
    from unveil.engines import choose
    from unveil.errors import UnveilError
    from unveil.lab.worlds import draw_design, make_world
    from unveil.lab.worlds.measure import measure

    chosen, found = choose(engine), []
    with Stages(notes) as stages:
        stages.begin("linking worlds", total=count)
        for seed in range(first, first + count):
            world = make_world(draw_design(seed, largest=largest))
            try:
                found.append(measure(world, chosen, budget=budget, error=error))
            except UnveilError as problem:
                notes.print(f"world {seed}: {problem.message}", markup=False, soft_wrap=True)
            stages.advance()
    if out is not None:
        _write(out, found)
    if as_json:
        print_json({"worlds": [one.as_json() for one in found], "summary": summary(found)})
    else:
        _print(found)


def summary(found: Sequence[Figures]) -> dict[str, Any]:
    """Means over the worlds in which somebody is shared, and in how many of them each bar is reached."""
    shared = [one for one in found if one.true_pairs]
    count = max(1, len(shared))
    return {
        "worlds": len(found),
        "with_shared_people": len(shared),
        "mean": {name: round(sum(getattr(one, name) for one in shared) / count, 4) for name in _COLUMNS},
        "final_not_below_nothing_opened": sum(one.final >= one.nothing_opened - 0.003 for one in shared),
        "final_not_below_plain_clk": sum(one.final >= one.plain_clk - 0.003 for one in shared),
        "final_near_supervised": sum(one.final >= one.supervised - 0.015 for one in shared),
        "interval_covers": sum(one.estimate[0] <= one.final <= one.estimate[2] for one in shared),
        "links_where_nobody_is_shared": sum(one.links for one in found if not one.true_pairs),
    }


def _write(path: Path, found: Sequence[Figures]) -> None:
    from unveil.files.atomic import replacing

    with replacing(path) as temporary:
        temporary.write_text("".join(f"{json.dumps(one.as_json())}\n" for one in found), encoding="utf-8")


def _print(found: Sequence[Figures]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    headings = ("world", "in candidates", "nothing opened", "opened", "final", "plain CLK", "supervised", "estimate")
    for name in headings:
        table.add_column(name, justify="right")
    for one in found:
        low, _, high = one.estimate
        cells = (f"{getattr(one, name):.3f}" for name in _COLUMNS)
        table.add_row(str(one.seed), *cells, f"{low:.2f}–{high:.2f}{'' if one.trusted else ' ?'}")
    results.print(table)
    figures = summary(found)
    results.print(
        f"of {figures['with_shared_people']} worlds with shared people: final not below nothing opened in "
        f"{figures['final_not_below_nothing_opened']}, not below plain CLK in {figures['final_not_below_plain_clk']}, "
        f"near the supervised model in {figures['final_near_supervised']}; "
        f"the interval covers in {figures['interval_covers']}",
        soft_wrap=True,
    )
