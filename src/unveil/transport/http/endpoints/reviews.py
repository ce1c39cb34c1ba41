"""What reviewers do at the review unit: see the tasks, open an attribute further, decide."""

from __future__ import annotations

from typing import Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from unveil.protocol.roles import Role
from unveil.transport.http.call import Call, ProjectName, TaskId, TheCall
from unveil.transport.http.endpoint import Answer, Body, Endpoint
from unveil.transport.http.limits import TEXT
from unveil.transport.port import REVIEWER, ReviewPort

_LONGEST_ATTRIBUTE: Final = 64
_REVIEWERS: Final = {Role.REVIEW_UNIT: frozenset({REVIEWER})}


def _unit(call: Call) -> ReviewPort:
    return cast("ReviewPort", call.shared.unit)  # no other unit has these endpoints


async def _tasks(call: TheCall, project: ProjectName) -> Response:
    return JSONResponse(list(await call.ask(_unit(call).tasks, project, call.caller)))


TASKS: Final = Endpoint(
    name="tasks",
    method="GET",
    path="/v1/projects/{project}/tasks",
    description="The tasks that wait for a verdict of whoever calls, as far as they are opened.",
    callers=_REVIEWERS,
    answers={200: Answer("Found.", TEXT, {"type": "array", "items": {"type": "object"}})},
    handler=_tasks,
)


class CellOpening(BaseModel):
    """An attribute of a task is to be opened further."""

    model_config = ConfigDict(extra="forbid", strict=True)
    attribute: str = Field(min_length=1, max_length=_LONGEST_ATTRIBUTE)
    stage: Literal["differing", "full"]


async def _open_cell(call: TheCall, project: ProjectName, task: TaskId, opening: CellOpening) -> Response:
    unit, caller = _unit(call), call.caller
    return JSONResponse(await call.ask(unit.open_cell, project, caller, task, opening.attribute, opening.stage))


CELLS: Final = Endpoint(
    name="open_cell",
    method="POST",
    path="/v1/projects/{project}/tasks/{task}/cells",
    description="Open an attribute further; the task as it is shown now.",
    callers=_REVIEWERS,
    body=Body(TEXT, "text", CellOpening),
    answers={200: Answer("Found.", TEXT, {"type": "object"})},
    problems=frozenset({409}),
    handler=_open_cell,
)


class VerdictGiven(BaseModel):
    """What the reviewer decided: null is unsure; p is the probability that the answer is right."""

    model_config = ConfigDict(extra="forbid", strict=True)
    match: bool | None
    p: float = Field(ge=0.5, le=1.0, allow_inf_nan=False)


async def _verdict(call: TheCall, project: ProjectName, task: TaskId, given: VerdictGiven) -> Response:
    await call.ask(_unit(call).verdict, project, call.caller, task, given.match, given.p)
    return Response(status_code=204)


class ReviewStep(BaseModel):
    """One step of a reviewer, at a page or a program: what is done, and the pair that it is done to."""

    model_config = ConfigDict(extra="forbid", strict=True)
    do: Literal["view", "practise", "open", "label", "undo", "skip", "ask", "hand in"]
    task: str = Field("", pattern=r"^([0-9a-f]{32})?$")
    attribute: str = Field("", max_length=_LONGEST_ATTRIBUTE)
    stage: Literal["", "differing", "full"] = ""
    match: bool | None = None
    confidence: int = Field(6, ge=1, le=6)


async def _step(call: TheCall, project: ProjectName, step: ReviewStep) -> Response:
    return JSONResponse(await call.ask(_unit(call).step, project, call.caller, step.model_dump()))


STEP: Final = Endpoint(
    name="step",
    method="POST",
    path="/v1/projects/{project}/steps",
    description="Take a step as at the page, by the same rules; what is before the reviewer after it.",
    callers=_REVIEWERS,
    body=Body(TEXT, "text", ReviewStep),
    answers={200: Answer("Found.", TEXT, {"type": "object"})},
    problems=frozenset({409}),
    handler=_step,
)


VERDICT: Final = Endpoint(
    name="verdict",
    method="PUT",
    path="/v1/projects/{project}/tasks/{task}/verdict",
    description="Decide a task.",
    callers=_REVIEWERS,
    body=Body(TEXT, "text", VerdictGiven),
    answers={204: Answer("Done.")},
    problems=frozenset({409}),
    handler=_verdict,
)
