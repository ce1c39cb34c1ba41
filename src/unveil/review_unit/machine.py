"""
The review unit's machine.

A task comes from the attribute unit, the values it asked for from the owners. When both owners have sent theirs, the
pair waits for a person; when one refuses, the task goes back unanswered. Nothing but the values of open tasks is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from unveil.linkage.columns import byte_matrix, entries, outcome_columns
from unveil.linkage.outcome import Outcomes
from unveil.linkage.request import EQUAL, SHOWN, STATES
from unveil.protocol.flows import Envelope, check_incoming, refused
from unveil.protocol.messages import ID, AttributeValues, Message, Refusal, ReviewLabel, ReviewTask
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT, Address, Role
from unveil.review_unit.display import ReviewablePair, Verdict
from unveil.schema import Schema


@dataclass(slots=True, repr=False)
class _Task:
    """An open task; `values` by owner."""

    states: tuple[int, ...]
    classes: tuple[int, ...]
    values: dict[Address, Mapping[str, str]] = field(default_factory=dict)


class ReviewUnit:
    """L_C. `pending` lists what a person can decide now; `decide` takes the decisions."""

    def __init__(self, schema: Schema, owners: tuple[Address, Address]) -> None:
        self._schema, self._owners = schema, owners
        self._tasks: dict[bytes, _Task] = {}
        self._early: dict[bytes, dict[Address, Mapping[str, str] | None]] = {}  # None: refused
        self._ready: list[bytes] = []
        self._settled: set[bytes] = set()  # both owners have answered; the task may be closed by now

    def receive(self, envelope: Envelope) -> list[Envelope]:
        """Take one message; return what is to be sent because of it."""
        check_incoming(envelope)
        if envelope.sender.role is Role.OWNER and envelope.sender not in self._owners:
            raise refused(envelope, "not an owner of this project")
        match envelope.message:
            case ReviewTask() as message:
                return self._opened(envelope, message)
            case AttributeValues() as message:
                granted: list[Mapping[str, str] | None] = list(message.values)
                return self._answered(envelope, entries(message.task_ids, ID), granted)
            case Refusal() as message:
                task_ids = entries(message.ids, ID)
                return self._answered(envelope, task_ids, [None] * len(task_ids))
        raise refused(envelope, "not for the review unit")

    def pending(self) -> tuple[ReviewablePair, ...]:
        """The pairs that a person can decide now, in the order in which they were asked for."""
        ready = set(self._ready)
        return tuple(self._reviewable(task_id) for task_id in self._tasks if task_id in ready)

    def decide(self, verdicts: Iterable[Verdict]) -> list[Envelope]:
        """Pass a person's decisions on and erase the values; an unsure verdict goes back as a refusal."""
        decided: list[Verdict] = []
        unsure: list[Verdict] = []
        for verdict in verdicts:
            self._ready.remove(verdict.task_id)
            del self._tasks[verdict.task_id]
            (unsure if verdict.match is None else decided).append(verdict)
        out = []
        if decided:
            word = Outcomes(
                np.array([bool(verdict.match) for verdict in decided]), np.array([verdict.p for verdict in decided])
            )
            task_ids = b"".join(verdict.task_id for verdict in decided)
            out.append(self._send(ReviewLabel(task_ids, *outcome_columns(word))))
        if unsure:
            out.append(self._send(Refusal(b"".join(verdict.task_id for verdict in unsure))))
        return out

    def _opened(self, envelope: Envelope, message: ReviewTask) -> list[Envelope]:
        width = len(self._schema.attributes)
        if message.attributes != width:
            raise refused(envelope, "the number of attributes differs from the schema's")
        states, classes = byte_matrix(message.states, width), byte_matrix(message.classes, width)
        if states.size and states.max() >= len(STATES):
            raise refused(envelope, "an unknown state")
        task_ids = entries(message.task_ids, ID)
        known = any(task_id in self._tasks or task_id in self._settled for task_id in task_ids)
        if known or len(set(task_ids)) != len(task_ids):
            raise refused(envelope, "a task that was opened before")
        for i, task_id in enumerate(task_ids):
            self._tasks[task_id] = task = _Task(tuple(states[i].tolist()), tuple(classes[i].tolist()))
            self._drop_unasked(task_id, task)
        return self._settle(task_ids)

    def _drop_unasked(self, task_id: bytes, task: _Task) -> None:
        """Forget values that came before their task and are not asked for: the unit holds what is shown, no more."""
        asked, early = self._asked(task), self._early.get(task_id, {})
        for owner, values in early.items():
            if values is not None:
                early[owner] = {name: value for name, value in values.items() if name in asked}

    def _answered(
        self, envelope: Envelope, task_ids: list[bytes], granted: list[Mapping[str, str] | None]
    ) -> list[Envelope]:
        """Note answers; they may arrive before the task."""
        again = (task_id in self._settled or envelope.sender in self._early.get(task_id, {}) for task_id in task_ids)
        if len(set(task_ids)) != len(task_ids) or any(again):
            raise refused(envelope, "a second answer for the same task")
        for task_id, values in zip(task_ids, granted, strict=True):
            self._check_values(envelope, task_id, values)
        for task_id, values in zip(task_ids, granted, strict=True):
            self._early.setdefault(task_id, {})[envelope.sender] = values
        return self._settle(task_ids)

    def _check_values(self, envelope: Envelope, task_id: bytes, values: Mapping[str, str] | None) -> None:
        """Refuse values that nobody asked for: the unit must not hold more than is shown."""
        task = self._tasks.get(task_id)
        if values is not None and task is not None and not set(values) <= self._asked(task):
            raise refused(envelope, "a value that was not asked for")

    def _asked(self, task: _Task) -> set[str]:
        return {name for name, state in zip(self._schema.names, task.states, strict=True) if state == SHOWN}

    def _settle(self, task_ids: list[bytes]) -> list[Envelope]:
        """Tasks with both answers become ready; tasks with a refusal go back."""
        declined = []
        for task_id in task_ids:
            answers = self._early.get(task_id, {})
            if task_id not in self._tasks or len(answers) < len(self._owners):
                continue
            del self._early[task_id]
            self._settled.add(task_id)
            if any(values is None for values in answers.values()):
                del self._tasks[task_id]
                declined.append(task_id)
                continue
            for owner, values in answers.items():
                self._tasks[task_id].values[owner] = values or {}
            self._ready.append(task_id)
        return [self._send(Refusal(b"".join(declined)))] if declined else []

    def _reviewable(self, task_id: bytes) -> ReviewablePair:
        """The pair as a display may use it; an attribute that either owner held back stays without values."""
        task = self._tasks[task_id]
        left, right = (task.values[owner] for owner in self._owners)
        states, values, frequency = {}, {}, {}
        for name, state, rank in zip(self._schema.names, task.states, task.classes, strict=True):
            states[name] = STATES[state]
            if state == SHOWN and name in left and name in right:
                values[name] = (left[name], right[name])
            elif state == EQUAL:
                frequency[name] = rank
        return ReviewablePair(task_id, states, values, frequency)

    def _send(self, message: Message) -> Envelope:
        return Envelope(REVIEW_UNIT, ATTRIBUTE_UNIT, message)
