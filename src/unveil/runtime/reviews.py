"""The review unit's server side: masked pairs for reviewers, their openings and verdicts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from unveil.errors import ProtocolError
from unveil.protocol.machine import Step
from unveil.protocol.messages import ID
from unveil.roles.review_unit.display import ReviewablePair, Verdict, cells
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.opinions import Opinion
from unveil.runtime.host import WorkUnderWay
from unveil.runtime.review_pace import PaceReader, ReviewPace
from unveil.runtime.review_steps import ReviewSteps
from unveil.runtime.units import UnitService
from unveil.schema import Schema
from unveil.storage.passkeys import PasskeyStore
from unveil.storage.people import PeopleStore
from unveil.transport.port import JSON, OPERATOR, Caller
from unveil.transport.status import ReviewUnitStatus


class NoSuchTask(ProtocolError):
    """The task does not wait for a verdict (any more)."""


class ReviewUnitService(UnitService):
    """The review unit. What it shows is made from masked cells; whole values never leave unless they were opened."""

    nothing_told = ReviewUnitStatus()

    @cached_property
    def steps(self) -> Mapping[str, ReviewSteps]:
        """What people do at the pages, by project."""
        return {
            name: ReviewSteps(
                worker.host, worker.project.linkage, clock=time.time, decided=worker.deliver, idle=worker.wake
            )
            for name, worker in self.workers.items()
        }

    @property
    def people(self) -> PeopleStore:
        """Who may log in at the pages."""
        return self._database.people

    @property
    def passkeys(self) -> PasskeyStore:
        """By which passkeys they may."""
        return self._database.passkeys

    def figures(self, project: str) -> ReviewPace:
        """How fast reviewers get on, all together."""
        return self._paces[project].pace(self.surroundings.clock())

    @cached_property
    def _paces(self) -> Mapping[str, PaceReader]:
        return {name: PaceReader(worker.host.log) for name, worker in self.workers.items()}

    def machine_status(self, machine: Any, caller: Caller, working: WorkUnderWay | None = None) -> ReviewUnitStatus:
        """To operators, how many tasks are open, and how many of them wait for a reviewer."""
        del working
        if caller.role != OPERATOR:
            return self.nothing_told
        return ReviewUnitStatus(open_tasks=machine.open_tasks, pending=len(machine.pending()))

    def step(self, project: str, caller: Caller, step: Mapping[str, Any]) -> Mapping[str, JSON]:
        """Take a step of a reviewer who comes with a token, by the rules of the pages."""
        return self.steps[project].take(caller.name, **step)

    def tasks(self, project: str, caller: Caller) -> Sequence[Mapping[str, JSON]]:
        """The tasks that wait for a verdict of whoever calls, as far as they are opened."""
        worker = self.workers[project]
        schema = worker.project.linkage
        name = caller.name.encode()
        found = worker.host.look(
            lambda machine: [(machine.pair(task_id), machine.stages(task_id)) for task_id in machine.waiting_for(name)]
        )
        # Masking takes time, and nobody else should wait for it: it is done on copies.
        return [shown(pair, schema, stages) for pair, stages in found]

    def open_cell(self, project: str, caller: Caller, task: str, attribute: str, stage: str) -> Mapping[str, JSON]:
        """Open an attribute further for the reviewer who calls; return the task as it is shown now."""
        worker = self.workers[project]

        def opening(machine: ReviewUnit) -> Step:
            pair = _pending(machine, task)
            if attribute not in pair.values:
                raise NoSuchTask("this attribute cannot be opened")
            return machine.opening(pair.task_id, attribute, Stage[stage.upper()], reviewer=caller.name)

        worker.host.deciding(opening)
        pair, stages = worker.host.look(lambda machine: _opened(machine, task))
        return shown(pair, worker.project.linkage, stages)

    def verdict(self, project: str, caller: Caller, task: str, match: bool | None, p: float) -> None:  # noqa: FBT001 - as in Verdict
        """What the reviewer who calls decided; they may give the same verdict again, as after a lost answer."""
        worker = self.workers[project]

        def judging(machine: ReviewUnit) -> Step | None:
            task_id = _task_id(task)
            # Of another reviewer the same verdict is no repetition: it would be theirs in their own books alone.
            if machine.has_said(task_id, Opinion(caller.name.encode(), match, p)):
                return None
            return machine.judge([Verdict(_pending(machine, task).task_id, match, p)], reviewer=caller.name)

        if worker.host.deciding(judging):
            worker.deliver()


def shown(pair: ReviewablePair, schema: Schema, stages: Mapping[str, Stage]) -> dict[str, JSON]:
    """A task as a reviewer may see it."""
    return {
        "task": pair.task_id.hex(),
        "cells": [
            {
                "attribute": cell.attribute,
                "label": cell.label,
                "state": cell.state,
                "left": cell.left,
                "right": cell.right,
                "words": cell.words,
                "stage": cell.stage.name.lower(),
                "can_open": cell.can_open,
            }
            for cell in cells(pair, schema, stages)
        ],
        "withheld": [name for name, state in pair.states.items() if state == "shown" and name not in pair.values],
    }


def _opened(machine: ReviewUnit, task: str) -> tuple[ReviewablePair, dict[str, Stage]]:
    """A copy of the task, and how far it is opened."""
    pair = _pending(machine, task)
    return pair, machine.stages(pair.task_id)


def _pending(machine: ReviewUnit, task: str) -> ReviewablePair:
    task_id = _task_id(task)
    found = next((pair for pair in machine.pending() if pair.task_id == task_id), None)
    if found is None:
        raise NoSuchTask("no such task waits for a verdict")
    return found


def _task_id(task: str) -> bytes:
    try:
        task_id = bytes.fromhex(task)
    except ValueError:
        raise NoSuchTask("no such task waits for a verdict") from None
    if len(task_id) != ID:
        raise NoSuchTask("no such task waits for a verdict")
    return task_id
