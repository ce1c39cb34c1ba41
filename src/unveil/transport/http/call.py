"""What the handler of an endpoint works with: the unit, who calls it, and what the application shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from fastapi import Depends, Path, Request

from unveil.transport.http.bell import Bell
from unveil.transport.http.gate import CALLER, Threads
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.metrics import Metrics
from unveil.transport.port import NAME, Caller, UnitPort

_NAMED: Final = f"^{NAME}$"
_T = TypeVar("_T")

ProjectName = Annotated[str, Path(pattern=_NAMED, description="name of the project")]
MessageId = Annotated[str, Path(pattern=_NAMED, description="chosen by the sender, once for each message")]
TaskId = Annotated[str, Path(pattern=_NAMED, description="id of the task")]


@dataclass(frozen=True, slots=True)
class Shared:
    """What all requests to a unit share; the application keeps it as `state.shared`."""

    unit: UnitPort
    limits: RequestLimits
    threads: Threads
    metrics: Metrics
    bell: Bell


@dataclass(frozen=True, slots=True)
class Call:
    """A request that passed the gate."""

    request: Request
    shared: Shared

    @property
    def caller(self) -> Caller:
        """Who calls."""
        caller: Caller | None = self.request.scope[CALLER]
        assert caller is not None, "nobody is recognised at an endpoint that is open to anyone"
        return caller

    async def ask(self, function: Callable[..., _T], *arguments: object) -> _T:
        """What a function of the unit returns; it is called in a thread."""
        return await self.shared.threads.run(function, *arguments)


async def _of_request(request: Request) -> Call:
    return Call(request, request.app.state.shared)


#: The type by which a handler gets the call.
TheCall = Annotated[Call, Depends(_of_request)]
