"""
Pages on loopback, for one browser that comes by a link which works once: a demonstration's, and the owner's console.

Nothing but this machine can reach them, so they need no certificate. A browser on this machine can be led here by a
name of somebody else, so a page answers to nothing but the address of its link.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from unveil.errors import SettingError
from unveil.runtime.review_steps import ReviewSteps
from unveil.storage.people import KnownPerson
from unveil.transport.logs import Log
from unveil.web.frame import PageSettings
from unveil.web.site import ROOT, pages
from unveil.web.visitors import OneBrowser

_GRACE: Final = 2  # seconds for requests at work at the end
_HOST: Final = "127.0.0.1"


class _Silent:
    """A log that nobody reads."""

    def info(self, event: str, **fields: object) -> None:
        """Say nothing."""

    warning = error = info


SILENT: Final[Log] = _Silent()


@dataclass(frozen=True, slots=True)
class LoopbackPages:
    """Where the pages are: the link, which works once."""

    link: str


@contextmanager
def on_loopback(
    projects: Mapping[str, ReviewSteps],
    *,
    reviewer: str,
    name: str,
    role: str = "reviewer",
    asks_password: bool = False,
) -> Iterator[LoopbackPages]:
    """
    Serve the reviewers' pages until the block ends.

    With `asks_password` they look as at a unit, for pictures.
    """
    project = next(iter(projects))
    visitors = OneBrowser(KnownPerson(reviewer, project, role, name, 0.0, joined=True, locked_until=0.0))
    settings = PageSettings(secure=False, asks_password=asks_password)
    with serving(lambda host: pages(projects, visitors, log=SILENT, settings=settings, host=host)) as host:
        yield LoopbackPages(f"http://{host}{ROOT}/join#{visitors.link}")


@contextmanager
def serving(application: Callable[[str], ASGIApp], *, port: int = 0) -> Iterator[str]:
    """
    Serve an application until the block ends; the host and port where it is.

    `application` is told host and port. SettingError if that port is taken; 0 is any that is free.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        if port:  # one that was just let go of may be taken again
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_HOST, port))
        except OSError as error:
            raise SettingError(f"port {port} of {_HOST} cannot be used: {error.strerror}") from None
        listener.listen()  # whoever comes before the server has begun waits, and is not refused
        host = f"{_HOST}:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            application(host), loop="asyncio", ws="none", lifespan="off", log_config=None, access_log=False,
            server_header=False, timeout_graceful_shutdown=_GRACE,
        )  # fmt: skip
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="pages", daemon=True)
        thread.start()
        try:
            yield host
        finally:
            server.should_exit = True
            thread.join(_GRACE + 3)
