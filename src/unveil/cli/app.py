"""The Typer application that every command group joins."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

import unveil
from unveil.errors import SettingError


class _Root(TyperGroup):
    """The command line as a whole, in whose help a switch is no more than its name: `--json <bool>` takes no word."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        pending: list[Any] = [self]  # Typer's own copy of Click is private
        for command in pending:
            pending += getattr(command, "commands", {}).values()
            for parameter in command.params:
                if getattr(parameter, "is_flag", False):
                    parameter.metavar = ""


app = typer.Typer(
    name="unveil",
    cls=_Root,
    help="link records about the same people across organisations, disclosing as little as each decision needs",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its tracebacks print local variables, and those may hold people's values
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)

#: People read on stderr (progress, notes); stdout is for results alone, so that `--json` can be piped.
notes = Console(stderr=True, highlight=False)
results = Console(highlight=False)


def say_error(message: str, hint: str | None) -> None:
    """Print an error as every command prints it."""
    typer.echo(f"unveil: error: {message}", err=True)
    if hint:
        typer.echo(f"hint: {hint}", err=True)


def print_json(value: Any) -> None:
    """Print one JSON object on stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def confirm(question: str) -> bool:
    """Whether a person at the terminal says yes; an error that names --yes where nobody can be asked."""
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        if sys.stdin.isatty():  # Ctrl-C, by somebody who is there
            raise
        typer.echo(err=True)  # the question stands on a line of its own
        raise SettingError("nobody is there to answer", hint="with --yes nothing is asked") from None


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        typer.echo(f"unveil {unveil.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version and stop")
    ] = False,
) -> None:
    """Set what holds for every command."""
