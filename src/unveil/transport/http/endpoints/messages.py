"""Messages: those that a unit takes, and those that it keeps for owners until they fetch them."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Final

from fastapi import Query
from starlette.responses import Response

from unveil.transport.http.access import MAILBOX_OWNERS, SENDERS
from unveil.transport.http.call import MessageId, ProjectName, TheCall
from unveil.transport.http.endpoint import Answer, Body, Endpoint, Slots
from unveil.transport.http.limits import FRAME, LONGEST_WAIT
from unveil.transport.port import HEAD, NAME

_MESSAGE_ID: Final = "Unveil-Message-Id"

Wait = Annotated[int, Query(ge=0, le=LONGEST_WAIT, description="seconds to wait for mail if there is none")]


Head = Annotated[str, Query(pattern=f"^({HEAD})?$", description="head of the caller's log, 64 hexadecimal digits")]
_UNIT_HEAD: Final = "Unveil-Head"
_HEADERS: Final = {_UNIT_HEAD: {"description": "Head of the unit's log.", "schema": {"type": "string"}}}


async def _done(call: TheCall, project: str) -> Response:
    """Done, with the head of this unit's log for the caller to note."""
    head = await call.ask(call.shared.unit.head, project)
    return Response(status_code=204, headers={_UNIT_HEAD: head.hex()})


async def _message(call: TheCall, project: ProjectName, message_id: MessageId, head: Head = "") -> Response:
    frame = await call.request.body()
    await call.ask(call.shared.unit.take, project, call.caller, message_id, frame, bytes.fromhex(head) or None)
    call.shared.bell.ring(project)
    return await _done(call, project)


MESSAGE: Final = Endpoint(
    name="message",
    method="PUT",
    path="/v1/projects/{project}/messages/{message_id}",
    description="Hand in a message. It is stored when this is answered; the same message may be handed in again.",
    callers=SENDERS,
    body=Body(FRAME, "frame", content="a message as [the protocol](protocol.md) writes it"),
    query=frozenset({"head"}),
    answers={204: Answer("Done.", headers=_HEADERS)},
    problems=frozenset({409, 425}),
    handler=_message,
    guide="""\
## Messages, once each

The sender chooses an id for each message, and keeps it: letters, digits, dashes, dots and underscores, 64 at most. 204
means that the message is in the unit's log, on the disk. If no answer comes, send the same message again under the same
id, as often as needed: it is taken once, and every repetition is answered with 204. Another body under an id that was
used is a conflict (409). Of a message whose contents were erased meanwhile nobody can tell whether a repetition is the
same; it is answered with 204 and changes nothing.

Messages of one sender need not arrive in order. One that builds on another that is not there yet is answered with 425.
Compressed bodies are refused, so that what was counted is what is held. Unknown fields are refused, in messages and in
JSON.
""",
)


async def _mail(call: TheCall, project: ProjectName, wait: Wait = 0) -> Response:
    unit, bell, limits = call.shared.unit, call.shared.bell, call.shared.limits
    end = time.monotonic() + min(wait, limits.wait_s)
    with bell.listening(project) as rung:
        while True:
            rung.clear()
            mail = await call.ask(unit.mail, project, call.caller)
            if mail is not None:
                return Response(mail[1], headers={_MESSAGE_ID: mail[0]}, media_type=FRAME)
            left = end - time.monotonic()
            if left <= 0 or bell.closed or await call.request.is_disconnected():
                return Response(status_code=204)
            await _within(rung, min(left, limits.poll_s))


async def _within(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, but no longer than this."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass


MAIL: Final = Endpoint(
    name="mail",
    method="GET",
    path="/v1/projects/{project}/mailbox",
    description="The oldest message that was not acknowledged, after waiting for one if need be; 204 if there is none.",
    callers=MAILBOX_OWNERS,
    query=frozenset({"wait"}),
    answers={
        200: Answer(
            "Found.",
            FRAME,
            {"type": "string", "format": "binary"},
            headers={
                _MESSAGE_ID: {
                    "description": "Id to acknowledge the message by.",
                    "required": True,
                    "schema": {"type": "string", "pattern": f"^{NAME}$"},
                }
            },
        ),
        204: Answer("No mail."),
    },
    problems=frozenset({425}),
    slots=Slots.POLLS,
    handler=_mail,
    guide="""\
## The mailbox of an owner

Units never call owners. What they have to say waits in a mailbox, in order, until it is fetched and acknowledged:

1. `GET …/mailbox?wait=20` gives the oldest message and its id in `Unveil-Message-Id`, as soon as there is one, or 204
   when the time is over.
2. Write it down where it survives a crash.
3. `DELETE …/mailbox/{message_id}`. It is erased at the unit, and the next one takes its place.

Without step 3 the same message is given again. Acknowledging twice does no harm.
""",
)


async def _acknowledge(call: TheCall, project: ProjectName, message_id: MessageId, head: Head = "") -> Response:
    await call.ask(call.shared.unit.acknowledge, project, call.caller, message_id, bytes.fromhex(head) or None)
    return await _done(call, project)


ACKNOWLEDGE: Final = Endpoint(
    name="acknowledge",
    method="DELETE",
    path="/v1/projects/{project}/mailbox/{message_id}",
    description="The message arrived and is needed here no more. Doing this again changes nothing.",
    callers=MAILBOX_OWNERS,
    query=frozenset({"head"}),
    answers={204: Answer("Done.", headers=_HEADERS)},
    handler=_acknowledge,
)
