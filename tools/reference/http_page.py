"""The page about the HTTP interface, written from the endpoints, the OpenAPI documents and the limits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from tools.reference import http_text as text
from tools.reference.markdown import GENERATED, page, table
from unveil.projects.project import ProjectLimits
from unveil.protocol.messages import ID
from unveil.protocol.roles import UNITS, Role
from unveil.roles.review_unit.display import ReviewablePair
from unveil.roles.review_unit.masking import Stage
from unveil.runtime.gauges import GAUGES
from unveil.runtime.reviews import shown
from unveil.schema import parse
from unveil.transport.gauges import Gauge
from unveil.transport.http.access import Callers
from unveil.transport.http.app import openapi_document
from unveil.transport.http.endpoint import PROBLEMS, Answer, Body, Endpoint
from unveil.transport.http.endpoints import ENDPOINTS
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.metrics import COUNTERS
from unveil.transport.port import OPERATOR, REVIEWER
from unveil.transport.status import STATUSES, UnitStatus, UploadStatus, descriptions

_EXAMPLE: Final = """
name = "example"
[[attributes]]
name = "first_name"
[[attributes]]
name = "city"
"""


def http_page(endpoints: Sequence[Endpoint] = ENDPOINTS) -> str:
    """Every endpoint: at which units, who may call it, what it takes and answers; then how to use them."""
    documents = {unit: openapi_document(unit, endpoints) for unit in UNITS}
    lines = ["# The HTTP interface", "", GENERATED, "", text.INTRODUCTION, "## Endpoints", ""]
    lines += table(("endpoint", "at the", "may be called by"), _rows(endpoints))
    for endpoint in endpoints:
        # What an endpoint takes and answers is the same at every unit that has it.
        lines += ["", *_section(endpoint, documents[next(iter(endpoint.callers))])]
    lines += ["", "## Answers", "", text.ANSWERS, *_statuses(), ""]
    lines += [*(endpoint.guide for endpoint in endpoints if endpoint.guide), text.REVIEW, *_task()]
    lines += ["", text.STATUS, *table(("at the", "field", "meaning"), _status_fields())]
    lines += ["", text.METRICS, *table(("name", "meaning"), _metrics()), ""]
    lines += ["## Limits", "", *table(("what", "limit"), _limits())]
    return page(lines)


def _rows(endpoints: Sequence[Endpoint]) -> Iterator[tuple[str, ...]]:
    for endpoint in endpoints:
        callers = endpoint.callers
        if len(set(callers.values())) == 1:
            where = "every unit" if len(callers) == len(UNITS) else ", ".join(unit.value for unit in callers)
            yield f"`{endpoint.title}`", where, _names(next(iter(callers.values())))
        else:
            for unit, names in callers.items():
                yield f"`{endpoint.title}`", unit.value, _names(names)


def _names(callers: Callers) -> str:
    order = [*(role.value for role in Role), REVIEWER, OPERATOR, "anyone"]
    return ", ".join(sorted(callers, key=order.index))


def _section(endpoint: Endpoint, document: Mapping[str, Any]) -> Iterator[str]:
    operation = document["paths"][endpoint.path][endpoint.method.lower()]
    yield f"### {endpoint.title}"
    yield ""
    yield endpoint.description
    yield ""
    for parameter in operation.get("parameters", ()):
        yield f"* {parameter['in']} `{parameter['name']}`: {parameter['description']}{_bounds(parameter['schema'])}"
    yield f"* body: {_body(endpoint.body) if endpoint.body else 'none'}"
    answers = ", ".join(_good(answer, status) for status, answer in endpoint.answers.items())
    yield f"* answers: {answers}; or a problem ({', '.join(map(str, endpoint.all_problems))})"


def _bounds(schema: Mapping[str, Any]) -> str:
    if "maximum" not in schema:
        return ""
    return f"; {schema['minimum']} to {schema['maximum']}, {schema['default']} if not given"


def _body(body: Body) -> str:
    if body.model is None:
        most = _amount(body.largest(_given_limits()), "bytes")
        changed = text.CHANGED_BY_PROJECTS.get(body.limit, "")
        return f"`{body.media_type}`, {body.content}; at most {most} {changed}".rstrip()
    properties = body.model.model_json_schema()["properties"]
    parts = ", ".join(f"`{name}` ({_kind(kind)})" for name, kind in properties.items())
    return f"`{body.media_type}`, an object with exactly {parts}"


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f'`"{word}"`' for word in schema["enum"])
    bounds = f", {schema['minimum']} to {schema['maximum']}" if "maximum" in schema else ""
    return {
        "string": "text",
        "boolean": "true or false",
        "null": "null",
        "number": "number",
        "integer": "whole number",
    }[schema["type"]] + bounds


def _good(answer: Answer, status: int) -> str:
    what = f"with `{answer.media_type}`" if answer.media_type else answer.description.rstrip(".")
    return f"{status} {what}" + "".join(f" and the header `{name}`" for name in answer.headers)


def _statuses() -> list[str]:
    return table(("status", "meaning"), ((str(code), words) for code, words in PROBLEMS.items()))


def _status_fields() -> Iterator[tuple[str, ...]]:
    common = descriptions(UnitStatus)
    yield from (("any unit", f"`{name}`", meaning) for name, meaning in common.items())
    for unit, kind in STATUSES.items():
        for name, meaning in descriptions(kind).items():
            if name not in common:
                yield unit, f"`{name}`", meaning
    for name, meaning in descriptions(UploadStatus).items():
        yield "record unit", f"`uploads`, of each owner: `{name}`", meaning


def _metrics() -> Iterator[tuple[str, ...]]:
    yield from ((f"`{gauge.name}`", _with_labels(gauge)) for gauge in GAUGES)
    yield from ((f"`{name}`", meaning) for name, meaning in COUNTERS.items())


def _with_labels(gauge: Gauge) -> str:
    labels = ", ".join(f"`{label}`" for label in gauge.labels)
    return f"{gauge.help}; by {labels}" if labels else gauge.help


def _task() -> list[str]:
    """A task as reviewers get it, made by the code that makes them."""
    pair = ReviewablePair(
        bytes(range(ID)), {"first_name": "shown", "city": "equal"}, {"first_name": ("PAULA", "PAUL")}, {"city": 3}
    )
    example = shown(pair, parse(_EXAMPLE), {"first_name": Stage.MASKED})
    return ["```json", json.dumps([example], indent=2, ensure_ascii=False), "```"]


def _limits() -> Iterator[tuple[str, ...]]:
    given = _given_limits()
    for field in fields(RequestLimits):
        what, unit = text.LIMITS[field.name]
        yield what, _amount(getattr(given, field.name), unit)


def _given_limits() -> RequestLimits:
    """The limits of a unit whose projects change none of them."""
    return RequestLimits(frame=ProjectLimits().message_bytes)


def _amount(value: float, unit: str) -> str:
    if unit == "bytes":
        return f"{value / (1 << 20):g} MiB" if value >= 1 << 20 else f"{value:,.0f} bytes"
    return f"{value:g} {unit}".strip()
