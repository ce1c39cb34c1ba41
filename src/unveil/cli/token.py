"""`unveil token`: who may review, and who may watch over a unit."""

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
from unveil.cli.unit_names import UnitName

if TYPE_CHECKING:
    from unveil.storage.database import Database

commands = typer.Typer(help="tokens for people: reviewers and operators of a unit", no_args_is_help=True)
app.add_typer(commands, name="token")

_DAY = 86_400
_COLUMNS = ("id", "project", "for", "issued", "expires")


class Person(Enum):
    """Whom a token stands for."""

    REVIEWER = "reviewer"
    OPERATOR = "operator"


Unit = Annotated[UnitName, typer.Argument(help="the unit that takes the token", show_default=False)]


@commands.command()
def new(
    unit: Unit,
    *,
    config: UnitConfigFile,
    project: Annotated[str, typer.Option(help="name of the project", show_default=False)],
    person: Annotated[Person, typer.Option("--for", help="reviewer or operator", show_default=False)],
    out: Annotated[
        Path, typer.Option(help="file for the token; one that exists is never replaced", show_default=False)
    ],
    days: Annotated[int, typer.Option(help="days until it expires", min=1, max=366)] = 30,
    demonstration: Demonstration = False,
    as_json: Json = False,
) -> None:
    """
    Make a token and write it to a file that only you can read. The unit keeps a hash: a lost token cannot be found.

    Example: unveil token new review-unit --config review-unit.toml --project stroke --for reviewer --out ann.token
    """
    from unveil.errors import SettingError
    from unveil.files import private_file
    from unveil.projects.project_file import load
    from unveil.projects.unit_config import UnitConfig

    if person is Person.REVIEWER and unit is not UnitName.REVIEW_UNIT:
        raise SettingError(f"the {unit.role.value} has no reviews", hint="reviewers get tokens of the review unit")
    settings = UnitConfig.load(config, demonstration=demonstration)
    known = [load(entry.file, demonstration=demonstration).name for entry in settings.projects]
    if project not in known:
        raise SettingError(f"{config}: no project is called that; projects: {', '.join(known)}")
    if out.exists():
        raise SettingError(f"{out}: exists already", hint="choose another file")
    now = time.time()
    with _opened(unit, config, demonstration=demonstration) as database:
        secret = database.tokens.issue(project, person.value, now + days * _DAY, now)
        try:
            private_file.write_new(out, f"{secret}\n".encode(), error=SettingError, why_kept="choose another file")
        except SettingError:
            database.tokens.revoke(_number(secret))
            raise
    if as_json:
        print_json({"file": str(out), "id": _number(secret), "expires": _day(now + days * _DAY)})
    else:
        say(f"token {_number(secret)} for {_article(person)} written to {out}; it expires in {days} days")


@commands.command("list")
def list_tokens(
    unit: Unit, *, config: UnitConfigFile, demonstration: Demonstration = False, as_json: Json = False
) -> None:
    """
    List the tokens of a unit: ids, whom they stand for, until when and whether still, never the tokens themselves.

    Example: unveil token list review-unit --config review-unit.toml
    """
    with _opened(unit, config, demonstration=demonstration) as database:
        tokens = database.tokens.list()
        closed = {log.name for log in database.logs() if log.role == database.role and log.state == "closed"}
    now = time.time()
    rows = [
        {"id": each.id, "project": each.project, "for": each.role, "issued": _day(each.issued),
         "expires": _day(each.expires), "expired": each.expires <= now, "closed": each.project in closed}
        for each in tokens
    ]  # fmt: skip
    if as_json:
        print_json(rows)
        return
    # Lines are as long as they must be: an id that a narrow terminal cuts off could not be revoked.
    cells = [[*_COLUMNS, "state"], *([*(str(row[name]) for name in _COLUMNS), _state(row)] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        say("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())


@commands.command()
def revoke(
    unit: Unit,
    number: Annotated[str, typer.Argument(metavar="ID", help="id of the token, see unveil token list")],
    *,
    config: UnitConfigFile,
    demonstration: Demonstration = False,
) -> None:
    """
    Revoke a token; the unit refuses it from the next request on.

    Example: unveil token revoke review-unit 0123456789abcdef --config review-unit.toml
    """
    from unveil.errors import SettingError

    with _opened(unit, config, demonstration=demonstration) as database:
        if not database.tokens.revoke(number):
            raise SettingError("no token has this id", hint="unveil token list shows the ids")
    say(f"token {number} is revoked")


@contextmanager
def _opened(unit: UnitName, config: Path, *, demonstration: bool) -> Iterator[Database]:
    from unveil.projects.unit_config import UnitConfig
    from unveil.storage.database import Database

    settings = UnitConfig.load(config, demonstration=demonstration)
    with Database.open(settings.database, role=unit.role.value, demonstration=demonstration) as database:
        yield database


def _number(secret: str) -> str:
    """The public half of a token."""
    return secret.split(".")[1]


def _state(row: dict[str, object]) -> str:
    """Whether the unit still takes a token."""
    return "expired" if row["expired"] else "project closed" if row["closed"] else "in force"


def _article(person: Person) -> str:
    return "an operator" if person is Person.OPERATOR else f"a {person.value}"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
