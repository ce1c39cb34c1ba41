"""What is done about each request that passed the gate: the unit is asked in a thread, its answer becomes HTTP."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Literal, cast

from fastapi import Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from unveil.transport.http import answers
from unveil.transport.http.bell import Bell
from unveil.transport.http.gate import CALLER, Threads
from unveil.transport.http.limits import FRAME, LONGEST_WAIT, RequestLimits
from unveil.transport.http.metrics import Metrics
from unveil.transport.port import NAME, Caller, ReviewPort, UnitPort

MESSAGE_ID = "Unveil-Message-Id"
_LONGEST_ATTRIBUTE = 64

Project = Annotated[str, Path(pattern=f"^{NAME}$", description="name of the project")]
MessageId = Annotated[str, Path(pattern=f"^{NAME}$", description="chosen by the sender, once for each message")]
Task = Annotated[str, Path(pattern=f"^{NAME}$", description="id of the task")]
Wait = Annotated[int, Query(ge=0, le=LONGEST_WAIT, description="seconds to wait for mail if there is none")]


class CellOpening(BaseModel):
    """An attribute of a task is to be opened further."""

    model_config = ConfigDict(extra="forbid", strict=True)
    attribute: str = Field(min_length=1, max_length=_LONGEST_ATTRIBUTE)
    stage: Literal["differing", "full"]


class VerdictGiven(BaseModel):
    """What the reviewer decided: null is unsure; p is the probability that the answer is right."""

    model_config = ConfigDict(extra="forbid", strict=True)
    match: bool | None
    p: float = Field(ge=0.5, le=1.0, allow_inf_nan=False)


class Handlers:
    """The endpoints of a unit."""

    def __init__(
        self, unit: UnitPort, *, limits: RequestLimits, threads: Threads, metrics: Metrics, bell: Bell
    ) -> None:
        self._unit, self._limits, self._threads = unit, limits, threads
        self._metrics, self._bell = metrics, bell

    @property
    def _review(self) -> ReviewPort:
        return cast("ReviewPort", self._unit)  # the table has these endpoints at the review unit alone

    async def health(self) -> Response:
        """Whether the process answers."""
        return JSONResponse({"status": "ok"})

    async def metrics(self) -> Response:
        """Counts of the process, for Prometheus."""
        return Response(await self._threads.run(self._metrics.text), media_type="text/plain")

    async def document(self, request: Request) -> Response:
        """The OpenAPI document of this unit."""
        return JSONResponse(request.app.openapi())

    async def status(self, project: Project, request: Request) -> Response:
        """Where the project stands at this unit, in counts."""
        return JSONResponse(await self._threads.run(self._unit.status, project, _caller(request)))

    async def message(self, project: Project, message_id: MessageId, request: Request) -> Response:
        """Hand in a message. It is stored when this is answered; the same message may be handed in again."""
        frame = await request.body()
        if not frame:
            return answers.problem(422, "the body is empty")
        await self._threads.run(self._unit.take, project, _caller(request), message_id, frame)
        self._bell.ring(project)
        return Response(status_code=204)

    async def mail(self, project: Project, request: Request, wait: Wait = 0) -> Response:
        """The oldest message that was not acknowledged, after waiting for one if need be; 204 if there is none."""
        caller, end = _caller(request), time.monotonic() + min(wait, self._limits.wait_s)
        with self._bell.listening(project) as rung:
            while True:
                rung.clear()
                mail = await self._threads.run(self._unit.mail, project, caller)
                if mail is not None:
                    return Response(mail[1], headers={MESSAGE_ID: mail[0]}, media_type=FRAME)
                left = end - time.monotonic()
                if left <= 0 or self._bell.closed or await request.is_disconnected():
                    return Response(status_code=204)
                await _within(rung, min(left, self._limits.poll_s))

    async def acknowledge(self, project: Project, message_id: MessageId, request: Request) -> Response:
        """The message arrived and is needed here no more. Doing this again changes nothing."""
        await self._threads.run(self._unit.acknowledge, project, _caller(request), message_id)
        return Response(status_code=204)

    async def tasks(self, project: Project) -> Response:
        """The tasks that wait for a verdict, as far as they are opened."""
        return JSONResponse(list(await self._threads.run(self._review.tasks, project)))

    async def open_cell(self, project: Project, task: Task, opening: CellOpening) -> Response:
        """Open an attribute further; the task as it is shown now."""
        arguments = (project, task, opening.attribute, opening.stage)
        return JSONResponse(await self._threads.run(self._review.open_cell, *arguments))

    async def verdict(self, project: Project, task: Task, given: VerdictGiven) -> Response:
        """Decide a task."""
        await self._threads.run(self._review.verdict, project, task, given.match, given.p)
        return Response(status_code=204)


def _caller(request: Request) -> Caller:
    caller: Caller = request.scope[CALLER]
    return caller


async def _within(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, but no longer than this."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass
