"""
What every site of pages has: a language, templates, files that never change, cookies, and its place in a unit.

A site is a folder of addresses under its `root`; all else that a unit answers lies beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Final, TypeVar

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from unveil.web.forms import form_fields
from unveil.web.guard import cookie
from unveil.web.languages import Language, chosen, languages

_HERE: Final = Path(__file__).parent
_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_STATIC: Final = {path.name: _TYPES[path.suffix] for path in (_HERE / "static").iterdir() if path.suffix in _TYPES}
_PATH: Final = re.compile(r"(/[A-Za-z0-9_-]+)+")
_THREADS: Final = 16
_LANGUAGE: Final = "unveil-language"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PageSettings:
    """How the pages are reached. `secure` is off on loopback alone, and `asks_password` at a demonstration."""

    secure: bool = True
    asks_password: bool = True
    cookie: str = "unveil"

    @property
    def session(self) -> str:
        """The cookie's name; browsers take one that begins so only over TLS, for this host and every path."""
        return f"__Host-{self.cookie}" if self.secure else self.cookie


class Site:
    """The handlers that all sites have. `root` is where its addresses begin."""

    root: ClassVar[str]

    def __init__(self, settings: PageSettings) -> None:
        self._settings = settings
        self._limiter: anyio.CapacityLimiter | None = None
        self._pages = Environment(
            loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined
        )

    async def _ask(self, function: Callable[..., _T], *arguments: object) -> _T:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        return await anyio.to_thread.run_sync(partial(function, *arguments), limiter=self._limiter)

    def _language(self, request: Request) -> Language:
        return chosen(cookie(request.headers, _LANGUAGE), request.headers.get("accept-language"))

    def _page(self, request: Request, name: str, status: int = 200, **values: object) -> HTMLResponse:
        language = self._language(request)
        text = self._pages.get_template(name).render(
            say=language.say, language=language, languages=languages().values(), root=self.root,
            here=request.url.path, **{"person": None, "mark": "", "problem": "", **values},
        )  # fmt: skip
        return HTMLResponse(text, status)

    async def choose_language(self, request: Request) -> Response:
        """Note which language somebody wants, and go back to where they were."""
        form = await form_fields(request)
        came_from = form.get("from", "")
        # Only to a page of ours: an address elsewhere begins otherwise, and so does one that a browser takes for such.
        ours = _PATH.fullmatch(came_from) and f"{came_from}/".startswith(f"{self.root}/")
        answer = RedirectResponse(came_from if ours else self.root, 303)
        if form.get("language") in languages():
            answer.set_cookie(
                _LANGUAGE, form["language"], max_age=31_536_000, path=self.root, secure=self._settings.secure,
                httponly=True, samesite="strict",
            )  # fmt: skip
        return answer

    def let_in(self, secret: str) -> Response:
        """The answer after a log-in: to the first page, with what the browser shows from now on."""
        return self.with_session(RedirectResponse(self.root, 303), secret)

    def with_session(self, answer: Response, secret: str) -> Response:
        """An answer with what the browser shows from now on."""
        answer.set_cookie(
            self._settings.session, secret, path="/", secure=self._settings.secure, httponly=True, samesite="strict"
        )
        return answer

    def let_out(self) -> Response:
        """The answer after a log-out: nothing stays in the browser."""
        answer = RedirectResponse(self.root, 303, headers={"clear-site-data": '"cache", "storage"'})
        answer.delete_cookie(self._settings.session, secure=self._settings.secure, httponly=True, samesite="strict")
        return answer

    async def sentences(self, code: str) -> Response:
        """One language's sentences, for the scripts."""
        known = languages().get(code)
        return JSONResponse(known.sentences) if known else Response(status_code=404)

    async def static(self, name: str) -> Response:
        """A style, a script or the icon."""
        if name not in _STATIC:
            return Response(status_code=404)
        return FileResponse(
            _HERE / "static" / name, media_type=_STATIC[name], headers={"cache-control": "private, no-cache"}
        )


def everywhere_else(app: FastAPI, root: str) -> None:
    """What a site answers where there is no page, and where something fails."""

    async def nowhere(_request: Request, _error: Exception) -> Response:
        return RedirectResponse(root, 303)

    async def failed(_request: Request, _error: Exception) -> Response:
        return JSONResponse({"problem": "failed"}, 500)

    app.add_exception_handler(404, nowhere)
    app.add_exception_handler(405, nowhere)
    app.add_exception_handler(Exception, failed)


class WithPages:
    """ASGI middleware: what begins like a page of a site goes to it, all else to the unit's own application."""

    def __init__(self, app: ASGIApp, *, root: str, site: ASGIApp) -> None:
        self._app, self._root, self._site = app, root, site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope.get("path", "")
        is_page = scope["type"] == "http" and (path == self._root or path.startswith(f"{self._root}/"))
        await (self._site if is_page else self._app)(scope, receive, send)
