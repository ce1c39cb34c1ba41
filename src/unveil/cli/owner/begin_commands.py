"""`unveil owner init` and `check`: before anything is sent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import confirm
from unveil.cli.door import notes, print_json, say, say_error, say_lines
from unveil.cli.options import Json
from unveil.cli.owner.options import AllowUnprotected, Folder
from unveil.cli.table_options import reads_table, tell
from unveil.files.reading import Reading

_ASKED = "send the columns that do not seem to fit all the same?"


@reads_table
def init(
    folder: Annotated[Path, typer.Argument(help="folder to begin; made if it is not there", show_default=False)],
    *,
    project: Annotated[Path, typer.Option(help="project file, which all parties share", show_default=False)],
    name: Annotated[str, typer.Option(help="name of this owner in the project file", show_default=False)],
    data: Annotated[Path, typer.Option(help="file of records", show_default=False)],
    key: Annotated[Path, typer.Option(help="key file that the owners share, see unveil key", show_default=False)],
    certificate: Annotated[Path, typer.Option(help="this owner's certificate (PEM)", show_default=False)],
    tls_key: Annotated[Path, typer.Option(help="the certificate's private key (PEM)", show_default=False)],
    authority: Annotated[Path, typer.Option(help="the authority's certificate (PEM)", show_default=False)],
    policy: Annotated[
        Path | None, typer.Option(help="policy: what may leave; without one every wish is answered", show_default=False)
    ] = None,
    reading: Reading,
    demonstration: AllowUnprotected = False,
    as_json: Json = False,
) -> None:
    """
    Check everything that an owner needs and write it down in FOLDER/unveil.toml, which is never replaced.

    Example: unveil owner init hospital-a --project project.toml --name hospital-a --data people.csv --key project.key
    --certificate hospital-a.pem --tls-key hospital-a.key --authority authority.pem --policy policy.toml
    --column last_name=surname
    """
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.errors import SettingError
    from unveil.projects.column_mapping import ColumnMapping
    from unveil.runtime.owner.init import OwnerFiles
    from unveil.runtime.owner.service import OwnerService
    from unveil.schema import Input

    if reading.query is not None:
        hint = (
            "handles stand for the rows of a file that does not change: save what the query brings, and name the file"
        )
        raise SettingError("--query: an owner's records are read from a file", hint=hint)
    service = OwnerService(folder, demonstration=demonstration, observer=TerminalNotes(notes))
    columns = ColumnMapping(reading.id or Input().id, reading.columns)
    files = OwnerFiles(project, data, key, certificate, tls_key, authority, policy, columns, reading)
    begun = service.begin(name, files)
    if as_json:
        print_json(begun.as_json())
        return
    say(f"{begun.records} records; configuration written to {service.config_file}")
    say(f"project fingerprint  {begun.project_fingerprint} (compare with every party, by telephone)")
    say(f"key fingerprint      {begun.fingerprint} (compare with the other owners; it says nothing about the key)")
    if policy is None:
        say("note: without a policy every wish within the project file is answered", err=True)
    tell(begun.notes, begun.warnings)
    for doubtful in begun.doubtful_columns:
        say(f"note: {doubtful}", err=True)
    say(f"next: unveil owner check {folder}", err=True)


def check(
    folder: Folder,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", help="let columns go that may be others than their attributes say; nobody is asked")
    ] = False,
    demonstration: AllowUnprotected = False,
    as_json: Json = False,
) -> None:
    """
    Check the data and show exactly what would leave, for each layer, from which columns, and how often values repeat.

    Nothing is sent, and no value is shown, only counts and how values are written: 9999-99-99 for a date. A column
    whose name or values do not fit its attribute is asked about, and while that is not confirmed nothing can be
    uploaded; the answer is kept in the folder. Data that has changed since the linkage began is refused.

    Example: unveil owner check hospital-a
    """
    from unveil.cli.owner.check_lines import check_lines
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.runtime.owner.service import OwnerService

    service = OwnerService(folder, demonstration=demonstration, observer=TerminalNotes(notes))
    report = service.check()
    if as_json:
        print_json(report.as_json())
    else:
        say_lines(check_lines(report))
    if not report.doubtful:
        return
    is_there = not as_json and sys.stdin is not None and sys.stdin.isatty()
    if not yes and not (is_there and confirm(_ASKED)):
        hint = f"name other columns in unveil.toml under [columns], or confirm them: unveil owner check {folder} --yes"
        say_error("columns that may be others than their attributes say are not confirmed", hint)
        raise typer.Exit(1)
    service.confirm(report.doubtful)
    say(f"confirmed: {', '.join(one.column for one in report.doubtful)}", err=True)
