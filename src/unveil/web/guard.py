"""
What every request to a page passes, and what every answer carries.

A step is taken only if the page that sends it is one of ours: browsers say where a request comes from, and a page shows
a mark that no other site can know. Answers forbid whatever a page does not need: other origins, inline scripts and
styles, frames around them, copies in caches.
"""

from __future__ import annotations

import time
from http.cookies import CookieError, SimpleCookie
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unveil.transport.logs import Log

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
ALWAYS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # without any, browsers would not name the origin of a form either
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=()",
    "cache-control": "no-store",
}
LARGEST_BODY: Final = 4096
_LARGEST_HEAD: Final = 8192
_STEPS: Final = frozenset({"POST"})
_LOOKS: Final = frozenset({"GET", "HEAD"})


class PageGuard:
    """
    In front of the pages: refuses what no page of ours sends, bounds bodies, adds the headers.

    With `host` a request must name that host and port: a name of somebody else that leads to this machine is refused.
    Without `notes_looks` the log has no line for a page that was looked at and nothing else.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        log: Log,
        scheme: str,
        host: str | None = None,
        largest: int = LARGEST_BODY,
        notes_looks: bool = True,
    ) -> None:
        self._app, self._log, self._scheme, self._host = app, log, scheme, host
        self._largest, self._notes_looks = largest, notes_looks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in ALWAYS.items():
                    headers.setdefault(name, value)
            await send(message)

        problem = self._problem(scope)
        if problem is None:
            body = await _whole_body(receive, self._largest)
            problem = 413 if body is None else None
            if body is not None:
                await self._app(scope, _again(body, receive), answer)
        if problem is not None:
            await PlainTextResponse("refused", problem)(scope, receive, answer)
        if not self._notes_looks and problem is None and scope["method"] in _LOOKS and status < 400:  # noqa: PLR2004
            return
        # The path may be anything that somebody typed, so it is not logged.
        self._log.info("page", method=scope["method"] if scope["method"] in _STEPS | _LOOKS else None,
                       status=status, seconds=round(time.perf_counter() - began, 4))  # fmt: skip

    def _problem(self, scope: Scope) -> int | None:
        """The status with which a request is refused by its head; None if it is not."""
        headers, method = Headers(scope=scope), scope["method"]
        if self._host is not None and headers.getlist("host") != [self._host]:
            return 421
        if sum(len(name) + len(value) for name, value in scope["headers"]) > _LARGEST_HEAD:
            return 431
        if "content-encoding" in headers:
            return 415
        if method in _LOOKS:
            return None
        # Every browser names the origin with POST, and no page can name another than its own.
        is_ours = headers.get("origin") == f"{self._scheme}://{headers.get('host', '')}"
        if not is_ours or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403
        return None if method in _STEPS else 405


def cookie(headers: Headers, name: str) -> str | None:
    """The cookie of that name; None if there is none, or anything odd."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return found.value if found is not None else None


async def _whole_body(receive: Receive, largest: int) -> bytes | None:
    """The body; None if it is too large."""
    parts: list[bytes] = []
    more = True
    while more:
        event = await receive()
        if event["type"] != "http.request":
            return None
        parts.append(event.get("body", b""))
        more = event.get("more_body", False)
        if sum(map(len, parts)) > largest:
            return None
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    pending = [body]

    async def read() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return read
