"""
What crosses the wire, recorded by the units' own servers: every request and every answer, whole.

All traffic of a linkage ends at a unit, so three recordings hold all of it. An exchange is a line of JSON that says how
long its parts are, followed by the parts.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.protocol import codec
from unveil.protocol.messages import Message
from unveil.transport.http.gate import CALLER


@dataclass(frozen=True)
class Exchange:
    """One request and its answer; `caller` is who was recognised, "" if nobody was."""

    unit: str
    caller: str
    method: str
    path: str
    status: int
    head: bytes  # the request's query and headers
    body: bytes
    answer_head: bytes
    answer: bytes

    @property
    def everything(self) -> bytes:
        """All its bytes."""
        return b"\n".join([self.path.encode(), self.head, self.body, self.answer_head, self.answer])

    @property
    def message(self) -> Message | None:
        """The message that was handed in or fetched, if one was."""
        if self.method == "PUT" and "/messages/" in self.path and self.status == 204:
            return codec.decode(self.body)
        if self.method == "GET" and self.path.endswith("/mailbox") and self.status == 200:
            return codec.decode(self.answer)
        return None

    @property
    def sender(self) -> str:
        """Who sent the message."""
        return self.caller if self.method == "PUT" else self.unit

    @property
    def recipient(self) -> str:
        """Who got the message."""
        return self.unit if self.method == "PUT" else self.caller


class Recorder:
    """ASGI middleware in front of everything else of a unit."""

    def __init__(self, app: Any, *, path: Path) -> None:
        self._app, self._path, self._lock = app, path, threading.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        asked: list[bytes] = []
        answered: list[bytes] = []
        start: dict[str, Any] = {"status": 0, "headers": []}

        async def hear() -> Any:
            event = await receive()
            asked.append(event.get("body", b""))
            return event

        async def say(event: Any) -> None:
            if event["type"] == "http.response.start":
                start.update(event)
            answered.append(event.get("body", b""))
            await send(event)

        try:
            await self._app(scope, hear, say)
        finally:
            parts = [_head(scope["headers"], scope["query_string"]), b"".join(asked)]
            parts += [_head(start["headers"]), b"".join(answered)]
            caller = scope.get(CALLER)
            line = {
                "caller": f"{caller.role} {caller.name}".strip() if caller else "",
                "method": scope["method"], "path": scope["path"], "status": start["status"],
                "lengths": [len(part) for part in parts],
            }  # fmt: skip
            with self._lock, self._path.open("ab") as file:
                file.write(json.dumps(line).encode() + b"\n" + b"".join(parts))


def _head(headers: Any, query: bytes = b"") -> bytes:
    return b"\n".join([query, *(name + b": " + value for name, value in headers)])


def recorded(path: Path, unit: str) -> Iterator[Exchange]:
    """The exchanges in a recording."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        end = data.index(b"\n", at)
        line = json.loads(data[at:end])
        at, parts = end + 1, []
        for length in line.pop("lengths"):
            parts.append(data[at : at + length])
            at += length
        yield Exchange(unit, line["caller"], line["method"], line["path"], line["status"], *parts)
