"""`unveil key`: make a key file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app, print_json

commands = typer.Typer(help="key files: the secret that a project's owners share", no_args_is_help=True)
app.add_typer(commands, name="key")

_REMINDER = "every owner of the project needs this same key, and nobody else may have it: no linkage unit, no reviewer"


@commands.callback()
def _group() -> None:
    """Keep `new` a subcommand although it is the only one."""


@commands.command()
def new(
    file: Annotated[Path, typer.Argument(help="file to make; one that exists is never replaced", show_default=False)],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """
    Make a key file with a fresh random key, readable by you alone. The key itself is never printed.

    Example: unveil key new project.key
    """
    from unveil.storage import keyfile

    keyfile.new(file)
    if as_json:
        print_json({"file": str(file)})
    else:
        typer.echo(f"key written to {file}")
        typer.echo(_REMINDER, err=True)
