"""The console as an application: its pages and steps by path, with the guard in front."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.types import ASGIApp

from unveil import web
from unveil.errors import UnveilError
from unveil.runtime.owner.console import OwnerConsole
from unveil.transport.logs import Log
from unveil.web.console.frame import ConsoleFrame, seen
from unveil.web.console.ledger_pages import LedgerPages
from unveil.web.console.rules_pages import RulesPages
from unveil.web.console.visit import ConsoleVisit
from unveil.web.console.visit_pages import VisitPages
from unveil.web.console.wish_pages import WishPages
from unveil.web.guard import PageGuard

_LARGEST_FORM: Final = 64 << 10  # rules name attributes, of which there may be many
_HERE: Final = Path(__file__).parent / "static"
_WEB: Final = Path(web.__file__).parent / "static"
_STATIC: Final = {
    "style.css": (_WEB, "text/css"),
    "join.js": (_WEB, "text/javascript"),
    "icon.svg": (_WEB, "image/svg+xml"),
    "console.css": (_HERE, "text/css"),
    "console.js": (_HERE, "text/javascript"),
}


class OverviewPages:
    """Where everything stands, and the stop to everything that leaves."""

    def __init__(self, frame: ConsoleFrame) -> None:
        self._frame = frame

    async def page(self, request: Request) -> Response:
        """Where the linkage stands, and what waits."""
        return await self._frame.page(request, "overview.html", dict)

    async def pulse(self, request: Request) -> Response:
        """What is new, for a page that asks by itself."""
        if not self._frame.is_let_in(request, by_itself=True):
            return JSONResponse({"problem": "logged out"}, 401)
        try:
            status = await self._frame.ask(self._frame.console.status)
        except UnveilError:
            return JSONResponse({"problem": "failed"}, 503)
        texts = self._frame.texts(request)
        live = {"stage": texts.stage(status.stage), "waiting": texts.number(status.waiting)}
        return JSONResponse({"seen": seen(status), "live": live})

    async def pause(self, request: Request) -> Response:
        """Stop everything that leaves, or let it leave again."""
        form = await self._frame.step(request)
        if isinstance(form, Response):
            return form
        stops, console = form.get("do") == "pause", self._frame.console
        try:
            await self._frame.ask(console.stop_everything if stops else console.pause.end)
        except UnveilError as error:
            return self._frame.trouble(request, error)
        self._frame.tell("good", self._frame.texts(request).say("console.paused" if stops else "console.resumed"))
        return self._frame.to("")


def console_pages(console: OwnerConsole, visit: ConsoleVisit, *, host: str, root: str, log: Log) -> ASGIApp:
    """The application; it answers at that host and port alone."""
    frame = ConsoleFrame(console, visit, root=root)
    overview, wishes, comings = OverviewPages(frame), WishPages(frame), VisitPages(frame)
    rules, ledger = RulesPages(frame), LedgerPages(frame)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    looks: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("", overview.page), ("/", overview.page), ("/pulse", overview.pulse), ("/wishes", wishes.all),
        ("/wishes/{key}", wishes.group), ("/rules", rules.page), ("/ledger", ledger.page),
        ("/pictures/{name}", ledger.picture), ("/join", comings.join_page), ("/static/{name}", _static),
    )  # fmt: skip
    steps: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("/answer", wishes.answer), ("/pause", overview.pause), ("/rules/try", rules.try_out),
        ("/rules/always", rules.always),
        ("/rules/save", rules.save), ("/join", comings.join), ("/log-out", comings.log_out),
        ("/language", comings.language),
    )  # fmt: skip
    for path, handler in looks:
        app.add_api_route(root + path, handler, methods=["GET"], response_class=Response)
    for path, handler in steps:
        app.add_api_route(root + path, handler, methods=["POST"], response_class=Response)
    app.add_exception_handler(404, _nowhere)
    app.add_exception_handler(405, _nowhere)
    app.add_exception_handler(Exception, _failed)
    return PageGuard(app, log=log, scheme="http", host=host, largest=_LARGEST_FORM, notes_looks=False)


def new_root() -> str:
    """
    A path that nobody can guess, below which a console lies.

    A browser shows its cookie to whatever listens on this machine, on any port, but only below the path it is for.
    """
    return f"/console/{secrets.token_urlsafe(9)}"


async def _static(name: str) -> Response:
    """A style, a script or the icon."""
    if name not in _STATIC:
        return Response(status_code=404)
    folder, kind = _STATIC[name]
    return FileResponse(folder / name, media_type=kind, headers={"cache-control": "private, no-cache"})


async def _nowhere(_request: Request, _error: Exception) -> Response:
    return Response("nothing here", 404)


async def _failed(_request: Request, _error: Exception) -> Response:
    return Response("failed", 500)
