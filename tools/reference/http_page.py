"""The page about the HTTP interface, written from the table of access, the OpenAPI documents and the limits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from tools.reference import http_text as text
from tools.reference.markdown import GENERATED, page, table
from unveil.projects.project import ProjectLimits
from unveil.protocol.messages import ID
from unveil.protocol.roles import Role
from unveil.roles.review_unit.display import ReviewablePair
from unveil.roles.review_unit.masking import Stage
from unveil.runtime.reviews import shown
from unveil.schema import parse
from unveil.transport.http.access import ANYONE, ENDPOINTS, UNITS, Callers, Route
from unveil.transport.http.app import openapi_document
from unveil.transport.http.document import PROBLEMS
from unveil.transport.http.limits import FRAME, RequestLimits

_EXAMPLE: Final = """
name = "example"
[[attributes]]
name = "first_name"
[[attributes]]
name = "city"
"""


def http_page() -> str:
    """Every endpoint: at which units, who may call it, what it takes and answers; then how to use them."""
    documents = {unit: openapi_document(unit) for unit in UNITS}
    lines = ["# The HTTP interface", "", GENERATED, "", text.INTRODUCTION, "## Endpoints", ""]
    lines += table(("endpoint", "at the", "may be called by"), _rows())
    for route in routes():
        lines += ["", *_section(route, documents)]
    lines += ["", "## Answers", "", text.ANSWERS, *_statuses(), "", text.MESSAGES, text.MAILBOX, text.REVIEW, *_task()]
    lines += ["", text.STATUS, *table(("at the", "field", "meaning"), _standings())]
    lines += ["", text.METRICS, *table(("name", "meaning"), _metrics()), ""]
    lines += ["## Limits", "", *table(("what", "limit"), _limits())]
    return page(lines)


def routes() -> list[Route]:
    """Every endpoint of any unit, in the order of the table."""
    return list(dict.fromkeys(route for unit in UNITS for route in ENDPOINTS[unit]))


def title(route: Route) -> str:
    """An endpoint as it is headed."""
    return " ".join(route)


def _rows() -> Iterator[tuple[str, ...]]:
    for route in routes():
        callers = _callers(route)
        if len(set(callers.values())) == 1:
            where = "every unit" if len(callers) == len(UNITS) else ", ".join(unit.value for unit in callers)
            yield f"`{title(route)}`", where, _names(next(iter(callers.values())))
        else:
            for unit, names in callers.items():
                yield f"`{title(route)}`", unit.value, _names(names)


def _callers(route: Route) -> dict[Role, Callers]:
    return {unit: ENDPOINTS[unit][route] for unit in UNITS if route in ENDPOINTS[unit]}


def _names(callers: Callers) -> str:
    if callers is ANYONE:
        return "anyone"
    order = [*(role.value for role in Role), "reviewer", "operator"]
    return ", ".join(sorted(callers, key=order.index))


def _section(route: Route, documents: Mapping[Role, dict[str, Any]]) -> Iterator[str]:
    method, path = route
    # What an endpoint takes and answers is the same at every unit that has it.
    document = next(documents[unit] for unit in _callers(route))
    operation = document["paths"][path][method.lower()]
    yield f"### {title(route)}"
    yield ""
    yield operation["description"]
    yield ""
    for parameter in operation.get("parameters", ()):
        yield f"* {parameter['in']} `{parameter['name']}`: {parameter['description']}{_bounds(parameter['schema'])}"
    body = operation.get("requestBody")
    yield f"* body: {_body(body, document)}" if body else "* body: none"
    good = [code for code in operation["responses"] if code.startswith("2")]
    answers = ", ".join(_good(operation["responses"][code], code) for code in good)
    problems = ", ".join(code for code in operation["responses"] if code not in good)
    yield f"* answers: {answers}; or a problem ({problems})"


def _bounds(schema: Mapping[str, Any]) -> str:
    if "maximum" not in schema:
        return ""
    return f"; {schema['minimum']} to {schema['maximum']}, {schema['default']} if not given"


def _body(body: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    media, described = next(iter(body["content"].items()))
    if media == FRAME:
        largest = f"{ProjectLimits().message_bytes >> 20} MiB unless the project file sets another `message_bytes`"
        return f"`{media}`, a message as [the protocol](protocol.md) writes it; at most {largest}"
    model = document["components"]["schemas"][described["schema"]["$ref"].rsplit("/", 1)[1]]
    parts = ", ".join(f"`{name}` ({_kind(kind)})" for name, kind in model["properties"].items())
    return f"`{media}`, an object with exactly {parts}"


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f'`"{word}"`' for word in schema["enum"])
    bounds = f", {schema['minimum']} to {schema['maximum']}" if "maximum" in schema else ""
    return {"string": "text", "boolean": "true or false", "null": "null", "number": "number"}[schema["type"]] + bounds


def _good(answer: Mapping[str, Any], code: str) -> str:
    words = [f"{code} with `{media}`" for media in answer.get("content", {})] or [f"{code} {answer['description']}"]
    return words[0].rstrip(".") + "".join(f" and the header `{name}`" for name in answer.get("headers", {}))


def _statuses() -> list[str]:
    return table(("status", "meaning"), ((str(code), words) for code, words in PROBLEMS.items()))


def _standings() -> Iterator[tuple[str, ...]]:
    for unit, told in text.STATUS_FIELDS.items():
        yield from ((unit, f"`{name}`", meaning) for name, meaning in told.items())


def _metrics() -> Iterator[tuple[str, ...]]:
    return ((f"`{name}`", meaning) for name, meaning in text.METRIC_NAMES.items())


def _task() -> list[str]:
    """A task as reviewers get it, made by the code that makes them."""
    pair = ReviewablePair(
        bytes(range(ID)), {"first_name": "shown", "city": "equal"}, {"first_name": ("PAULA", "PAUL")}, {"city": 3}
    )
    example = shown(pair, parse(_EXAMPLE), {"first_name": Stage.MASKED})
    return ["```json", json.dumps([example], indent=2, ensure_ascii=False), "```"]


def _limits() -> Iterator[tuple[str, ...]]:
    given = RequestLimits(frame=ProjectLimits().message_bytes)
    for field in fields(RequestLimits):
        what, unit = text.LIMITS[field.name]
        yield what, _amount(getattr(given, field.name), unit)


def _amount(value: float, unit: str) -> str:
    if unit == "bytes":
        return f"{value / (1 << 20):g} MiB" if value >= 1 << 20 else f"{value:,.0f} bytes"
    return f"{value:g} {unit}".strip()
