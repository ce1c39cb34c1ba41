"""`unveil owner upload` and `run`: work that talks to units, for long, and can be interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import typer

from unveil.cli.door import notes, print_json, say, say_error, say_lines
from unveil.cli.options import Json
from unveil.cli.owner.options import AllowUnprotected, Folder

if TYPE_CHECKING:
    from unveil.cli.owner.stopping import TerminalStop


def upload(folder: Folder, *, demonstration: AllowUnprotected = False, as_json: Json = False) -> None:
    """
    Send every record to the record unit, encoded as a whole, once the owners' fingerprints agree.

    It can be interrupted and goes on where it was. No wish is answered yet. Ends with an error if the record unit sets
    the upload aside, and says how to go on.

    Example: unveil owner upload hospital-a
    """
    from unveil.cli.owner.screen import UploadScreen
    from unveil.cli.owner.stopping import TerminalStop
    from unveil.runtime.owner.service import OwnerService

    stop = TerminalStop()
    with UploadScreen(notes) as screen:
        report = OwnerService(folder, demonstration=demonstration, observer=screen).upload(stop)
    if report is None:
        _interrupted(stop, f"unveil owner upload {folder}")
    if as_json:
        print_json(report.as_json())
        return
    say(f"all {report.records:,} records are at the record unit")
    say(f"next: unveil owner run {folder}", err=True)


def run(folder: Folder, *, demonstration: AllowUnprotected = False, as_json: Json = False) -> None:
    """
    Fetch wishes, answer or refuse them as the policy says, until the links have come.

    Uploads first if that was not done. It can be interrupted (Ctrl-C, SIGTERM) at any moment and goes on where it was;
    a lost network or a unit that is away is waited for. Ends with an error if the record unit sets the upload aside or
    closes the project, since links would never come.

    Example: unveil owner run hospital-a
    """
    from unveil.cli.owner.phase_lines import wishes_line
    from unveil.cli.owner.screen import RunScreen
    from unveil.cli.owner.stopping import TerminalStop
    from unveil.cli.quality_lines import quality_lines
    from unveil.runtime.owner.service import OwnerService

    stop = TerminalStop()
    with RunScreen(notes, folder) as screen:
        report = OwnerService(folder, demonstration=demonstration, observer=screen).run(stop)
    if report is None:
        _interrupted(stop, f"unveil owner run {folder}")
    if as_json:
        print_json(report.as_json())
        return
    say(f"the links of {report.records:,} records have come")
    say(wishes_line(report.wishes) or "no wish was made")
    if report.quality is not None:
        say_lines(quality_lines(report.quality))
    for warning in report.warnings:
        say(f"warning: {warning.sentence}")
    say(f"next: unveil owner results {folder} --out links.csv", err=True)


def _interrupted(stop: TerminalStop, command: str) -> NoReturn:
    say_error("interrupted; nothing is lost", f"{command} goes on where it was")
    raise typer.Exit(stop.exit_code)
