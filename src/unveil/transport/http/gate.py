"""
The gate that every request passes before anything of it is read: who calls, may they, is it small enough.

Recognition comes first. Whoever is not recognised or not allowed, and whatever does not exist, gets the same refusal,
so that nothing can be learnt from it about projects, parties and endpoints.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import anyio
import anyio.to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unveil.errors import UnveilError
from unveil.transport.http import answers
from unveil.transport.http.directory import Directory, Found
from unveil.transport.http.endpoint import Slots
from unveil.transport.http.limits import RequestLimits, Unacceptable
from unveil.transport.http.metrics import Metrics
from unveil.transport.http.reading import Gone, check_head, read_body
from unveil.transport.http.slots import RequestSlots
from unveil.transport.http.tls import Peer
from unveil.transport.logs import Log
from unveil.transport.port import Caller, UnitPort

PEER: Final = "unveil.peer"  # in the scope: whose certificate was shown (Peer or None)
CALLER: Final = "unveil.caller"  # in the scope: who was recognised

_T = TypeVar("_T")


class Threads:
    """Runs the unit's functions in a bounded number of threads."""

    def __init__(self, limits: RequestLimits) -> None:
        self._limiter = anyio.CapacityLimiter(limits.threads)

    async def run(self, function: Callable[..., _T], *arguments: object) -> _T:
        """What the function returns."""
        return await anyio.to_thread.run_sync(partial(function, *arguments), limiter=self._limiter)


class Gate:
    """ASGI middleware in front of a unit's application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        unit: UnitPort,
        directory: Directory,
        limits: RequestLimits,
        threads: Threads,
        metrics: Metrics,
        clock: Callable[[], float],
        log: Log,
    ) -> None:
        self._app, self._unit, self._limits, self._threads = app, unit, limits, threads
        self._metrics, self._clock, self._log = metrics, clock, log
        self._directory = directory
        self._slots = {Slots.REQUESTS: RequestSlots(limits.requests), Slots.POLLS: RequestSlots(limits.polls)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = _Visit(scope, receive, send)
        try:
            await self._admit(visit)
        except Gone:
            return
        except Unacceptable as no:
            await visit.answer(answers.problem(no.status, no.problem))
        except UnveilError as error:
            await visit.answer(answers.of_error(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold values and must not travel on
            self._log.error("failed", error=type(error).__name__, where=_where(error))
            await visit.answer(answers.failure())
        self._note(visit)

    async def _admit(self, visit: _Visit) -> None:
        scope = visit.scope
        found = self._directory.find(scope["method"], scope["path"])
        if found is not None and not found.endpoint.is_open:
            visit.caller = await self._recognise(scope, found)
        if found is None or not found.allows(visit.caller):
            await visit.answer(answers.refusal())
            return
        visit.found = found
        check_head(scope, found.endpoint, self._limits)
        if visit.caller is None:  # open to anybody and no work, so that nobody has to wait for anybody
            await self._pass_on(visit, found)
            return
        with self._slots[found.endpoint.slots].taken(found.project, visit.caller):
            await self._pass_on(visit, found)

    async def _recognise(self, scope: Scope, found: Found) -> Caller | None:
        now = self._clock()
        peer: Peer | None = scope.get(PEER)
        # Certificates were checked when the connection was made, which may be long ago.
        key = peer.public_key if peer is not None and now < peer.expires else None
        token = _token(scope, self._limits)
        if key is None and token is None:
            return None
        return await self._threads.run(self._unit.caller, found.project, key, token, now)

    async def _pass_on(self, visit: _Visit, found: Found) -> None:
        body = await read_body(visit.receive, found.endpoint.body, self._limits)
        visit.size = len(body)
        visit.scope[CALLER] = visit.caller
        await self._app(visit.scope, _replay(body, visit.receive), visit.send)

    def _note(self, visit: _Visit) -> None:
        endpoint = visit.found.endpoint if visit.found else None
        self._metrics.count(endpoint, visit.status, visit.size)
        if visit.found is None:  # what was asked for stays out of the log: anyone can ask for anything
            self._log.info("refused", status=visit.status)
            return
        self._log.info(
            "request",
            method=visit.found.endpoint.method,
            path=visit.found.endpoint.path,
            project=visit.found.project or None,
            caller=visit.caller.role if visit.caller else None,
            party=visit.caller.name if visit.caller else None,
            status=visit.status,
            bytes=visit.size,
            seconds=round(time.perf_counter() - visit.began, 4),
        )


class _Visit:
    """One request on its way through the gate."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.receive, self._send = scope, receive, send
        self.found: Found | None = None
        self.caller: Caller | None = None
        self.status = self.size = 0
        self.began = time.perf_counter()

    async def send(self, message: Message) -> None:
        """Pass an answer on and note its status."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)

    async def answer(self, response: ASGIApp) -> None:
        """Answer in place of the application, unless it has begun to answer."""
        if not self.status:
            await response(self.scope, self.receive, self.send)


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body that was read already, then whatever comes after it."""
    pending = [body]

    async def again() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return again


def _token(scope: Scope, limits: RequestLimits) -> str | None:
    """The bearer token; None if there is none, or anything else."""
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(given) != 1 or len(given[0]) > limits.token or given[0][:7].lower() != b"bearer ":
        return None
    token = given[0][7:].strip()
    return token.decode() if token.isascii() and token else None


def _where(error: BaseException) -> str:
    """The innermost place of an exception, as file and line: no text of it, no values."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}"
