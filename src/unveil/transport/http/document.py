"""The OpenAPI document of a unit: parameters, bodies, answers and who may call, all read from its endpoints."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from unveil.transport.http.access import PARTIES, PEOPLE
from unveil.transport.http.directory import Directory
from unveil.transport.http.endpoint import PROBLEMS, Answer, Endpoint
from unveil.transport.http.limits import RequestLimits

VERSION: Final = "1"
_CERTIFICATE: Final = "certificate"
_TOKEN: Final = "token"  # noqa: S105 - the name of the scheme
_BUSY: Final = 503
_RETRY_AFTER: Final = {"description": "Seconds.", "required": True, "schema": {"type": "integer"}}


class ProblemBody(BaseModel):
    """What is wrong, for a person to read."""

    problem: str


def responses(endpoint: Endpoint) -> dict[int | str, dict[str, Any]]:
    """Every answer of an endpoint, good ones first."""
    found: dict[int | str, dict[str, Any]] = {code: _good(answer) for code, answer in endpoint.answers.items()}
    for code in endpoint.all_problems:
        found[code] = {"description": PROBLEMS[code], "model": ProblemBody}
        if code == _BUSY:
            found[code]["headers"] = {"Retry-After": _RETRY_AFTER}
    return found


def _good(answer: Answer) -> dict[str, Any]:
    described: dict[str, Any] = {"description": answer.description}
    if answer.media_type:
        described["content"] = {answer.media_type: {"schema": dict(answer.schema)}}
    if answer.headers:
        described["headers"] = {name: dict(header) for name, header in answer.headers.items()}
    return described


def extra(endpoint: Endpoint, directory: Directory, limits: RequestLimits) -> dict[str, Any]:
    """What of an endpoint is not in its handler's signature: a body of bytes, and how callers show who they are."""
    callers = endpoint.callers[directory.unit]
    security: list[dict[str, list[str]]] = []
    if callers & PARTIES:
        security.append({_CERTIFICATE: []})
    if callers & PEOPLE:
        security.append({_TOKEN: []})
    described: dict[str, Any] = {"security": security}
    if not endpoint.is_open:
        described["x-callers"] = sorted(callers)
    body = endpoint.body
    if body is not None and body.model is None:
        schema = {"type": "string", "format": "binary", "minLength": 1, "maxLength": body.largest(limits)}
        described["requestBody"] = {"required": True, "content": {body.media_type: {"schema": schema}}}
    return described


def complete(document: dict[str, Any], directory: Directory) -> dict[str, Any]:
    """The document with the ways in which callers show who they are."""
    schemes: dict[str, Any] = {
        _CERTIFICATE: {"type": "mutualTLS", "description": "A party's certificate, listed in the project file."},
        _TOKEN: {"type": "http", "scheme": "bearer", "description": "A person's token, issued by the unit."},
    }
    document.setdefault("components", {})["securitySchemes"] = schemes
    assert len(directory.endpoints) == sum(len(item) for item in document["paths"].values())
    return document
