"""`unveil serve`: a unit as a process of its own."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app, notes


class UnitName(Enum):
    """A unit, as it is written on the command line."""

    RECORD_UNIT = "record-unit"
    ATTRIBUTE_UNIT = "attribute-unit"
    REVIEW_UNIT = "review-unit"


@app.command()
def serve(
    unit: Annotated[
        UnitName, typer.Argument(metavar="ROLE", help="record-unit, attribute-unit or review-unit", show_default=False)
    ],
    *,
    config: Annotated[Path, typer.Option(help="configuration of the unit, a TOML file", show_default=False)],
    ready: Annotated[
        Path | None, typer.Option(help="file to write once the unit listens, with its host and port")
    ] = None,
    demonstration: Annotated[
        bool, typer.Option("--demonstration", help="allow what protects nobody: shared databases and keys, seeds")
    ] = False,
) -> None:
    """
    Run a unit until it is told to stop (Ctrl-C, SIGTERM). Nothing is lost, however it stops.

    Logs are lines of JSON on stderr: ids and counts, never a value, a key or an encoding.

    Example: unveil serve record-unit --config record-unit.toml
    """
    from unveil.protocol.roles import Role
    from unveil.runtime.unit_process import run_unit

    role = Role(unit.value.replace("-", " "))

    def listening(host: str, port: int) -> None:
        notes.print(f"{role.value} listens on https://{host}:{port}", soft_wrap=True)

    run_unit(role, config, ready=ready, demonstration=demonstration, on_listening=listening, on_note=_note)


def _note(text: str) -> None:
    notes.print(f"note: {text}", markup=False, soft_wrap=True)
