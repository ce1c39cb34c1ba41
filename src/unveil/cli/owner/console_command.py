"""`unveil owner console`, `pause` and `resume`: what a person does about what leaves."""

from __future__ import annotations

from typing import Annotated

import typer

from unveil.cli.door import notes, say
from unveil.cli.owner.options import AllowUnprotected, Folder

_DOOR = "open-console.html"


def console(
    folder: Folder,
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="port on this machine; 0: any that is free")] = 0,
    browser: Annotated[bool, typer.Option(help="open the page in this machine's browser, at a terminal")] = True,
    demonstration: AllowUnprotected = False,
) -> None:
    """
    Show the owner's console: where the linkage stands, what waits for a person, and what would leave.

    It prints a link that lets one browser on this machine in, once, and serves the page until Ctrl-C. It works beside
    unveil owner run, which takes up what is decided here at once; else the next one does. No outcome is shown.

    Example: unveil owner console hospital-a
    """
    from unveil.cli.browser import open_link
    from unveil.cli.owner.screen import TerminalNotes
    from unveil.cli.owner.stopping import TerminalStop
    from unveil.runtime.owner.console import OwnerConsole
    from unveil.runtime.owner.session import log_file
    from unveil.web.console.serve import console_on_loopback

    stop = TerminalStop()
    with (
        OwnerConsole.open(folder, demonstration=demonstration, observer=TerminalNotes(notes)) as opened,
        log_file(opened.home, "console.log") as log,
        console_on_loopback(opened, log=log, port=port) as page,
        stop.during_work(),
    ):
        door = opened.home / _DOOR
        say(page.link)
        say("the link works once, in one browser on this machine; Ctrl-C stops the console, and nothing else", err=True)
        if browser and notes.is_terminal:
            open_link(page.link, door)
        try:
            while not stop.wait(60):
                pass
        finally:
            door.unlink(missing_ok=True)


def pause(folder: Folder, *, demonstration: AllowUnprotected = False) -> None:
    """
    Let nothing leave any more until unveil owner resume: no record, no answer, no refusal.

    It holds at once for unveil owner run at work and for every later one. A message that is just on its way is the
    last. Wishes are fetched all the same, and wait.

    Example: unveil owner pause hospital-a
    """
    from unveil.runtime.owner.service import OwnerService

    OwnerService(folder, demonstration=demonstration).pause()
    say(f"paused: nothing leaves until unveil owner resume {folder}")


def resume(folder: Folder, *, demonstration: AllowUnprotected = False) -> None:
    """
    Let things leave again, as the policy says; unveil owner run at work goes on at once.

    Example: unveil owner resume hospital-a
    """
    from unveil.runtime.owner.service import OwnerService

    OwnerService(folder, demonstration=demonstration).resume()
    say("not paused: what the policy lets go leaves again")
