"""`unveil audit`: check that a party's log is what was written, and read what a closed project keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import print_json, say, say_error
from unveil.cli.options import Force, Json

if TYPE_CHECKING:
    from unveil.runtime.audit import DatabaseAudit, LogAudit

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
    from unveil.runtime import audit

    expected = None if head is None else _head(head)
    if expected is not None and project is None:
        raise typer.BadParameter("a head is one project's: give --project too", param_hint="--head")
    found = audit.verify(database, project=project, head=expected)
    if as_json:
        print_json(found.as_json())
    else:
        _print(found)
    if not found.whole:
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
    from unveil.files.atomic import check_target
    from unveil.files.write import write_rows
    from unveil.runtime import audit

    if out is not None:
        check_target(out, overwrite=force)
    found = audit.kept(database, project)
    if out is not None:
        write_rows(out, ("owner", "handle", "link_id"), found.links, ids=("owner",), overwrite=force)
    if as_json:
        print_json(found.as_json())
    else:
        say(f"project {project}: " + ", ".join(f"{count} {name}" for name, count in found.counts.items()))
        say(f"{len(found.links)} link ids{'' if out is None else f' written to {out}'}")


@commands.command()
def reviews(
    database: Url,
    *,
    project: Annotated[str, typer.Option(help="the project, still open", metavar="NAME", show_default=False)],
    as_json: Json = False,
) -> None:
    """
    List who opened and decided what at a review unit: reviewers by the id of their token, tasks by their random id.

    No value is shown, for none is in the log. A closed project keeps counts alone, so list them before closing.

    Example: unveil audit reviews review-unit.sqlite --project stroke-2025
    """
    from unveil.runtime.review_audit import review_acts

    found = review_acts(database, project)
    if as_json:
        print_json([act.as_json() for act in found])
        return
    for act in found:
        when = f"{datetime.fromtimestamp(act.time, UTC):%Y-%m-%d %H:%M:%S}"
        say(f"{act.entry:>7}  {when}  {act.reviewer:<16}  {act.act:<7}  task {act.task}  {act.what}")
    people = sorted({act.reviewer for act in found})
    for person in people:
        acts = [act.act for act in found if act.reviewer == person]
        say(f"{person}: {acts.count('decided')} decided, {acts.count('opened')} opened")
    if not people:
        say("nothing was opened or decided yet")


def _print(found: DatabaseAudit) -> None:
    for log in found.projects:
        name = f"{log.project} ({' '.join(filter(None, [log.role, log.identity]))})"
        if log.problems:
            for problem in log.problems:
                say_error(f"{name}: {problem}", None)
        else:
            say(f"{name}: whole, {log.entries} entries, {log.state}, head {log.head}{_later(log)}")
    for problem in found.problems:
        say_error(problem, None)
    if not found.projects and not found.problems:
        say("no projects")


def _later(log: LogAudit) -> str:
    """What the head does not cover yet."""
    word = "delivery" if log.uncovered == 1 else "deliveries"
    return f"; {log.uncovered} {word} since, which the next entry will cover" if log.uncovered else ""


def _head(text: str) -> tuple[int, bytes]:
    number, _, hashed = text.partition(":")
    try:
        return int(number), bytes.fromhex(hashed)
    except ValueError:
        raise typer.BadParameter(_HEAD_HINT, param_hint="--head") from None
