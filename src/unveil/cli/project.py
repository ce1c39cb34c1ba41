"""`unveil project`: the file that all parties of a project share."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app, confirm
from unveil.cli.door import notes, print_json, say
from unveil.cli.options import Demonstration, Json, UnitConfigFile
from unveil.cli.unit_names import RoleName, UnitName
from unveil.projects.new_project import EVENNESS, FURTHER_ATTRIBUTES
from unveil.protocol.roles import Role
from unveil.safety.visible import visible

if TYPE_CHECKING:
    from unveil.errors import Problem
    from unveil.projects.project import Party, Project

commands = typer.Typer(help="the project file: who takes part, and what is linked how", no_args_is_help=True)
app.add_typer(commands, name="project")

File = Annotated[Path, typer.Argument(help="project file (TOML)", show_default=False)]


@commands.command()
def new(
    file: Annotated[Path, typer.Argument(help="file to make; one that exists is never replaced", show_default=False)],
    *,
    name: Annotated[str, typer.Option(help="name of the project: small letters, digits, dashes", show_default=False)],
    schema: Annotated[str, typer.Option(metavar="NAME|FILE", help="a built-in schema or a file")] = "person",
    preset: Annotated[str, typer.Option(help="protocol parameters: unveil, paper, or schema for the file's own")] = (
        "unveil"
    ),
    decoys: Annotated[float, typer.Option(help="share of wishes that are decoys, so that a wish tells less")] = 0.1,
    evenness: Annotated[
        float, typer.Option(help="how often people in one register are wished for, as a share of those in both")
    ] = EVENNESS,
    join: Annotated[str, typer.Option(help="who may join the link tables: owners, together, or research-centre")] = (
        "owners"
    ),
    join_key: Annotated[
        str | None, typer.Option(help="the research centre's public key, as unveil join key prints it")
    ] = None,
    quality: Annotated[
        str, typer.Option(help="who is told how many links there are and how good: owners, joining or nobody")
    ] = "owners",
    records: Annotated[int, typer.Option(help="records that one owner may upload at most")] = 10_000_000,
    second_opinions: Annotated[
        float, typer.Option(help="share of the reviewed pairs that a second person decides about too")
    ] = 0.0,
    second_below: Annotated[
        float, typer.Option(help="labels less sure than this ask for a second opinion; 0.5: none do")
    ] = 0.5,
    further_attributes: Annotated[
        float, typer.Option(help="how often reviewers may ask owners for one more attribute, as a share of the budget")
    ] = FURTHER_ATTRIBUTES,
    as_json: Json = False,
) -> None:
    """
    Make a project file, with the schema inside it, that the parties then join.

    Example: unveil project new project.toml --name stroke-2025
    """
    from tomli_w import dumps as document

    from unveil.cli.project_terms import tell_columns
    from unveil.projects.project_file import parse_project, schema_data, write_new
    from unveil.schema import named
    from unveil.schema.presets import with_preset

    given = named(schema)
    linkage = schema_data(with_preset(given, preset))
    linkage["protocol"] |= {"decoys": decoys, "evenness": evenness, "further_attributes": further_attributes}
    links = {"join": join, "quality": quality} | ({} if join_key is None else {"public_key": join_key})
    reviews = {"second_opinions": second_opinions, "second_below": second_below}
    limits = {"records_per_owner": records}
    settings = {"name": name, "limits": limits, "links": links, "reviews": reviews, "schema": linkage}
    project = parse_project(document(settings), source=str(file), draft=True)
    write_new(file, project)
    tell_columns(given)
    if as_json:
        print_json({"file": str(file), **_summary(project)})
    else:
        say(f"project {project.name} written to {file}")
        say(f"next: unveil project join {file} for {', '.join(project.missing())}", err=True)


@commands.command()
def join(
    file: File,
    *,
    role: Annotated[
        RoleName, typer.Option(help="owner, record-unit, attribute-unit or review-unit", show_default=False)
    ],
    certificate: Annotated[Path, typer.Option(help="its certificate (PEM or DER)", show_default=False)],
    name: Annotated[str | None, typer.Option(help="its name; owners need one")] = None,
    address: Annotated[
        str | None, typer.Option(help="https://host:port where a unit listens; owners have none")
    ] = None,
    server_certificate: Annotated[
        Path | None, typer.Option(help="certificate that a unit listens with, if that is another one")
    ] = None,
    demonstration: Annotated[
        bool, typer.Option("--demonstration", help="let units share a certificate, for a demonstration on one machine")
    ] = False,
    as_json: Json = False,
) -> None:
    """
    Add a party to a project file. A role, name or public key that is there already is refused.

    Example: unveil project join project.toml --role owner --name hospital-a --certificate hospital-a.pem
    """
    from unveil.projects import project_file
    from unveil.projects.certificates import CertificateError, read_certificate

    read = read_certificate(certificate)
    if read.authority:
        raise CertificateError(f"{certificate}: is an authority's, not a party's", hint="unveil pki issue makes one")
    party = _party(file, role, name or "", address, read.public_key)
    own = {"--certificate": certificate}
    if server_certificate is not None:
        own["--server-certificate"] = server_certificate
        party = party.model_copy(update={"server_key": read_certificate(server_certificate).public_key})
    project = project_file.join(file, party, demonstration=demonstration, further=_unfit(party, own))
    if as_json:
        print_json({"file": str(file), **_summary(project)})
        return
    say(f"{party.party} joined {project.name}")
    missing = project.missing()
    say(f"still missing  {', '.join(missing)}" if missing else f"fingerprint    {project.fingerprint()}")


@commands.command()
def close(
    name: Annotated[str, typer.Argument(help="name of the project", show_default=False)],
    *,
    role: Annotated[UnitName, typer.Option(help="record-unit, attribute-unit or review-unit", show_default=False)],
    config: UnitConfigFile,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    force: Annotated[bool, typer.Option("--force", help="although something is left to do")] = False,
    demonstration: Demonstration = False,
    as_json: Json = False,
) -> None:
    """
    Close a project at a unit: nothing but counts, the link table and the chain of the log remains.

    Example: unveil project close stroke-2025 --role record-unit --config record-unit.toml
    """
    from unveil.errors import SettingError
    from unveil.projects.project_file import load
    from unveil.projects.unit_config import UnitConfig
    from unveil.runtime.closing import close_project

    settings = UnitConfig.load(config, demonstration=demonstration)
    known = [load(entry.file, demonstration=demonstration).name for entry in settings.projects]
    if name not in known:
        raise SettingError(f"{config}: no project is called that", hint=f"its projects: {', '.join(known)}")
    if not yes and not confirm(f"erase everything of project {name} but counts and links?"):
        say("nothing was erased", err=True)
        raise typer.Exit(1)
    counts = close_project(role.role, settings, name, force=force, demonstration=demonstration)
    if as_json:
        print_json({"project": name, **counts})
    else:
        say(f"project {name} is closed: {counts['messages']} messages and {counts['decisions']} decisions erased")


@commands.command()
def show(file: File, *, as_json: Json = False) -> None:
    """
    Show a project: its parties, its limits, and the fingerprint that all parties should compare.

    Example: unveil project show project.toml
    """
    from unveil.cli.project_terms import terms
    from unveil.projects.project_file import load_draft

    project = load_draft(file, demonstration=True)
    if as_json:
        print_json({"file": str(file), **_summary(project), "schema": project.linkage.model_dump(mode="json")})
        return
    say(f"project      {project.name}, protocol {project.protocol}")
    for line in terms(project):
        say(line)
    say("parties")
    width = max((len(str(each.party)) for each in project.parties), default=0)
    for each in project.parties:
        say(f"  {each.party!s:<{width}}  {each.public_key}{'  ' + each.address if each.address else ''}")
    for holders in project.shared_keys().values():
        say(f"warning      {' and '.join(map(str, holders))} share a key: for demonstrations only")
    if project.missing():
        say(f"missing      {', '.join(project.missing())}")
    say(f"fingerprint  {project.fingerprint()}")


def _party(file: Path, role: RoleName, name: str, address: str | None, public_key: str) -> Party:
    from pydantic import ValidationError

    from unveil.projects.project import Party
    from unveil.settings.reader import ProjectError, explained

    data = {"role": role.role.value, "name": name, "address": address, "public_key": public_key}
    try:
        return Party.model_validate(data)
    except ValidationError as error:
        raise ProjectError(str(file), explained(error, data, Party), hint="nobody joined") from None


def _unfit(party: Party, own: dict[str, Path]) -> list[Problem]:
    """
    What no date makes fit about the certificates that a party calls and listens with, by option.

    Dates are no reason to refuse here: what joins is the key, and a renewed certificate with the same key is the same
    party. They are told as a note.
    """
    from unveil.projects.certificates import read_certificate
    from unveil.projects.own_certificate import ends_soon, unfit
    from unveil.projects.project import is_address

    problems, now, listening = [], datetime.now(UTC), list(own)[-1]
    where = party.address if party.role != Role.OWNER.value and is_address(party.address or "") else None
    for option, path in own.items():
        found = read_certificate(path)
        address = where if option == listening else None
        problems += unfit(option, path, found, calls=option == "--certificate", address=address)
        note = ends_soon(path, found, now)
        if not found.valid(now):
            note = f"{path}: holds from {found.not_before:%Y-%m-%d} to {found.not_after:%Y-%m-%d}, not now"
        if note is not None:
            notes.print(f"note: {visible(note)}", markup=False, soft_wrap=True)
    return problems


def _summary(project: Project) -> dict[str, object]:
    return {
        "name": project.name,
        "protocol": project.protocol,
        "limits": project.limits.model_dump(mode="json"),
        "links": project.links.model_dump(mode="json"),
        "reviews": project.reviews.model_dump(mode="json"),
        "parties": [each.model_dump(mode="json") for each in project.parties],
        "missing": list(project.missing()),
        "shared_keys": list(project.shared_keys()),
        "fingerprint": project.fingerprint(),
        "schema_fingerprint": project.linkage.fingerprint(),
    }
