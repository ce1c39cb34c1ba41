"""
What all pages of the console have in common: who is let in, in which language, how a page is drawn and a step taken.

Every page is drawn here as a whole. Whoever is not the one browser that came by the link gets the page of the link and
nothing else.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio.to_thread
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from unveil.errors import UnveilError
from unveil.runtime.owner.console import ConsoleStatus, OwnerConsole
from unveil.storage.people import request_mark
from unveil.web.console.texts import Texts
from unveil.web.console.visit import ConsoleVisit
from unveil.web.forms import form_fields
from unveil.web.guard import cookie
from unveil.web.languages import chosen, languages

COOKIE: Final = "unveil-console"
LANGUAGE: Final = "unveil-language"
_TEMPLATES: Final = Path(__file__).parent / "templates"
#: Pages in the order of their links: path below the root, key of the sentence.
_PLACES: Final = (("", "overview"), ("/wishes", "wishes"), ("/rules", "rules"), ("/ledger", "ledger"))
_T = TypeVar("_T")


class ConsoleFrame:
    """What pages are drawn in. `root` is the path below which everything lies."""

    def __init__(
        self, console: OwnerConsole, visit: ConsoleVisit, *, root: str, clock: Callable[[], float] = time.time
    ) -> None:
        self.console, self.visit, self.root, self.clock = console, visit, root, clock
        self._note: tuple[str, str] | None = None
        self._pages = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined)

    async def ask(self, function: Callable[..., _T], *arguments: object) -> _T:
        """What a function returns that may take a while."""
        return await anyio.to_thread.run_sync(partial(function, *arguments))

    def is_let_in(self, request: Request, *, by_itself: bool = False) -> bool:
        """Whether this is the browser that came by the link."""
        secret = cookie(request.headers, COOKIE)
        return bool(secret) and self.visit.is_let_in(secret or "", self.clock(), by_itself=by_itself)

    def texts(self, request: Request) -> Texts:
        """The visitor's language."""
        return Texts(chosen(cookie(request.headers, LANGUAGE), request.headers.get("accept-language")))

    def tell(self, kind: str, sentence: str) -> None:
        """What the last step did, "good" or "bad": the next page says it, once."""
        self._note = kind, sentence

    async def step(self, request: Request) -> dict[str, str] | Response:
        """The form of a step that one of our pages sent; else the refusal."""
        form = await form_fields(request)
        if not self.is_let_in(request):
            return self.drawn(request, "join.html", 401)
        if not secrets.compare_digest(form.get("mark", "").encode(), self._mark(request).encode()):
            return Response("refused", 403)
        return form

    def to(self, path: str) -> Response:
        """On to another page."""
        return RedirectResponse(self.root + path, 303)

    async def page(
        self, request: Request, name: str, values: Callable[[], dict[str, Any] | None], *, otherwise: str = ""
    ) -> Response:
        """
        A page for the one who was let in; the page of the link for everybody else.

        Without values there is no such page now, and it goes on to `otherwise`.
        """
        if not self.is_let_in(request):
            return self.drawn(request, "join.html", 401)
        try:
            found = await self.ask(values)
            status = await self.ask(self.console.status)
        except UnveilError as error:
            return self.trouble(request, error)
        if found is None:
            return self.to(otherwise)
        note, self._note = self._note, None
        return self.drawn(request, name, **{"status": status, "note": note, **found})

    def trouble(self, request: Request, error: UnveilError) -> Response:
        """A page that says what is wrong, for the one who was let in."""
        return self.drawn(request, "trouble.html", 503, trouble=error)

    def drawn(self, request: Request, name: str, status_code: int = 200, **values: object) -> HTMLResponse:
        """A page as it is sent."""
        texts = self.texts(request)
        inside = name != "join.html"
        given = {
            "inside": inside, "note": None, "problem": "", "mark": self._mark(request) if inside else "", "seen": "",
            "project": self.console.project, "owner": self.console.owner, "t": texts, "say": texts.say,
            "root": self.root, "here": request.url.path, "languages": languages().values(), "places": _PLACES,
        }  # fmt: skip
        if isinstance(status := values.get("status"), ConsoleStatus):
            given["seen"] = seen(status)
        return HTMLResponse(self._pages.get_template(name).render({**given, **values}), status_code)

    def _mark(self, request: Request) -> str:
        return request_mark(cookie(request.headers, COOKIE) or "")


def seen(status: ConsoleStatus) -> str:
    """What changes when there is more to see than before."""
    counts = (status.waiting, status.linked, status.begun, status.paused_since, status.rules_unreadable)
    return hashlib.sha256(repr(counts).encode()).hexdigest()[:16]
