"""
The reviewers' pages as an application: logging in, the pair, the steps, the guide.

Whoever is not logged in gets the log-in page and nothing else, whatever they ask for. A step is one POST of JSON that
names what was done and the pair it was done to; its answer is the next view. The server decides every step, so a page
that was tampered with can ask for nothing that its reviewer may not have.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from fastapi import FastAPI, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from unveil.errors import Closed, Conflict, SettingError, UnveilError
from unveil.runtime.review_steps import ReviewSteps
from unveil.storage.people import KnownPerson, LockedOut, check_password, request_mark
from unveil.transport.http.endpoints.reviews import ReviewStep
from unveil.transport.logs import Log
from unveil.transport.port import JSON
from unveil.web.forms import form_fields
from unveil.web.frame import PageSettings, Site, everywhere_else
from unveil.web.guard import PageGuard, cookie
from unveil.web.keys import ChosenKeys
from unveil.web.passkeys import KeptPasskeys, PageOrigin, Passkeys, are_possible
from unveil.web.visitors import Visitors

ROOT: Final = "/review"
_KEYS: Final = "unveil-keys"
PasskeyStep = Literal["new", "join", "ask", "log-in"]


class ReviewSite(Site):
    """The handlers. `projects` are those of this unit, by name."""

    root = ROOT

    def __init__(
        self,
        projects: Mapping[str, ReviewSteps],
        visitors: Visitors,
        *,
        settings: PageSettings,
        clock: Callable[[], float] = time.time,
        passkeys: KeptPasskeys | None = None,
    ) -> None:
        super().__init__(settings)
        self._projects, self._visitors, self._clock = projects, visitors, clock
        self._passkeys = None if passkeys is None else Passkeys(passkeys, clock)

    # Who is there

    async def _visitor(self, request: Request) -> tuple[KnownPerson, str] | None:
        secret = cookie(request.headers, self._settings.session)
        if not secret:
            return None
        person = await self._ask(self._visitors.visitor, secret, self._clock())
        return (person, secret) if person is not None and person.project in self._projects else None

    # Pages

    async def review(self, request: Request) -> Response:
        """The pair; the log-in page for whoever is not logged in."""
        found = await self._visitor(request)
        if found is None:
            return self._log_in_page(request)
        return self._page(request, "review.html", person=found[0], mark=request_mark(found[1]), keys=_keys(request))

    async def guide(self, request: Request) -> Response:
        """Keys and signs."""
        found = await self._visitor(request)
        if found is None:
            return self._log_in_page(request)
        return self._guide(request, found)

    def _guide(
        self, request: Request, found: tuple[KnownPerson, str], status: int = 200, problem: str = ""
    ) -> Response:
        keys = _keys(request)
        return self._page(
            request, "guide.html", status, person=found[0], mark=request_mark(found[1]), keys=keys, problem=problem
        )

    async def choose_keys(self, request: Request) -> Response:
        """Note by which single keys somebody wants to decide, or that they want none."""
        found, form = await self._visitor(request), await form_fields(request)
        if found is None or form.get("mark") != request_mark(found[1]):
            return self._log_in_page(request, 403)
        keys = ChosenKeys() if form.get("usual") else ChosenKeys.chosen(form)
        if keys is None:
            return self._guide(request, found, 422, self._language(request).say("guide.wrong_keys"))
        answer = RedirectResponse(ROOT, 303)
        answer.set_cookie(
            _KEYS, keys.written, max_age=31_536_000, path=ROOT, secure=self._settings.secure, httponly=True,
            samesite="strict",
        )  # fmt: skip
        return answer

    async def team(self, request: Request) -> Response:
        """What each reviewer of the project has done, for leads; nobody else has such a page."""
        found = await self._visitor(request)
        if found is None:
            return self._log_in_page(request)
        person, secret = found
        if person.role != "lead":
            return RedirectResponse(ROOT, 303)
        done = await self._ask(self._projects[person.project].team)
        everybody = await self._ask(self._visitors.list)
        names = {each.id: each.name for each in everybody if each.project == person.project}
        rows = [(names.get(number, number), each) for number, each in done.items()]
        return self._page(request, "team.html", person=person, mark=request_mark(secret), rows=sorted(rows, key=str))

    async def join_page(self, request: Request) -> Response:
        """Where a link of invitation leads. Its secret stands after the #, which browsers send to nobody."""
        return self._joining(request)

    def _joining(self, request: Request, status: int = 200, problem: str = "") -> Response:
        asks, keys = self._settings.asks_password, self._offers_passkeys(request)
        return self._page(request, "join.html", status, asks_password=asks, problem=problem, passkeys=keys)

    def _log_in_page(self, request: Request, status: int = 200, problem: str = "") -> Response:
        if not self._settings.asks_password:
            return self._joining(request, status, problem)
        keys, asks = self._offers_passkeys(request), len(self._projects) != 1
        return self._page(request, "log_in.html", status, problem=problem, asks_project=asks, passkeys=keys)

    def _offers_passkeys(self, request: Request) -> bool:
        return self._passkeys is not None and are_possible(_place(request).host)

    # Coming and going

    async def join(self, request: Request) -> Response:
        """Use an invitation and set a password."""
        form = await form_fields(request)
        say = self._language(request).say
        try:
            if self._settings.asks_password:
                check_password(form.get("password", ""))
            person = await self._ask(
                self._visitors.join, form.get("invitation", "").strip(), form.get("password", ""), self._clock()
            )
        except SettingError:
            return self._joining(request, 422, say("page.password_length"))
        if person is None:
            return self._joining(request, 403, say("page.join_wrong"))
        return await self._let_in(person)

    async def log_in(self, request: Request) -> Response:
        """Log in by name and password."""
        form = await form_fields(request)
        project = form.get("project") or (next(iter(self._projects)) if len(self._projects) == 1 else "")
        try:
            person = await self._ask(
                self._visitors.log_in, project, form.get("name", "").strip(), form.get("password", ""), self._clock()
            )
        except LockedOut:
            return self._log_in_page(request, 429, self._language(request).say("page.locked"))
        if person is None:
            return self._log_in_page(request, 403, self._language(request).say("page.wrong"))
        return await self._let_in(person)

    async def passkey(self, request: Request, step: PasskeyStep) -> Response:
        """Ask a device for a passkey, or let its person in by one; refusals look all the same."""
        said, place = await _json_of(request), _place(request)
        if self._passkeys is None or not are_possible(place.host) or said is None:
            return JSONResponse({"problem": "refused"}, 403)
        invitation, answer = said.invitation.strip(), said.answer
        if step in ("new", "ask"):
            asked = (self._passkeys.ask_for_new, invitation) if step == "new" else (self._passkeys.ask,)
            options = await self._ask(*asked, place)
            return JSONResponse({"problem": "refused"}, 403) if options is None else JSONResponse(options)
        given = (self._passkeys.join, invitation) if step == "join" else (self._passkeys.log_in,)
        person = await self._ask(*given, answer, place)
        if person is None:
            return JSONResponse({"problem": "refused"}, 403)
        secret = await self._ask(self._visitors.begin_visit, person, self._clock())
        return self.with_session(JSONResponse({}), secret)

    async def _let_in(self, person: KnownPerson) -> Response:
        # A fresh secret at every log-in: one that somebody planted in the browser before is worth nothing.
        secret = await self._ask(self._visitors.begin_visit, person, self._clock())
        return self.let_in(secret)

    async def log_out(self, request: Request) -> Response:
        """End the visit, and whatever the browser kept of it."""
        found, form = await self._visitor(request), await form_fields(request)
        if found is not None and form.get("mark") != request_mark(found[1]):
            return self._log_in_page(request, 403)
        if found is not None:
            await self._ask(self._visitors.end_visit, found[1])
        return self.let_out()

    # Steps

    async def step(self, request: Request) -> Response:
        """Take one step and answer with the next view."""
        found = await self._visitor(request)
        if found is None:
            return JSONResponse({"problem": "logged out"}, 401)
        person, secret = found
        taken = await _step_in(request, request_mark(secret))
        if isinstance(taken, int):
            return JSONResponse({"problem": "refused"}, taken)
        steps = self._projects[person.project]
        try:
            return JSONResponse(await self._ask(_take, steps, person, taken))
        except Conflict:
            view = await self._ask(steps.view, person.id)
            return JSONResponse({**view, "problem": "not now"}, 409)
        except UnveilError as error:  # its text may name files of the unit
            return JSONResponse({"problem": "failed"}, 410 if isinstance(error, Closed) else 503)


def pages(
    projects: Mapping[str, ReviewSteps],
    visitors: Visitors,
    *,
    log: Log,
    settings: PageSettings | None = None,
    host: str | None = None,
    clock: Callable[[], float] = time.time,
    passkeys: KeptPasskeys | None = None,
) -> ASGIApp:
    """The application of the pages, with the guard in front; with `host` they answer under that name alone."""
    settings = settings or PageSettings()
    site = ReviewSite(projects, visitors, settings=settings, clock=clock, passkeys=passkeys)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    looks: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("", site.review), ("/keys", site.guide), ("/team", site.team), ("/join", site.join_page),
        ("/sentences/{code}.json", site.sentences), ("/static/{name}", site.static),
    )  # fmt: skip
    steps: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("/join", site.join), ("/log-in", site.log_in), ("/log-out", site.log_out),
        ("/language", site.choose_language), ("/step", site.step), ("/passkey/{step}", site.passkey),
        ("/keys", site.choose_keys),
    )  # fmt: skip
    for path, handler in looks:
        app.add_api_route(ROOT + path, handler, methods=["GET"], response_class=Response)
    for path, handler in steps:
        app.add_api_route(ROOT + path, handler, methods=["POST"], response_class=Response)
    everywhere_else(app, ROOT)
    return PageGuard(app, log=log, scheme="https" if settings.secure else "http", host=host)


def _take(steps: ReviewSteps, person: KnownPerson, taken: ReviewStep) -> dict[str, JSON]:
    return steps.take(person.id, lead=person.role == "lead", **taken.model_dump())


class PasskeyWord(BaseModel):
    """What the page of a log-in says about a passkey: an invitation, what a device answered."""

    model_config = ConfigDict(extra="forbid", strict=True)
    invitation: str = Field("", max_length=64)
    answer: dict[str, Any] = Field(default_factory=dict)


def _keys(request: Request) -> ChosenKeys:
    return ChosenKeys.read(cookie(request.headers, _KEYS))


def _place(request: Request) -> PageOrigin:
    """Where the page is; the guard has compared the name with the page's own origin."""
    return PageOrigin(request.headers.get("origin", ""), request.url.hostname or "")


async def _json_of(request: Request) -> PasskeyWord | None:
    if request.headers.get("content-type", "").split(";")[0] != "application/json":
        return None
    try:
        return PasskeyWord.model_validate_json(await request.body())
    except ValidationError:
        return None


async def _step_in(request: Request, mark: str) -> ReviewStep | int:
    """The step that a request asks for, or the status with which it is refused."""
    if request.headers.get("unveil-mark") != mark:
        return 403
    if request.headers.get("content-type", "").split(";")[0] != "application/json":
        return 415
    try:
        return ReviewStep.model_validate_json(await request.body())
    except ValidationError:  # its text would quote what was sent
        return 422
