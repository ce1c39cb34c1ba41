"""
The operator's page of a unit: log in with a token, look, log out. Nothing can be changed here.

Whoever shows no token sees a page that asks for one and nothing else. Of the unit's process everybody with a token sees
the same; of projects, each sees those whose tokens they have shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, Protocol

from fastapi import FastAPI, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from unveil.protocol.roles import Role
from unveil.runtime.linkage_figures import LinkageFigures
from unveil.runtime.operations import RoleFigures, Surroundings, UnitFacts
from unveil.storage.people import request_mark
from unveil.transport.logs import Log
from unveil.web.forms import form_fields
from unveil.web.frame import PageSettings, Site, everywhere_else
from unveil.web.guard import PageGuard, cookie
from unveil.web.operator_view import unit_name, unit_view
from unveil.web.operator_visits import KnownTokens, OperatorVisits
from unveil.web.similarity_picture import similarity_picture

ROOT: Final = "/operate"
_REFRESH: Final = "unveil-refresh"  # the header by which a page says that it asks by itself


class WatchedUnit(Protocol):
    """A unit as far as its page goes; every `UnitService` is one."""

    surroundings: Surroundings

    @property
    def role(self) -> Role:
        """The role that it plays."""
        ...

    @property
    def tokens(self) -> KnownTokens:
        """The tokens that it takes."""
        ...

    def facts(self, projects: Collection[str]) -> UnitFacts:
        """What there is to see of it, and of these projects."""
        ...

    def figures(self, project: str) -> RoleFigures | None:
        """What only its role can tell of a project."""
        ...


class OperatorSite(Site):
    """The handlers."""

    root = ROOT

    def __init__(self, unit: WatchedUnit, *, settings: PageSettings) -> None:
        super().__init__(settings)
        self._unit, self._visits = unit, OperatorVisits(unit.tokens)
        self._clock = unit.surroundings.clock

    async def _visitor(self, request: Request) -> tuple[tuple[str, ...], str]:
        """The projects that may be seen, none if nobody is logged in, and the visit's secret."""
        secret = cookie(request.headers, self._settings.session) or ""
        step = _REFRESH not in request.headers
        return await self._ask(lambda: self._visits.projects(secret, self._clock(), step=step)), secret

    async def look(self, request: Request) -> Response:
        """The page; the one that asks for a token for whoever is not logged in."""
        projects, secret = await self._visitor(request)
        if not projects:
            return self._log_in_page(request)
        return await self._unit_page(request, projects, secret)

    async def _unit_page(
        self, request: Request, projects: tuple[str, ...], secret: str, status: int = 200, problem: str = ""
    ) -> Response:
        facts = await self._ask(self._unit.facts, projects)
        view = unit_view(facts, self._language(request), ROOT)
        return self._page(
            request, "operate.html", status, view=view, mark=request_mark(secret), problem=problem, inside=True
        )

    def _log_in_page(self, request: Request, status: int = 200, problem: str = "") -> Response:
        return self._page(
            request,
            "operate_log_in.html",
            status,
            problem=problem,
            inside=False,
            title=unit_name(self._unit.role.value, self._language(request)),
        )

    async def picture(self, request: Request, project: str) -> Response:
        """How similar pairs are, as a picture; nowhere for whoever may not see the project."""
        projects, _ = await self._visitor(request)
        figures = await self._ask(self._unit.figures, project) if project in projects else None
        if not isinstance(figures, LinkageFigures):
            return RedirectResponse(ROOT, 303)
        dark = request.query_params.get("colours") == "dark"
        text = similarity_picture(figures, self._language(request), dark=dark)
        return Response(text, media_type="image/svg+xml")

    async def log_in(self, request: Request) -> Response:
        """Show a token: the first one, or that of a further project."""
        projects, secret = await self._visitor(request)
        form = await form_fields(request)
        token, wrong = form.get("token", "").strip(), self._language(request).say("operate.wrong")
        if not projects:
            found = await self._ask(self._visits.begin, token, self._clock())
            return self._log_in_page(request, 403, wrong) if found is None else self.let_in(found)
        right = form.get("mark") == request_mark(secret)
        if right and await self._ask(self._visits.add, secret, token, self._clock()):
            return RedirectResponse(ROOT, 303)
        return await self._unit_page(request, projects, secret, 403, wrong)

    async def log_out(self, request: Request) -> Response:
        """End the visit, and whatever the browser kept of it."""
        (projects, secret), form = await self._visitor(request), await form_fields(request)
        if projects and form.get("mark") != request_mark(secret):
            return self._log_in_page(request, 403)
        await self._ask(self._visits.end, secret)
        return self.let_out()


def pages(unit: WatchedUnit, *, log: Log, settings: PageSettings | None = None) -> ASGIApp:
    """The application of the page, with the guard in front."""
    settings = settings or PageSettings(cookie="unveil-operator")
    site = OperatorSite(unit, settings=settings)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    looks: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("", site.look), ("/projects/{project}/similarity.svg", site.picture), ("/static/{name}", site.static),
    )  # fmt: skip
    steps: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("/log-in", site.log_in), ("/log-out", site.log_out), ("/language", site.choose_language),
    )  # fmt: skip
    for path, handler in looks:
        app.add_api_route(ROOT + path, handler, methods=["GET"], response_class=Response)
    for path, handler in steps:
        app.add_api_route(ROOT + path, handler, methods=["POST"], response_class=Response)
    everywhere_else(app, ROOT)
    return PageGuard(app, log=log, scheme="https" if settings.secure else "http")
