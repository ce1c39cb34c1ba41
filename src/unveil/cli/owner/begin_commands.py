"""`unveil owner init` and `check`: before anything is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.door import notes, print_json, say, say_lines
from unveil.cli.options import Json
from unveil.cli.owner.options import AllowUnprotected, Folder


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
    demonstration: AllowUnprotected = False,
    as_json: Json = False,
) -> None:
    """
    Check everything that an owner needs and write it down in FOLDER/unveil.toml, which is never replaced.

    Example: unveil owner init hospital-a --project project.toml --name hospital-a --data people.csv --key project.key
    --certificate hospital-a.pem --tls-key hospital-a.key --authority authority.pem --policy policy.toml
    """
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.runtime.owner.init import OwnerFiles
    from unveil.runtime.owner.service import OwnerService

    service = OwnerService(folder, demonstration=demonstration, observer=TerminalNotes(notes))
    begun = service.begin(name, OwnerFiles(project, data, key, certificate, tls_key, authority, policy))
    if as_json:
        print_json(begun.as_json())
        return
    say(f"{begun.records} records; configuration written to {service.config_file}")
    say(f"project fingerprint  {begun.project_fingerprint} (compare with every party, by telephone)")
    say(f"key fingerprint      {begun.fingerprint} (compare with the other owners; it says nothing about the key)")
    if policy is None:
        say("note: without a policy every wish of the protocol is answered", err=True)
    say(f"next: unveil owner check {folder}", err=True)


def check(folder: Folder, *, demonstration: AllowUnprotected = False, as_json: Json = False) -> None:
    """
    Check the data and show exactly what would leave, for each layer, and how often values repeat.

    Nothing is sent or written, and no value is shown, only counts. Data that has changed since the linkage began is
    refused.

    Example: unveil owner check hospital-a
    """
    from unveil.cli.owner.check_lines import check_lines
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.runtime.owner.service import OwnerService

    report = OwnerService(folder, demonstration=demonstration, observer=TerminalNotes(notes)).check()
    if as_json:
        print_json(report.as_json())
    else:
        say_lines(check_lines(report))
