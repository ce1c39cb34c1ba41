"""Comparing logs: two parties tell each other which head of the other's log they noted last."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from unveil.transport.http.access import SENDERS
from unveil.transport.http.call import ProjectName, TheCall
from unveil.transport.http.endpoint import Answer, Body, Endpoint
from unveil.transport.http.limits import TEXT
from unveil.transport.port import HEAD


class NotedHead(BaseModel):
    """The head of this unit's log that the caller noted last; null if it never noted one."""

    model_config = ConfigDict(extra="forbid", strict=True)
    noted: str | None = Field(pattern=f"^{HEAD}$")


async def _compare(call: TheCall, project: ProjectName, noted: NotedHead) -> Response:
    head = None if noted.noted is None else bytes.fromhex(noted.noted)
    found = await call.ask(call.shared.unit.compare, project, call.caller, head)
    return JSONResponse({"noted": None if found is None else found.hex()})


COMPARE: Final = Endpoint(
    name="compare",
    method="POST",
    path="/v1/projects/{project}/witness",
    description="Compare logs: whether either party knows of entries that the other's log does not hold.",
    callers=SENDERS,
    body=Body(TEXT, "text", NotedHead),
    answers={200: Answer("Found.", TEXT, {"type": "object"})},
    problems=frozenset({409}),
    handler=_compare,
    guide="""\
## Logs that were set back

A caller tells the head of its log, a hash, with every message that it hands in and with every acknowledgement, as
`head` in the query; the unit tells its own in `Unveil-Head`. Both note what they heard. After a start of either, and
before any message goes, they compare: the caller sends the head of the unit's log that it noted last, and gets the head
of its own log that the unit noted last.

A caller whose log does not hold that head works with an older copy of its database, or with another one: it must not
go on. If it is the unit's log that lacks a head, the answer is 409, and the unit decides and sends nothing more until
its newest database is back. Before logs were compared the mailbox answers with 425.
""",
)
