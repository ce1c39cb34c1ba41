"""The HTTP application that all three units share: the gate in front, the handlers of the endpoints behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from unveil.errors import UnveilError
from unveil.protocol.roles import Role
from unveil.transport.http import answers
from unveil.transport.http.bell import Bell
from unveil.transport.http.call import Shared
from unveil.transport.http.directory import Directory
from unveil.transport.http.document import VERSION, complete, extra, responses
from unveil.transport.http.endpoint import Endpoint
from unveil.transport.http.endpoints import ENDPOINTS
from unveil.transport.http.gate import Gate, Threads
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.metrics import Metrics
from unveil.transport.logs import Log
from unveil.transport.port import UnitPort


def application(
    unit: UnitPort,
    *,
    limits: RequestLimits,
    clock: Callable[[], float],
    log: Log,
    endpoints: Sequence[Endpoint] = ENDPOINTS,
) -> FastAPI:
    """
    The application of a unit, with those of the endpoints that units of its role have.

    `state.bell` may be rung by project, from any thread, when a unit writes to owners of its own accord; otherwise a
    long poll finds new mail after `limits.poll_s`. `state.limits` is read by the server, `state.shared` by handlers.
    """
    app = FastAPI(
        title=f"Unveil {unit.role.value}", version=VERSION, docs_url=None, redoc_url=None, openapi_url=None,
        redirect_slashes=False,
    )  # fmt: skip
    directory, threads, metrics, bell = Directory(unit.role, endpoints), Threads(limits), Metrics(), Bell()
    app.state.bell, app.state.limits = bell, limits
    app.state.shared = Shared(unit, limits, threads, metrics, bell)
    for endpoint in directory.endpoints:
        _add(app, endpoint, directory, limits)
    app.add_exception_handler(UnveilError, _unveil_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_middleware(
        cast("Any", Gate), unit=unit, directory=directory, limits=limits, threads=threads, metrics=metrics,
        clock=clock, log=log,
    )  # fmt: skip
    plain = app.openapi

    def described_document() -> dict[str, Any]:
        return complete(plain(), directory)

    cast("Any", app).openapi = described_document
    return app


def openapi_document(role: Role, endpoints: Sequence[Endpoint] = ENDPOINTS) -> dict[str, Any]:
    """The OpenAPI document of a unit, for reference pages and for fuzzing."""
    unit = cast("UnitPort", _Described(role))
    return application(unit, limits=RequestLimits(), clock=float, log=_Silent(), endpoints=endpoints).openapi()


def _add(app: FastAPI, endpoint: Endpoint, directory: Directory, limits: RequestLimits) -> None:
    app.add_api_route(
        endpoint.path,
        endpoint.handler,
        methods=[endpoint.method],
        name=endpoint.name,
        operation_id=endpoint.name,
        description=endpoint.description,
        status_code=min(endpoint.answers),
        response_class=Response,
        responses=responses(endpoint),
        openapi_extra=extra(endpoint, directory, limits),
    )


async def _unveil_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, UnveilError)
    return answers.of_error(error)


async def _invalid(_request: Request, error: Exception) -> Response:
    """Name the parameter; of a body nothing is named, since even the names of its fields are the sender's words."""
    assert isinstance(error, RequestValidationError)
    locations = {tuple(entry["loc"][:2]) for entry in error.errors()}
    names = sorted(" parameter ".join(location) for location in locations if location[0] in {"path", "query"})
    return answers.problem(422, f"not acceptable: {', '.join(names) or 'the fields of the body'}")


async def _http_error(_request: Request, error: Exception) -> Response:
    """The framework raises 400 for bodies that cannot be read at all; the gate lets nothing else come so far."""
    assert isinstance(error, HTTPException)
    if error.status_code == 400:  # noqa: PLR2004 - bad request
        return answers.problem(422, "the body is not JSON")
    return answers.refusal()


class _Described:
    """Stands in for a unit where only its endpoints matter."""

    def __init__(self, role: Role) -> None:
        self.role = role


class _Silent:
    """A log that nobody reads."""

    def info(self, event: str, **fields: object) -> None:
        """Say nothing."""

    def warning(self, event: str, **fields: object) -> None:
        """Say nothing."""

    def error(self, event: str, **fields: object) -> None:
        """Say nothing."""
