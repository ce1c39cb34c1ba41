"""
Reads a request within its limits: first the head, which shows most of what cannot be accepted, then the body.

Sizes are looked at before anything is read, and counted again while it is read. Compressed bodies are refused
altogether, so that what is counted is what is held.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope

from unveil.transport.http.endpoint import Body, Endpoint
from unveil.transport.http.limits import TEXT, WEIGHT_OF_HEADER, RequestLimits, Unacceptable, weight

# Outside of strings only these bytes nest; a string ends at the first quote that is not escaped.
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


class Gone(Exception):
    """The caller hung up before the request was complete."""


def check_head(scope: Scope, endpoint: Endpoint, limits: RequestLimits) -> None:
    """Refuse what the head of a request shows to be unacceptable, before its body is read."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    if sum(weight(name, value) for name, value in headers) > limits.headers:
        problem = f"the headers are larger than {limits.headers} bytes, with {WEIGHT_OF_HEADER} more for each"
        raise Unacceptable(413, problem)
    _check_query(scope["query_string"], endpoint.query, limits)
    if any(name == b"content-encoding" for name, _ in headers):
        raise Unacceptable(415, "an encoded body is not taken")
    _check_body_announced(headers, endpoint.body, limits)


def _check_query(query: bytes, allowed: frozenset[str], limits: RequestLimits) -> None:
    if not query:
        return
    if len(query) > limits.query:
        raise Unacceptable(422, f"the query is longer than {limits.query} bytes")
    names = [name for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True)]
    if not allowed.issuperset(names) or len(set(names)) != len(names):
        raise Unacceptable(422, "an unknown or repeated query parameter")


def _check_body_announced(headers: list[tuple[bytes, bytes]], body: Body | None, limits: RequestLimits) -> None:
    largest = body.largest(limits) if body else 0
    for name, value in headers:
        if name == b"content-length" and (not value.isdigit() or int(value[:20]) > largest):
            raise Unacceptable(413, f"the body is larger than {largest} bytes")
    if body is None:
        if any(name == b"transfer-encoding" for name, _ in headers):
            raise Unacceptable(413, "a body is not taken here")  # of which nothing may ever come
        return
    given = [value for name, value in headers if name == b"content-type"]
    if len(given) != 1 or given[0].split(b";")[0].strip().lower() != body.media_type.encode():
        raise Unacceptable(415, f"the body must be {body.media_type}")


async def read_body(receive: Receive, expected: Body | None, limits: RequestLimits) -> bytes:
    """The whole body; Unacceptable as soon as it is too large, Gone if the caller hangs up."""
    largest = expected.largest(limits) if expected else 0
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise Gone
        part: bytes = event.get("body", b"")
        size += len(part)
        if size > largest:
            raise Unacceptable(413, f"the body is larger than {largest} bytes")
        if part:
            parts.append(part)
        more = event.get("more_body", False)
    body = b"".join(parts)
    if expected is not None:
        _check_body_read(body, expected, limits)
    return body


def _check_body_read(body: bytes, expected: Body, limits: RequestLimits) -> None:
    if expected.model is None and not body:
        raise Unacceptable(422, "the body is empty")
    if expected.media_type == TEXT and depth(body) > limits.depth:
        raise Unacceptable(422, f"the body nests deeper than {limits.depth} levels")


def depth(text: bytes) -> int:
    """How deep JSON nests, without parsing it: the most brackets open at once outside of strings."""
    level = deepest = 0
    for byte in _STRING.sub(b"", text):
        if byte in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif byte in b"]}":
            level -= 1
    return deepest
