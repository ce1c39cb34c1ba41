"""
The one door to the terminal: whatever any command prints goes through here, and nothing foreign comes out unescaped.

Certificates, column names, statuses of other parties and names of files are written by somebody else. Here each line
is made visible (`safety.visible`) before it is printed; a test holds that no other module of `cli` prints.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from unveil.errors import UnveilError
from unveil.safety.visible import visible, visible_json, visible_lines


class Terminal(Console):
    """A console whose own colours and movements reach the terminal, and none that a text brings along."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed, piece by piece; what is not a control of the console itself is made visible."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible_lines(segment.text))


#: People read on stderr (progress, notes); stdout is for results alone, so that `--json` can be piped.
notes = Terminal(stderr=True, highlight=False)
results = Terminal(highlight=False)


def say(line: object = "", *, err: bool = False) -> None:
    """Print one line; a line feed in it is foreign, and is made visible."""
    typer.echo(visible(str(line)), err=err)


def say_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines."""
    for line in lines:
        say(line, err=err)


def say_text(text: str) -> None:
    """Print text whose line feeds are our own, such as a settings file that we wrote."""
    typer.echo(visible_lines(text), nl=not text.endswith("\n"))


def say_error(message: str, hint: str | None) -> None:
    """Print an error of one line as every command prints it."""
    say(f"unveil: error: {message}", err=True)
    if hint:
        say(f"hint: {hint}", err=True)


def say_failure(error: UnveilError) -> None:
    """Print what ended a command; an error has made what is foreign in its lines visible already."""
    typer.echo(visible_lines(f"unveil: error: {error.message}"), err=True)
    if error.hint:
        typer.echo(visible_lines(f"hint: {error.hint}"), err=True)


def print_json(value: Any) -> None:
    """Print one JSON value on stdout."""
    typer.echo(visible_json(json.dumps(value, ensure_ascii=False)))


def ask(question: str) -> bool:
    """Whether a person says yes."""
    return typer.confirm(visible(question), err=True)
