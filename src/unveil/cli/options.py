"""Options that several commands take, each defined once so that it reads the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="print the result as JSON")]
#: For commands that print lines or a table of figures as they go: with this, the figures are one object on stdout.
JsonObject = Annotated[bool, typer.Option("--json", help="print one JSON object")]
Force = Annotated[bool, typer.Option("--force", help="replace the file if it exists")]

SchemaName = Annotated[
    str | None,
    typer.Option(metavar="NAME|FILE", help="a built-in schema or a file; the built-in schema person if not given"),
]
EngineName = Annotated[str, typer.Option(help="auto, reference, cpu, gpu or spark")]

UnitConfigFile = Annotated[Path, typer.Option(help="configuration of the unit, a TOML file", show_default=False)]
Demonstration = Annotated[bool, typer.Option("--demonstration", help="the unit runs as a demonstration")]

#: Of the two demonstrations, in one process and in five.
ResultsFolder = Annotated[Path, typer.Option(help="folder for the report, the people and the links")]
PeoplePerOwner = Annotated[int, typer.Option(help="people per owner", min=100, max=1_000_000)]
LabelBudget = Annotated[int, typer.Option(help="labels that may be asked of the reviewer", min=0)]
ReviewerError = Annotated[float, typer.Option(help="share of the simulated reviewer's labels that are wrong")]
Seed = Annotated[int, typer.Option(help="same seed, same people, same result", min=0)]
