"""What a unit tells about itself: that it answers, its counts, its OpenAPI document, where a project stands."""

from __future__ import annotations

from typing import Final

from fastapi import Request
from starlette.responses import JSONResponse, Response

from unveil.transport.http.access import ANYONE, PARTIES, PEOPLE, at_every_unit
from unveil.transport.http.call import ProjectName, TheCall
from unveil.transport.http.endpoint import Answer, Endpoint
from unveil.transport.http.limits import TEXT
from unveil.transport.port import OPERATOR

_OBJECT: Final = Answer("Found.", TEXT, {"type": "object"})


async def _health() -> Response:
    return JSONResponse({"status": "ok"})


HEALTH: Final = Endpoint(
    name="health",
    method="GET",
    path="/healthz",
    description="Whether the process answers.",
    callers=at_every_unit(ANYONE),
    answers={200: _OBJECT},
    handler=_health,
)


async def _metrics(call: TheCall) -> Response:
    return Response(await call.ask(_measured, call), media_type="text/plain")


def _measured(call: TheCall) -> bytes:
    shared = call.shared
    return shared.metrics.text(shared.unit.metrics(call.caller))


METRICS: Final = Endpoint(
    name="metrics",
    method="GET",
    path="/metrics",
    description="Gauges of the process and of the operator's project, for Prometheus.",
    callers=at_every_unit(frozenset({OPERATOR})),
    answers={200: Answer("Found.", "text/plain", {"type": "string"})},
    handler=_metrics,
)


async def _document(request: Request) -> Response:
    return JSONResponse(request.app.openapi())


DOCUMENT: Final = Endpoint(
    name="document",
    method="GET",
    path="/openapi.json",
    description="The OpenAPI document of this unit.",
    callers=at_every_unit(PARTIES | PEOPLE),
    answers={200: _OBJECT},
    handler=_document,
)


async def _status(call: TheCall, project: ProjectName) -> Response:
    return JSONResponse(await call.ask(call.shared.unit.status, project, call.caller))


STATUS: Final = Endpoint(
    name="status",
    method="GET",
    path="/v1/projects/{project}",
    description="Where the project stands at this unit, in counts.",
    callers=at_every_unit(PARTIES | {OPERATOR}),
    answers={200: _OBJECT},
    handler=_status,
)
