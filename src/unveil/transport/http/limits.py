"""
What a request may weigh. Sizes are looked at before anything is read, and counted again while it is read.

Compressed bodies are refused altogether, so that what is counted is what is held.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope

from unveil.transport.http.access import CELLS, MAIL, MESSAGE, VERDICT, Route

FRAME: Final = "application/octet-stream"
TEXT: Final = "application/json"

# Whatever is not listed takes no body and no query.
BODIES: Final[Mapping[Route, str]] = MappingProxyType({MESSAGE: FRAME, CELLS: TEXT, VERDICT: TEXT})
QUERIES: Final[Mapping[Route, frozenset[str]]] = MappingProxyType({MAIL: frozenset({"wait"})})
LONGEST_WAIT: Final = 30  # seconds of a long poll
_HEADER: Final = 64  # bytes that every header weighs besides its text, for it is held as objects

# Outside of strings only these bytes nest; a string ends at the first quote that is not escaped.
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Bytes, counts and seconds that a unit allows."""

    frame: int = 8 << 20
    text: int = 64 << 10
    depth: int = 8
    headers: int = 16 << 10
    query: int = 1 << 10
    token: int = 512
    requests: int = 32  # at work at the same time, each holding at most one body
    polls: int = 256  # waiting for mail at the same time
    connections: int = 512
    threads: int = 16
    receive_s: float = 60.0  # from the first byte of a request to its last
    wait_s: float = LONGEST_WAIT  # a long poll is answered after this, even if its caller would wait longer
    poll_s: float = 0.05  # a long poll looks again after this, should nothing have woken it

    def body(self, route: Route) -> int:
        """The largest body of an endpoint."""
        return {FRAME: self.frame, TEXT: self.text}.get(BODIES.get(route, ""), 0)


class Unacceptable(Exception):
    """A request that is answered with this status and problem."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status, self.problem = status, problem


class Gone(Exception):
    """The caller hung up before the request was complete."""


def weight(name: bytes, value: bytes) -> int:
    """The bytes that a header counts."""
    return len(name) + len(value) + _HEADER


def check_head(scope: Scope, route: Route, limits: RequestLimits) -> None:
    """Refuse what the head of a request shows to be unacceptable, before its body is read."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    if sum(weight(name, value) for name, value in headers) > limits.headers:
        raise Unacceptable(413, f"the headers are larger than {limits.headers} bytes, with {_HEADER} more for each")
    _check_query(scope["query_string"], QUERIES.get(route, frozenset()), limits)
    if any(name == b"content-encoding" for name, _ in headers):
        raise Unacceptable(415, "an encoded body is not taken")
    largest = limits.body(route)
    for name, value in headers:
        if name == b"content-length" and (not value.isdigit() or int(value[:20]) > largest):
            raise Unacceptable(413, f"the body is larger than {largest} bytes")
    expected = BODIES.get(route)
    if not expected and any(name == b"transfer-encoding" for name, _ in headers):
        raise Unacceptable(413, "a body is not taken here")  # of which nothing may ever come
    given = [value for name, value in headers if name == b"content-type"]
    if expected and (len(given) != 1 or given[0].split(b";")[0].strip().lower() != expected.encode()):
        raise Unacceptable(415, f"the body must be {expected}")


def _check_query(query: bytes, allowed: frozenset[str], limits: RequestLimits) -> None:
    if not query:
        return
    if len(query) > limits.query:
        raise Unacceptable(422, f"the query is longer than {limits.query} bytes")
    names = [name for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True)]
    if not allowed.issuperset(names) or len(set(names)) != len(names):
        raise Unacceptable(422, "an unknown or repeated query parameter")


async def read_body(receive: Receive, route: Route, limits: RequestLimits) -> bytes:
    """The whole body; Unacceptable as soon as it is too large, Gone if the caller hangs up."""
    largest = limits.body(route)
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
    if BODIES.get(route) == TEXT and depth(body) > limits.depth:
        raise Unacceptable(422, f"the body nests deeper than {limits.depth} levels")
    return body


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
