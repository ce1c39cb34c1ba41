"""`unveil serve`: a unit as a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app, notes
from unveil.cli.options import UnitConfigFile
from unveil.cli.unit_names import UnitName


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
    from unveil.errors import SettingError
    from unveil.projects.unit_config import UnitConfig
    from unveil.runtime.serve import serve_unit
    from unveil.transport.http.server import ready_file

    role = unit.role

    def say(host: str, port: int) -> None:
        notes.print(f"{role.value} listens on https://{host}:{port}", soft_wrap=True)
        if ready is not None:
            ready_file(ready)(host, port)

    settings = UnitConfig.load(config, demonstration=demonstration)
    try:
        serve_unit(role, settings, demonstration=demonstration, on_ready=say, on_note=_note)
    except SettingError as error:
        if error.hint is None and error.message.startswith("cannot listen"):
            raise SettingError(error.message, hint=f"host and port stand under [listen] in {config}") from None
        raise


def _note(text: str) -> None:
    notes.print(f"note: {text}", markup=False, soft_wrap=True)
