"""`unveil owner approve`, `status`, `ledger` and `results`: what there is to see, while work may go on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import confirm
from unveil.cli.door import notes, print_json, say, say_error, say_lines
from unveil.cli.options import Json
from unveil.cli.owner.options import AllowUnprotected, Folder

TRY_AGAIN = 75


def approve(
    folder: Folder,
    *,
    refuse: Annotated[bool, typer.Option("--refuse", help="refuse what waits instead of letting it go")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    demonstration: AllowUnprotected = False,
    as_json: Json = False,
) -> None:
    """
    Show what waits for a person's approval, in counts, and let it go, as far as the policy allows, or refuse it.

    It may be given while unveil owner run is at work, which takes it up at once; else the next one does.

    Example: unveil owner approve hospital-a
    """
    from unveil.cli.owner.approval_lines import approval_lines
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.runtime.owner.service import OwnerService

    service = OwnerService(folder, demonstration=demonstration, observer=TerminalNotes(notes))
    waiting = service.waiting()
    if not waiting.wishes:
        _nothing_waits(as_json=as_json)
        return
    if not as_json:
        say_lines(approval_lines(waiting))
    asked = "refuse all of this?" if refuse else "let this go, as far as the policy allows?"
    if not yes and not confirm(asked):
        say("nothing was decided; the wishes keep waiting", err=True)
        raise typer.Exit(1)
    service.answer(waiting, granted=not refuse)
    if as_json:
        print_json({"granted": not refuse, "waiting": waiting.as_json()})
    else:
        say(f"{'refused' if refuse else 'approved'}; unveil owner run {folder} takes it up")


def _nothing_waits(*, as_json: bool) -> None:
    if as_json:
        print_json({"granted": None, "waiting": {}})
    else:
        say("nothing waits for approval")


def status(folder: Folder, *, demonstration: AllowUnprotected = False, as_json: Json = False) -> None:
    """
    Show where the owner stands, what waits, what the units say, and what to do next.

    Example: unveil owner status hospital-a
    """
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.cli.owner.status_lines import status_lines
    from unveil.runtime.owner.service import OwnerService

    report = OwnerService(folder, demonstration=demonstration, observer=TerminalNotes(notes)).status()
    if as_json:
        print_json(report.as_json())
    else:
        say_lines(status_lines(report, folder))


def ledger(
    folder: Folder,
    *,
    csv: Annotated[
        Path | None, typer.Option(help="write every disclosure to this CSV file", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="replace the CSV file if it exists")] = False,
    demonstration: AllowUnprotected = False,
    as_json: Json = False,
) -> None:
    """
    Show what left: totals by layer, attribute and day against the caps, the risk for people, and each disclosure.

    Record ids are the owner's own. No value is shown.

    Example: unveil owner ledger hospital-a --csv ledger.csv
    """
    from unveil.cli.owner.ledger_lines import LATEST, ledger_lines
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.files.atomic import check_target
    from unveil.runtime.owner.ledger import write_csv
    from unveil.runtime.owner.service import OwnerService

    if csv is not None:
        check_target(csv, overwrite=force)
    service = OwnerService(folder, demonstration=demonstration, observer=TerminalNotes(notes))
    report = service.ledger(last=None if as_json or csv else LATEST)
    if csv is not None:
        written = write_csv(csv, report.rows, overwrite=force)
        say(f"{written} disclosures written to {csv}", err=True)
    if as_json:
        print_json(report.as_json())
    elif report.totals is None:
        say("nothing has left yet")
    else:
        say_lines(ledger_lines(report.totals, report.rows[-LATEST:]))


def results(
    folder: Folder,
    *,
    out: Annotated[Path, typer.Option(help="CSV file to write: record_id, link_id", show_default=False)],
    join: Annotated[
        Path | None, typer.Option(help="file to write for whoever may join: sealed, with this owner's key")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="replace files that exist")] = False,
    demonstration: AllowUnprotected = False,
    as_json: Json = False,
) -> None:
    """
    Write the link table: a link id of this owner's own for every record, which tells nothing by itself.

    How many links there are and how good they seem goes into a file beside it, .quality.json, if owners are told. What
    belongs together at both owners is sealed in the file of --join: unveil join pairs opens it, for whom the project
    file allows it. Exits with 75 while the links have not come yet.

    Example: unveil owner results hospital-a --out links.csv --join hospital-a.join
    """
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.cli.quality_lines import quality_lines
    from unveil.files.atomic import check_target
    from unveil.files.write import write_rows
    from unveil.joining.terms import OWNERS
    from unveil.runtime.joining import write_part
    from unveil.runtime.owner.service import OwnerService
    from unveil.runtime.results_quality import quality_file, write_quality

    beside = quality_file(out)
    for file in (out, join, beside):
        if file is not None:
            check_target(file, overwrite=force)
    service = OwnerService(folder, demonstration=demonstration, observer=TerminalNotes(notes))
    links = service.links()
    if not links:
        say_error("the links have not come yet", f"unveil owner run {folder} fetches them; then try again")
        raise typer.Exit(TRY_AGAIN)
    write_rows(out, ("record_id", "link_id"), links, ids=("record_id",), overwrite=force)
    quality = service.quality()
    if quality is not None:
        write_quality(beside, quality, overwrite=force)
    part = service.join_part() if join is not None else None
    if join is not None and part is not None:
        write_part(join, part, overwrite=force)
    if as_json:
        print_json(
            {
                "file": str(out), "join": None if join is None else str(join), "records": len(links),
                "quality": None if quality is None else {"file": str(beside), **quality.as_json()},
            }
        )  # fmt: skip
        return
    say(f"{len(links)} link ids written to {out}")
    if quality is not None:
        say_lines(quality_lines(quality))
    if join is not None and part is not None:
        say(f"part to join written to {join}")
        other = "the other owner, or get theirs" if part.join == OWNERS else "the research centre, with your link ids"
        say(f"next: hand it to {other}", err=True)
