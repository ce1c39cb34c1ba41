"""Where the page of a demonstration is: said, and opened in the person's browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from unveil.cli.browser import open_link

if TYPE_CHECKING:
    from unveil.web.loopback import LoopbackPages


def show(pages: LoopbackPages, out: Path, say: Callable[[str], None], *, opening: bool) -> None:
    """Tell where the page is, and open it in the person's browser; the link works once."""
    say(f"You are the reviewer: [bold]{pages.link}[/bold]")
    say("The link works once, in one browser on this machine. Ctrl-C stops; the same command goes on from there.")
    if opening:
        open_link(pages.link, out / "open-review.html")
