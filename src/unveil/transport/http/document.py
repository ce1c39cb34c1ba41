"""The OpenAPI document of a unit: bodies, answers and who may call, all read from the tables that the gate uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from unveil.protocol.roles import Role
from unveil.transport.http import access
from unveil.transport.http.access import ANYONE, ENDPOINTS, PARTIES, PEOPLE, Callers, Route
from unveil.transport.http.limits import FRAME, RequestLimits
from unveil.transport.port import NAME

VERSION: Final = "1"
_CERTIFICATE: Final = "certificate"
_TOKEN: Final = "token"  # noqa: S105 - the name of the scheme


class ProblemBody(BaseModel):
    """What is wrong, for a person to read."""

    problem: str


PROBLEMS: Final[Mapping[int, str]] = {
    403: "Refused: not recognised, not allowed, or nothing there. It looks the same whatever the reason.",
    409: "The id is known already, with other contents.",
    410: "The project is closed.",
    413: "Too large.",
    415: "Not of the media type that is taken, or encoded.",
    422: "Not acceptable as it stands.",
    425: "It refers to what has not come yet; send it again later.",
    503: "The unit is busy or cannot store anything now; try again.",
}
_ALWAYS: Final = (413, 415, 422)
_JSON: Final = "application/json"
_BINARY: Final = {"type": "string", "format": "binary"}


def _answered(route: Route) -> dict[int | str, dict[str, Any]]:
    """The answers of an endpoint when all is well."""
    objects = {"type": "object"}
    found: dict[Route, tuple[str, dict[str, Any]]] = {
        access.HEALTH: (_JSON, objects),
        access.METRICS: ("text/plain", {"type": "string"}),
        access.DOCUMENT: (_JSON, objects),
        access.STATUS: (_JSON, objects),
        access.TASKS: (_JSON, {"type": "array", "items": objects}),
        access.CELLS: (_JSON, objects),
        access.MAIL: (FRAME, _BINARY),
    }
    if route not in found:
        return {204: {"description": "Done."}}
    media, schema = found[route]
    answers: dict[int | str, dict[str, Any]] = {200: {"description": "Found.", "content": {media: {"schema": schema}}}}
    if route == access.MAIL:
        answers[200]["headers"] = {
            "Unveil-Message-Id": {
                "description": "Id to acknowledge the message by.",
                "required": True,
                "schema": {"type": "string", "pattern": f"^{NAME}$"},
            }
        }
        answers[204] = {"description": "No mail."}
    return answers


def responses(route: Route) -> dict[int | str, dict[str, Any]]:
    """Every answer of an endpoint."""
    codes = set(_ALWAYS)
    if route != access.HEALTH:
        codes |= {403, 503}
    if "{project}" in route[1]:
        codes |= {410}
    if route == access.MESSAGE:
        codes |= {409, 425}
    if route in (access.CELLS, access.VERDICT):
        codes |= {409}
    problems: dict[int | str, dict[str, Any]] = {
        code: {"description": PROBLEMS[code], "model": ProblemBody} for code in sorted(codes)
    }
    if route != access.HEALTH:
        seconds = {"description": "Seconds.", "required": True, "schema": {"type": "integer"}}
        problems[503]["headers"] = {"Retry-After": seconds}
    return _answered(route) | problems


def extra(route: Route, limits: RequestLimits, callers: Callers) -> dict[str, Any]:
    """What of an endpoint is not in its function's signature: a body of bytes, and how callers show who they are."""
    security: list[dict[str, list[str]]] = []
    if callers & PARTIES:
        security.append({_CERTIFICATE: []})
    if callers & PEOPLE:
        security.append({_TOKEN: []})
    described: dict[str, Any] = {"security": security}
    if callers is not ANYONE:
        described["x-callers"] = sorted(callers)
    if route == access.MESSAGE:
        schema = _BINARY | {"minLength": 1, "maxLength": limits.frame}
        described["requestBody"] = {"required": True, "content": {FRAME: {"schema": schema}}}
    return described


def complete(document: dict[str, Any], unit: Role) -> dict[str, Any]:
    """The document with the ways in which callers show who they are."""
    schemes: dict[str, Any] = {
        _CERTIFICATE: {"type": "mutualTLS", "description": "A party's certificate, listed in the project file."},
        _TOKEN: {"type": "http", "scheme": "bearer", "description": "A person's token, issued by the unit."},
    }
    document.setdefault("components", {})["securitySchemes"] = schemes
    assert len(ENDPOINTS[unit]) == sum(len(item) for item in document["paths"].values())
    return document
