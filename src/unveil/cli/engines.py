"""`unveil engines`: what this machine can compare with, and how fast."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, results
from unveil.cli.options import Json


@app.command()
def engines(
    *,
    measure: Annotated[bool, typer.Option("--measure/--no-measure", help="measure for about a second each")] = True,
    as_json: Json = False,
) -> None:
    """
    List the engines, whether this machine has them, and how many comparisons each makes in a second.

    Example: unveil engines --json
    """
    from unveil.engines import NAMES, choose

    with notes.status("measuring"):
        rows = [_row(name, measure=measure) for name in NAMES if name != "auto"]
        auto = choose("auto").name
    if as_json:
        print_json({"auto": auto, "engines": rows})
        return
    _print(rows, auto)


def _row(name: str, *, measure: bool) -> dict[str, Any]:
    """One engine as a JSON object."""
    from unveil.engines import choose, problem

    found = problem(name)
    if found is not None:
        return {
            "name": name, "available": False, "reason": found.message, "hint": found.hint,
            "threads": None, "comparisons_per_second": None,
        }  # fmt: skip
    from unveil.lab.bench.speed import comparisons_per_second

    engine = choose(name)
    # How long a cluster takes to begin says nothing about how fast it compares.
    measure = measure and name != "spark"
    return {
        "name": name, "available": True, "reason": None, "hint": None, "threads": getattr(engine, "threads", None),
        "comparisons_per_second": round(comparisons_per_second(engine)) if measure else None,
    }  # fmt: skip


def _print(rows: list[dict[str, Any]], auto: str) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("engine", "threads", "comparisons/s"):
        table.add_column(column, justify="left" if column == "engine" else "right")
    table.add_column("")
    for row in rows:
        rate = row["comparisons_per_second"]
        table.add_row(
            row["name"], str(row["threads"] or ""), f"{rate:,}" if rate else "",
            "auto takes this one" if row["name"] == auto else (row["reason"] or ""),
        )  # fmt: skip
    results.print(table)
    for row in rows:
        if row["hint"]:
            results.print(f"{row['name']}: {row['hint']}", markup=False)
