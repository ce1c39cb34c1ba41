"""`unveil audit`: check that a party's log is what was written, and read what a closed project keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unveil.cli.app import app, print_json, say_error
from unveil.cli.options import Force, Json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unveil.storage.log.log import ProjectLog

commands = typer.Typer(help="the log of a unit or owner: check it, read what is kept", no_args_is_help=True)
app.add_typer(commands, name="audit")

_HEAD_HINT = "as this command prints it: number:hash"


Url = Annotated[
    str,
    typer.Argument(
        metavar="DATABASE-URL",
        help="SQLite file, or postgresql://user@host/database (password from PGPASSWORD or ~/.pgpass)",
        show_default=False,
    ),
]


@commands.command()
def verify(
    database: Url,
    *,
    project: Annotated[str | None, typer.Option(help="only this project", metavar="NAME", show_default=False)] = None,
    head: Annotated[
        str | None,
        typer.Option(
            help="a head noted earlier, which the log must still contain; with --project",
            metavar="NUMBER:HASH",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Check every entry of a log: edited, removed, added and reordered entries are found and named.

    Prints each log's head. Note it elsewhere: with --head, a log that was cut short or rewritten whole is found too.

    Example: unveil audit verify record-unit.sqlite --project stroke-2025
    """
    from unveil.storage.database import Database

    expected = None if head is None else _head(head)
    if expected is not None and project is None:
        raise typer.BadParameter("a head is one project's: give --project too", param_hint="--head")
    with Database.inspect(database) as opened:
        logs = [log for log in opened.logs() if project in {None, log.name}]
        strays = opened.strays()
        rows = [_row(log, expected) for log in logs]
    if project is not None and not rows:
        strays = [*strays, f"there is no project {project}"]
    whole = not strays and not any(row["problems"] for row in rows)
    if as_json:
        print_json({"whole": whole, "projects": rows, "problems": strays})
    else:
        _print(rows, strays)
    if not whole:
        raise typer.Exit(1)


@commands.command()
def kept(
    database: Url,
    *,
    project: Annotated[str, typer.Option(help="the closed project", metavar="NAME", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(help="CSV file to write the links to: owner, handle, link_id", show_default=False),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """
    Show what a closed project keeps: counts and, at the record unit, which record handles are linked.

    Handles mean something to their owner alone, as long as it keeps its folder.

    Example: unveil audit kept record-unit.sqlite --project stroke-2025 --out links.csv
    """
    from unveil.errors import SettingError
    from unveil.files.atomic import check_target
    from unveil.files.write import write_rows
    from unveil.storage.database import Database

    if out is not None:
        check_target(out, overwrite=force)
    with Database.inspect(database) as opened:
        log = next((log for log in opened.logs() if log.name == project), None)
        if log is None:
            raise SettingError(f"{database}: there is no project {project}", hint="unveil audit verify lists them")
        counts = log.summary()
        links = list(_links(log))
    if counts is None:
        raise SettingError(f"project {project} is open", hint="unveil project close ends it")
    if out is not None:
        write_rows(out, ("owner", "handle", "link_id"), links, ids=("owner",), overwrite=force)
    if as_json:
        print_json({"project": project, **counts, "links": len(links)})
    else:
        typer.echo(f"project {project}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
        typer.echo(f"{len(links)} link ids{'' if out is None else f' written to {out}'}")


def _links(log: ProjectLog) -> Iterator[tuple[str, str, str]]:
    """Owner, handle and link id of every record."""
    from unveil.protocol.messages import ID

    for owner in log.kept_names():
        table = log.kept(owner) or b""
        for start in range(0, len(table), 2 * ID):
            yield owner, table[start : start + ID].hex(), table[start + ID : start + 2 * ID].hex()


def _row(log: ProjectLog, expected: tuple[int, bytes] | None) -> dict[str, Any]:
    """What was found about one log, as a JSON object."""
    problems = log.verify(expected)
    seq, hashed = log.head
    return {
        "project": log.name, "role": log.role, "identity": log.identity, "state": log.state, "entries": seq,
        "head": f"{seq}:{hashed.hex()}", "uncovered": log.uncovered(), "problems": problems,
    }  # fmt: skip


def _print(rows: list[dict[str, Any]], strays: list[str]) -> None:
    for row in rows:
        name = f"{row['project']} ({' '.join(filter(None, [row['role'], row['identity']]))})"
        if row["problems"]:
            for problem in row["problems"]:
                say_error(f"{name}: {problem}", None)
        else:
            typer.echo(f"{name}: whole, {row['entries']} entries, {row['state']}, head {row['head']}{_later(row)}")
    for problem in strays:
        say_error(problem, None)
    if not rows and not strays:
        typer.echo("no projects")


def _later(row: dict[str, Any]) -> str:
    """What the head does not cover yet."""
    count = row["uncovered"]
    word = "delivery" if count == 1 else "deliveries"
    return f"; {count} {word} since, which the next entry will cover" if count else ""


def _head(text: str) -> tuple[int, bytes]:
    number, _, hashed = text.partition(":")
    try:
        return int(number), bytes.fromhex(hashed)
    except ValueError:
        raise typer.BadParameter(_HEAD_HINT, param_hint="--head") from None
