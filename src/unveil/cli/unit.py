"""`unveil unit`: what whoever runs a unit does before and beside `unveil serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, say
from unveil.cli.options import EngineName, Json, UnitConfigFile
from unveil.cli.unit_names import UnitName
from unveil.safety.visible import visible

commands = typer.Typer(help="a unit's configuration and health", no_args_is_help=True)
app.add_typer(commands, name="unit")


@commands.command()
def init(
    unit: Annotated[
        UnitName, typer.Argument(metavar="ROLE", help="record-unit, attribute-unit or review-unit", show_default=False)
    ],
    *,
    config: Annotated[Path, typer.Option(help="file to write; one that exists is never replaced", show_default=False)],
    project: Annotated[Path, typer.Option(help="project file, which all parties share", show_default=False)],
    certificate: Annotated[Path, typer.Option(help="this unit's certificate (PEM)", show_default=False)],
    tls_key: Annotated[Path, typer.Option(help="the certificate's private key (PEM)", show_default=False)],
    authority: Annotated[Path, typer.Option(help="the authority's certificate (PEM)", show_default=False)],
    host: Annotated[
        str | None,
        typer.Option(help="address of this machine to listen on; all of them if not given", show_default=False),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="port; that of the project file if not given", show_default=False)
    ] = None,
    database: Annotated[
        str | None, typer.Option(help="a file or postgresql://…; ROLE.sqlite if not given", show_default=False)
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="folder for what can be computed again; ROLE-data if not given", show_default=False),
    ] = None,
    engine: EngineName = "auto",
    demonstration: Annotated[
        bool, typer.Option("--demonstration", help="allow what protects nobody: shared databases and keys, seeds")
    ] = False,
    as_json: Json = False,
) -> None:
    """
    Check everything that a unit needs and write its configuration, each setting explained, ready for unveil serve.

    Example: unveil unit init record-unit --config record-unit.toml --project project.toml
    --certificate record-unit.pem --tls-key record-unit.key --authority authority.pem
    """
    from unveil.runtime.unit_init import UnitFiles, begin_unit

    begun = begin_unit(
        unit.role,
        config,
        UnitFiles(project, certificate, tls_key, authority),
        host=host,
        port=port,
        database=database,
        data=data,
        engine=engine,
        demonstration=demonstration,
    )
    for note in begun.notes:
        notes.print(f"note: {visible(note)}", markup=False, soft_wrap=True)
    where = f"{begun.config.host}:{begun.config.port}"
    if as_json:
        print_json(
            {
                "config": str(config),
                "role": unit.role.slug,
                "listen": where,
                "project": begun.project.name,
                "fingerprint": begun.project.fingerprint(),
                "notes": list(begun.notes),
            }
        )
        return
    say(f"configuration of the {unit.role.value} written to {config}")
    say(f"listens on           {where}")
    say(f"project fingerprint  {begun.project.fingerprint()} (compare with every party, by telephone)")
    say(f"next: unveil doctor {config}; unveil serve {unit.role.slug} --config {config}", err=True)


@commands.command()
def health(
    *,
    config: UnitConfigFile,
    seconds: Annotated[float, typer.Option(help="how long to wait for an answer", min=0.1, max=60)] = 5.0,
    demonstration: Annotated[bool, typer.Option("--demonstration", help="the unit runs as a demonstration")] = False,
    as_json: Json = False,
) -> None:
    """
    Ask the unit on this machine whether it answers; ends with 1 if it does not. For whatever starts units again.

    Example: unveil unit health --config record-unit.toml
    """
    from unveil.projects.unit_config import UnitConfig
    from unveil.runtime.unit_health import local_address, unit_health

    settings = UnitConfig.load(config, demonstration=demonstration)
    unit_health(settings, timeout=seconds)
    if as_json:
        print_json({"address": local_address(settings), "answers": True})
    else:
        say(f"{local_address(settings)} answers")
