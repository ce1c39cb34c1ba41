"""Coming by the link, leaving, and the language of the pages."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from unveil.web.console.frame import COOKIE, LANGUAGE, ConsoleFrame
from unveil.web.forms import form_fields
from unveil.web.guard import cookie
from unveil.web.languages import languages


class VisitPages:
    """Who comes and goes."""

    def __init__(self, frame: ConsoleFrame) -> None:
        self._frame = frame

    async def join_page(self, request: Request) -> Response:
        """Where the link leads. Its secret stands after the #, which browsers send to nobody."""
        return self._frame.drawn(request, "join.html")

    async def join(self, request: Request) -> Response:
        """Use the link."""
        frame, form = self._frame, await form_fields(request)
        secret = frame.visit.begin(form.get("invitation", "").strip(), frame.clock())
        if secret is None:
            return frame.drawn(request, "join.html", 403, problem=frame.texts(request).say("console.link_used"))
        answer = frame.to("")
        answer.set_cookie(COOKIE, secret, path=frame.root, httponly=True, samesite="strict")
        return answer

    async def log_out(self, request: Request) -> Response:
        """End the visit, and whatever the browser kept of it."""
        frame = self._frame
        form = await frame.step(request)
        if isinstance(form, Response):
            return form
        frame.visit.end(cookie(request.headers, COOKIE) or "")
        answer = frame.to("/join")
        answer.headers["clear-site-data"] = '"cache", "storage"'
        answer.delete_cookie(COOKIE, path=frame.root, httponly=True, samesite="strict")
        return answer

    async def language(self, request: Request) -> Response:
        """Note which language somebody wants."""
        frame, form = self._frame, await form_fields(request)
        back = form.get("from", "")
        answer = frame.to(back.removeprefix(frame.root) if back.startswith(f"{frame.root}/") else "")
        if form.get("language") in languages():
            answer.set_cookie(
                LANGUAGE, form["language"], max_age=31_536_000, path=frame.root, httponly=True, samesite="strict"
            )
        return answer
