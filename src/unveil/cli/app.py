"""The Typer application that every command group joins."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import unveil
from unveil.cli.door import ask, say
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


def confirm(question: str) -> bool:
    """Whether a person at the terminal says yes; an error that names --yes where nobody can be asked."""
    try:
        return ask(question)
    except typer.Abort:
        if sys.stdin.isatty():  # Ctrl-C, by somebody who is there
            raise
        say(err=True)  # the question stands on a line of its own
        raise SettingError("nobody is there to answer", hint="with --yes nothing is asked") from None


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        say(f"unveil {unveil.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version and stop")
    ] = False,
) -> None:
    """Set what holds for every command."""
