"""`unveil doctor`: what is wrong with a set-up, and what cures it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import print_json, say
from unveil.cli.options import Json

if TYPE_CHECKING:
    from unveil.runtime.doctor.diagnosis import Diagnosis


@app.command()
def doctor(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="an owner's folder, a unit's configuration or a project file; the machine alone if not given",
            show_default=False,
        ),
    ] = None,
    *,
    call: Annotated[bool, typer.Option("--call", help="ask the other units too whether they answer")] = False,
    demonstration: Annotated[
        bool, typer.Option("--demonstration", help="the folder is that of a trial, as unveil parties makes it")
    ] = False,
    as_json: Json = False,
) -> None:
    """
    Look at a machine and a set-up, and say what is wrong, each with a cure. Nothing is changed.

    Ends with 1 if something is wrong; what is a note works, and somebody should know it.

    Example: unveil doctor record-unit.toml
    """
    from unveil.runtime.doctor.diagnosis import Condition
    from unveil.runtime.doctor.examine import examine

    found: list[Diagnosis] = []
    for diagnosis in examine(path, call=call, demonstration=demonstration):
        found.append(diagnosis)
        if not as_json:
            _say(diagnosis)
    wrong = sum(each.condition is Condition.WRONG for each in found)
    if as_json:
        print_json(
            {"path": None if path is None else str(path), "wrong": wrong, "checks": [o.as_json() for o in found]}
        )
    else:
        say(f"{wrong} wrong" if wrong else "nothing is wrong", err=True)
    if wrong:
        raise typer.Exit(1)


def _say(diagnosis: Diagnosis) -> None:
    for place, line in enumerate(diagnosis.what.splitlines()):
        head = f"{diagnosis.condition.value:<6} {diagnosis.check}:" if not place else " " * 6
        say(f"{head} {line.strip()}")
    if diagnosis.cure is not None:
        say(f"       cure: {diagnosis.cure}")
