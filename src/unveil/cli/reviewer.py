"""`unveil reviewer`: the people who log in at the review unit's pages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import print_json, say
from unveil.cli.options import Demonstration, Json, UnitConfigFile
from unveil.safety.visible import visible

if TYPE_CHECKING:
    from unveil.storage.database import Database

commands = typer.Typer(help="people who review at the pages of the review unit", no_args_is_help=True)
app.add_typer(commands, name="reviewer")

_DAY = 86_400
_COLUMNS = ("id", "project", "role", "name", "state")


class ReviewerRole(Enum):
    """What somebody is at the review unit."""

    REVIEWER = "reviewer"
    LEAD = "lead"


@commands.command()
def invite(
    name: Annotated[str, typer.Argument(help="by this name the person logs in", show_default=False)],
    *,
    config: UnitConfigFile,
    project: Annotated[str, typer.Option(help="name of the project", show_default=False)],
    out: Annotated[Path, typer.Option(help="file for the link; one that exists is never replaced", show_default=False)],
    url: Annotated[str, typer.Option(help="address of the review unit, as browsers reach it", show_default=False)],
    role: Annotated[ReviewerRole, typer.Option(help="reviewer or lead")] = ReviewerRole.REVIEWER,
    days: Annotated[int, typer.Option(help="days until the link expires", min=1, max=60)] = 7,
    demonstration: Demonstration = False,
    as_json: Json = False,
) -> None:
    """
    Invite somebody and write their link to a file that only you can read. They choose a password there, once.

    Who is there already gets a new link, and sets a new password by it; in the log they stay the same person.

    Example: unveil reviewer invite ann --config r.toml --project stroke --url https://r.example.org --out ann.link
    """
    from unveil.errors import SettingError
    from unveil.files import private_file
    from unveil.projects.project_file import load
    from unveil.projects.unit_config import UnitConfig

    settings = UnitConfig.load(config, demonstration=demonstration)
    known = [load(entry.file, demonstration=demonstration).name for entry in settings.projects]
    if project not in known:
        raise SettingError(f"{config}: no project is called that; projects: {', '.join(known)}")
    if out.exists():
        raise SettingError(f"{out}: exists already", hint="choose another file")
    if not url.startswith("https://"):
        raise SettingError("the address begins with https://", hint="the one under [listen], or the name people know")
    until = time.time() + days * _DAY
    with _opened(config, demonstration=demonstration) as database:
        secret = database.people.invite(project, role.value, name, until=until)
    link = f"{url.rstrip('/')}/review/join#{secret}\n"
    private_file.write_new(out, link.encode(), error=SettingError, why_kept="choose another file")
    if as_json:
        print_json({"file": str(out), "name": name, "role": role.value, "expires": _day(until)})
    else:
        say(f"link for {visible(name)}, {role.value}, written to {out}; it works once, for {days} days")


@commands.command("list")
def list_people(*, config: UnitConfigFile, demonstration: Demonstration = False, as_json: Json = False) -> None:
    """
    List who may log in: ids as the log has them, names, and whether they have joined.

    Example: unveil reviewer list --config review-unit.toml
    """
    with _opened(config, demonstration=demonstration) as database:
        people = database.people.list()
    now = time.time()
    rows = [
        {
            "id": each.id, "project": each.project, "role": each.role, "name": each.name,
            "state": "locked out" if each.locked_until > now else "joined" if each.joined else "invited",
        }
        for each in people
    ]  # fmt: skip
    if as_json:
        print_json(rows)
        return
    cells = [list(_COLUMNS), *([visible(row[name]) for name in _COLUMNS] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        say("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())


@commands.command()
def remove(
    number: Annotated[str, typer.Argument(metavar="ID", help="id of the person, see unveil reviewer list")],
    *,
    config: UnitConfigFile,
    demonstration: Demonstration = False,
) -> None:
    """
    Let somebody in no more, from the next request on. What they decided stays, under their id.

    Example: unveil reviewer remove 0123456789abcdef --config review-unit.toml
    """
    from unveil.errors import SettingError

    with _opened(config, demonstration=demonstration) as database:
        if not database.people.remove(number):
            raise SettingError("nobody has this id", hint="unveil reviewer list shows the ids")
    say(f"{number} is let in no more")


@contextmanager
def _opened(config: Path, *, demonstration: bool) -> Iterator[Database]:
    from unveil.projects.unit_config import UnitConfig
    from unveil.protocol.roles import Role
    from unveil.storage.database import Database

    settings = UnitConfig.load(config, demonstration=demonstration)
    with Database.open(settings.database, role=Role.REVIEW_UNIT.value, demonstration=demonstration) as database:
        yield database


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
