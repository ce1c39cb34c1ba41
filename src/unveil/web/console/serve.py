"""The console on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unveil.runtime.owner.console import OwnerConsole
from unveil.transport.logs import Log
from unveil.web.console.site import console_pages, new_root
from unveil.web.console.visit import ConsoleVisit
from unveil.web.loopback import LoopbackPages, serving


@contextmanager
def console_on_loopback(console: OwnerConsole, *, log: Log, port: int = 0) -> Iterator[LoopbackPages]:
    """Serve the console until the block ends; its link lets one browser in, once."""
    visit, root = ConsoleVisit(console.project, console.owner), new_root()
    with serving(lambda host: console_pages(console, visit, host=host, root=root, log=log), port=port) as host:
        yield LoopbackPages(f"http://{host}{root}/join#{visit.link}")
