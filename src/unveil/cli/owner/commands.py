"""The commands of `unveil owner` and their options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from unveil.cli.app import app, confirm, notes, print_json, say_error

if TYPE_CHECKING:
    from unveil.cli.owner.session import Stop

commands = typer.Typer(help="an owner's part: check, upload, answer wishes, fetch links", no_args_is_help=True)
app.add_typer(commands, name="owner")

TRY_AGAIN = 75

Folder = Annotated[Path, typer.Argument(help="the owner's folder, see unveil owner init", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="print the result as JSON")]
Demonstration = Annotated[
    bool, typer.Option("--demonstration", help="allow what protects nobody: seeds and shared certificates of units")
]


@commands.command()
def init(
    folder: Annotated[Path, typer.Argument(help="folder to begin; made if it is not there", show_default=False)],
    *,
    project: Annotated[Path, typer.Option(help="project file, which all parties share", show_default=False)],
    name: Annotated[str, typer.Option(help="name of this owner in the project file", show_default=False)],
    data: Annotated[Path, typer.Option(help="records: CSV (UTF-8) or Parquet", show_default=False)],
    key: Annotated[Path, typer.Option(help="key file that the owners share, see unveil key", show_default=False)],
    certificate: Annotated[Path, typer.Option(help="this owner's certificate (PEM)", show_default=False)],
    tls_key: Annotated[Path, typer.Option(help="the certificate's private key (PEM)", show_default=False)],
    authority: Annotated[Path, typer.Option(help="the authority's certificate (PEM)", show_default=False)],
    policy: Annotated[
        Path | None, typer.Option(help="policy: what may leave; without one every wish is answered", show_default=False)
    ] = None,
    demonstration: Demonstration = False,
    as_json: Json = False,
) -> None:
    """
    Check everything that an owner needs and write it down in FOLDER/unveil.toml, which is never replaced.

    Example: unveil owner init hospital-a --project project.toml --name hospital-a --data people.csv --key project.key
    --certificate hospital-a.pem --tls-key hospital-a.key --authority authority.pem --policy policy.toml
    """
    from unveil.cli.owner.init import Files, begin
    from unveil.cli.owner.session import tell

    files = Files(project, data, key, certificate, tls_key, authority, policy)
    begun = begin(folder, name, files, demonstration=demonstration)
    tell(begun.member.notes)
    told = {
        "folder": str(folder),
        "project": begun.member.project.name,
        "owner": name,
        "records": len(begun.records),
        "policy": policy is not None,
        "fingerprint": begun.encoder.fingerprint().hex(),
        "project_fingerprint": begun.member.project.fingerprint(),
    }
    if as_json:
        print_json(told)
        return
    typer.echo(f"{told['records']} records; configuration written to {begun.config.source.parent / 'unveil.toml'}")
    typer.echo(f"project fingerprint  {told['project_fingerprint']} (compare with every party, by telephone)")
    typer.echo(
        f"key fingerprint      {told['fingerprint']} (compare with the other owners; it says nothing about the key)"
    )
    if policy is None:
        typer.echo("note: without a policy every wish of the protocol is answered", err=True)
    typer.echo(f"next: unveil owner check {folder}", err=True)


@commands.command()
def check(folder: Folder, *, demonstration: Demonstration = False, as_json: Json = False) -> None:
    """
    Check the data and show exactly what would leave, for each layer, and how often values repeat.

    Nothing is sent or written, and no value is shown, only counts. Data that has changed since the linkage began is
    refused.

    Example: unveil owner check hospital-a
    """
    from unveil.cli.owner.check import lines, report
    from unveil.cli.owner.folder import check_unchanged, load_config
    from unveil.cli.owner.session import tell
    from unveil.runtime.owner.folder import OwnerFolder

    config = load_config(folder, demonstration=demonstration)
    with notes.status("reading and counting records"):
        loaded = OwnerFolder.load(config, demonstration=demonstration)
        check_unchanged(loaded)
        told = report(loaded)
    tell(loaded.member.notes)
    if as_json:
        print_json(told)
    else:
        typer.echo("\n".join(lines(told)))


@commands.command()
def upload(folder: Folder, *, demonstration: Demonstration = False, as_json: Json = False) -> None:
    """
    Send every record to the record unit, encoded as a whole, once the owners' fingerprints agree.

    It can be interrupted and goes on where it was. No wish is answered yet. Ends with an error if the record unit sets
    the upload aside, and says how to go on.

    Example: unveil owner upload hospital-a
    """
    from unveil.cli.owner.screen import Screen
    from unveil.cli.owner.session import at_work, stoppable
    from unveil.cli.owner.upload import Upload

    with at_work(folder, demonstration=demonstration) as session, stoppable() as stop:
        done = Upload(session, stop, Screen(notes, live=False)).work()
        standing = session.look()
    if not done:
        _interrupted(stop, f"unveil owner upload {folder}")
    if as_json:
        print_json({"records": standing.records, "parts": standing.parts})
        return
    typer.echo(f"all {standing.records:,} records are at the record unit")
    typer.echo(f"next: unveil owner run {folder}", err=True)


@commands.command()
def run(folder: Folder, *, demonstration: Demonstration = False, as_json: Json = False) -> None:
    """
    Fetch wishes, answer or refuse them as the policy says, until the links have come.

    Uploads first if that was not done. It can be interrupted (Ctrl-C, SIGTERM) at any moment and goes on where it was;
    a lost network or a unit that is away is waited for. Ends with an error if the record unit sets the upload aside or
    closes the project, since links would never come.

    Example: unveil owner run hospital-a
    """
    from unveil.cli.owner.run import Run, counts
    from unveil.cli.owner.screen import Screen
    from unveil.cli.owner.session import at_work, stoppable
    from unveil.cli.owner.standing import UNITS

    with at_work(folder, demonstration=demonstration) as session, stoppable() as stop:
        with Screen(notes, live=True) as screen:
            done = Run(session, stop, screen).work()
        standing = session.look()
    if not done:
        _interrupted(stop, f"unveil owner run {folder}")
    if as_json:
        wishes = {unit: standing.wished[layer] for layer, unit in UNITS.items()}
        print_json(
            {
                "records": standing.records,
                "wishes": {
                    unit: {"answered": each.answered, "refused": each.refused, "values": each.values}
                    for unit, each in wishes.items()
                },
            }
        )
        return
    typer.echo(f"the links of {standing.records:,} records have come")
    typer.echo(counts(standing) or "no wish was made")
    typer.echo(f"next: unveil owner results {folder} --out links.csv", err=True)


@commands.command()
def approve(
    folder: Folder,
    *,
    refuse: Annotated[bool, typer.Option("--refuse", help="refuse what waits instead of letting it go")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    demonstration: Demonstration = False,
    as_json: Json = False,
) -> None:
    """
    Show what waits for a person's approval, in counts, and let it go, as far as the policy allows, or refuse it.

    It may be given while unveil owner run is at work, which takes it up at once; else the next one does.

    Example: unveil owner approve hospital-a
    """
    from unveil.cli.owner.approvals import Approvals, undecided
    from unveil.cli.owner.approve import lines, report
    from unveil.cli.owner.folder import home, viewing

    with viewing(folder, demonstration=demonstration) as view:
        wishes = [] if view is None else view.machine.waiting()
        approvals = None if view is None else Approvals(home(view.folder.config))
        waiting = undecided(wishes, approvals.given()) if approvals else []
        told = report(view, waiting) if view is not None and waiting else {}
    if not waiting or approvals is None:
        _nothing_waits(as_json=as_json)
        return
    if not as_json:
        typer.echo("\n".join(lines(told)))
    asked = "refuse all of this?" if refuse else "let this go, as far as the policy allows?"
    if not yes and not confirm(asked):
        typer.echo("nothing was decided; the wishes keep waiting", err=True)
        raise typer.Exit(1)
    approvals.give(waiting, granted=not refuse)
    if as_json:
        print_json({"granted": not refuse, "waiting": told})
    else:
        typer.echo(f"{'refused' if refuse else 'approved'}; unveil owner run {folder} takes it up")


def _nothing_waits(*, as_json: bool) -> None:
    if as_json:
        print_json({"granted": None, "waiting": {}})
    else:
        typer.echo("nothing waits for approval")


@commands.command()
def status(folder: Folder, *, demonstration: Demonstration = False, as_json: Json = False) -> None:
    """
    Show where the owner stands, what waits, what the units say, and what to do next.

    Example: unveil owner status hospital-a
    """
    from unveil.cli.owner.folder import load_config
    from unveil.cli.owner.status import lines, report

    config = load_config(folder, demonstration=demonstration)
    with notes.status("asking the units"):
        told = report(config, demonstration=demonstration)
    if as_json:
        print_json(told)
    else:
        typer.echo("\n".join(lines(told, folder)))


@commands.command()
def ledger(
    folder: Folder,
    *,
    csv: Annotated[
        Path | None, typer.Option(help="write every disclosure to this CSV file", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="replace the CSV file if it exists")] = False,
    demonstration: Demonstration = False,
    as_json: Json = False,
) -> None:
    """
    Show what left: totals by layer, attribute and day against the caps, the risk for people, and each disclosure.

    Record ids are the owner's own. No value is shown.

    Example: unveil owner ledger hospital-a --csv ledger.csv
    """
    from unveil.cli.owner.folder import viewing
    from unveil.cli.owner.ledger import COLUMNS, LATEST, entries, lines, totals, write_csv
    from unveil.files.atomic import check_target

    if csv is not None:
        check_target(csv, overwrite=force)
    with viewing(folder, demonstration=demonstration) as view:
        told = {} if view is None else totals(view)
        book = [] if view is None else entries(view, last=None if as_json or csv else LATEST)
    if csv is not None:
        written = write_csv(csv, book, overwrite=force)
        typer.echo(f"{written} disclosures written to {csv}", err=True)
    if as_json:
        print_json({**told, "entries": [dict(zip(COLUMNS, row, strict=True)) for row in book]})
    else:
        typer.echo("\n".join(lines(told, book[-LATEST:])) if told else "nothing has left yet")


@commands.command()
def results(
    folder: Folder,
    *,
    out: Annotated[Path, typer.Option(help="CSV file to write: record_id, link_id", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="replace the file if it exists")] = False,
    demonstration: Demonstration = False,
    as_json: Json = False,
) -> None:
    """
    Write the link table: a link id for every record; records of the same person have the same, at every owner.

    Exits with 75 while the links have not come yet.

    Example: unveil owner results hospital-a --out links.csv
    """
    from unveil.cli.owner.folder import viewing
    from unveil.files.atomic import check_target
    from unveil.files.write import write_rows

    check_target(out, overwrite=force)
    with viewing(folder, demonstration=demonstration) as view:
        links = [] if view is None else view.machine.link_ids
        ids = [] if view is None else view.folder.records.ids
    if not links:
        say_error("the links have not come yet", f"unveil owner run {folder} fetches them; then try again")
        raise typer.Exit(TRY_AGAIN)
    rows = ((record, link.hex()) for record, link in zip(ids, links, strict=True))
    write_rows(out, ("record_id", "link_id"), rows, ids=("record_id",), overwrite=force)
    if as_json:
        print_json({"file": str(out), "records": len(links)})
    else:
        typer.echo(f"{len(links)} link ids written to {out}")


def _interrupted(stop: Stop, command: str) -> NoReturn:
    say_error("interrupted; nothing is lost", f"{command} goes on where it was")
    raise typer.Exit(stop.exit_code)
