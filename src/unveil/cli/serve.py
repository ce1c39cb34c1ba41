"""`unveil serve`: a unit as a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes
from unveil.cli.options import UnitConfigFile
from unveil.cli.unit_names import UnitName
from unveil.safety.visible import visible


@app.command()
def serve(
    unit: Annotated[
        UnitName, typer.Argument(metavar="ROLE", help="record-unit, attribute-unit or review-unit", show_default=False)
    ],
    *,
    config: UnitConfigFile,
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
    from unveil.runtime.unit_process import run_unit
    from unveil.web.of_unit import add_pages

    role = unit.role

    def listening(host: str, port: int) -> None:
        notes.print(f"{role.value} listens on https://{host}:{port}", soft_wrap=True)

    run_unit(
        role, config, ready=ready, demonstration=demonstration, on_listening=listening, on_note=_note,
        add_pages=add_pages,
    )  # fmt: skip


def _note(text: str) -> None:
    notes.print(f"note: {visible(text)}", markup=False, soft_wrap=True)
