"""
The review unit's machine.

A task comes from the attribute unit, the values it asked for from the owners. When both owners have sent theirs, the
pair waits for a person; when one refuses, the task goes back unanswered. Nothing but the values of open tasks is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from unveil.errors import LocalProtocolError
from unveil.linkage.outcome import Outcomes
from unveil.linkage.shown import EQUAL, SHOWN, STATES
from unveil.protocol.flows import Envelope, check_incoming, refused, too_early
from unveil.protocol.machine import Decision, Erased, NoLongWork, NothingKept, Step
from unveil.protocol.messages import (
    ID,
    LONGEST_VALUE,
    AttributeValues,
    Message,
    Refusal,
    ReviewLabel,
    ReviewTask,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT, Address, Role
from unveil.roles.columns import byte_matrix, entries, outcome_columns
from unveil.roles.review_unit.decisions import KINDS, UNSURE, Decided, DecidedByNobody, Declined, Opened, OpenedByNobody
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.roles.review_unit.masking import Stage
from unveil.schema import Schema


@dataclass(slots=True, repr=False)
class _Task:
    """An open task; `answers` are the owners' values, None where one refused."""

    states: tuple[int, ...]
    classes: tuple[int, ...]
    answers: dict[Address, Mapping[str, str] | None] = field(default_factory=dict)
    stages: dict[str, Stage] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        return any(values is None for values in self.answers.values())


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """A verdict, how sure it is, and the id of the reviewer who gave it; empty in logs of earlier releases."""

    match: bool | None
    p: float
    reviewer: bytes


class ReviewUnit(NoLongWork, NothingKept):
    """L_C. `pending` lists what a person can decide now; `judge` takes the decisions."""

    decisions: ClassVar[Mapping[str, type[Decision]]] = KINDS
    address = REVIEW_UNIT

    def __init__(self, schema: Schema, owners: tuple[Address, Address]) -> None:
        self._schema, self._owners = schema, owners
        self._tasks: dict[bytes, _Task] = {}
        self._closed: set[bytes] = set()
        self._verdicts: dict[bytes, GivenVerdict] = {}

    @property
    def open_tasks(self) -> int:
        """Tasks that were neither decided nor sent back."""
        return len(self._tasks)

    def unfinished(self) -> str:
        """How many tasks are open, in words; empty if none is."""
        count = self.open_tasks
        return f"tasks are not decided ({count}), and the attribute unit waits for them" if count else ""

    # Messages

    def admit(self, envelope: Envelope) -> Envelope:
        """Check a message; of values, keep those that are shown at least in part."""
        check_incoming(envelope)
        if envelope.sender.role is Role.OWNER and envelope.sender not in self._owners:
            raise refused(envelope, "not an owner of this project")
        match envelope.message:
            case ReviewTask() as message:
                self._check_task(envelope, message)
            case AttributeValues() as message:
                task_ids = self._check_answer(envelope, message.task_ids)
                shown = tuple(map(self._shown, [envelope] * len(task_ids), task_ids, message.values))
                return Envelope(envelope.sender, envelope.recipient, AttributeValues(message.task_ids, shown))
            case Refusal() as message:
                self._check_answer(envelope, message.ids)
            case _:
                raise refused(envelope, "not for the review unit")
        return envelope

    def apply(self, event: Envelope | Decision) -> None:
        """Take in one entry of the log."""
        if isinstance(event, Envelope):
            self._take(event)
            return
        match event:
            case Opened() | OpenedByNobody():
                stages = self._tasks[event.task_id].stages
                name = self._schema.names[event.attribute]
                # An opening cannot be taken back.
                stages[name] = max(Stage(event.stage), stages.get(name, Stage.MASKED))
            case Declined():
                self._close(entries(event.task_ids, ID))
            case Decided() | DecidedByNobody():
                task_ids = entries(event.task_ids, ID)
                self._close(task_ids)
                given = [None if g == UNSURE else bool(g) for g in event.g]
                sure = np.frombuffer(event.p, "<f8").tolist()
                for task_id, match, p in zip(task_ids, given, sure, strict=True):
                    self._verdicts[task_id] = GivenVerdict(match, p, event.reviewer)

    def _close(self, task_ids: list[bytes]) -> None:
        for task_id in task_ids:
            del self._tasks[task_id]
        self._closed.update(task_ids)

    def _take(self, envelope: Envelope) -> None:
        match envelope.message:
            case ReviewTask() as message:
                self._opened(message)
            case AttributeValues() as message:
                for task_id, values in zip(entries(message.task_ids, ID), message.values, strict=True):
                    self._tasks[task_id].answers[envelope.sender] = values
            case Erased() as message:
                for task_id in entries(message.ids, ID):
                    self._tasks[task_id].answers[envelope.sender] = {}
            case Refusal() as message:
                for task_id in entries(message.ids, ID):
                    self._tasks[task_id].answers[envelope.sender] = None

    def stub(self, message: Message) -> Erased | None:
        """Values are erased as soon as their task is closed."""
        return Erased(message.task_ids) if isinstance(message, AttributeValues) else None

    def done_with(self, message: Erased) -> bool:
        """Whether all these tasks are closed."""
        return all(task_id in self._closed for task_id in entries(message.ids, ID))

    def decide(self, now: float) -> Step | None:
        """Tasks that an owner refused go back, once the other owner has answered too."""
        del now
        declined = [task_id for task_id, task in self._tasks.items() if self._answered(task) and task.refused]
        if not declined:
            return None
        task_ids = b"".join(declined)
        return Step(Declined(task_ids), (self._send(Refusal(task_ids)),))

    # People

    def pending(self) -> tuple[ReviewablePair, ...]:
        """The pairs that a person can decide now, in the order in which they were asked for."""
        return tuple(
            self._reviewable(task_id, task)
            for task_id, task in self._tasks.items()
            if self._answered(task) and not task.refused
        )

    def stages(self, task_id: bytes) -> dict[str, Stage]:
        """How far the attributes of an open task are opened."""
        return dict(self._tasks[task_id].stages)

    def decided(self, task_id: bytes) -> GivenVerdict | None:
        """The verdict that was given on a task; None if there is none."""
        return self._verdicts.get(task_id)

    def opening(self, task_id: bytes, attribute: str, stage: Stage, *, reviewer: str) -> Step:
        """The decision to show a reviewer more of an attribute; `reviewer` is the id by which the log knows them."""
        self._check_pending([task_id])
        return Step(Opened(task_id, self._schema.names.index(attribute), int(stage), reviewer.encode()))

    def judge(self, verdicts: Iterable[Verdict], *, reviewer: str) -> Step:
        """
        The decision to pass a reviewer's verdicts on and erase the values; an unsure one goes back as a refusal.

        `reviewer` is the id by which the log knows them. It goes to nobody else.
        """
        given = list(verdicts)
        self._check_pending([verdict.task_id for verdict in given])
        decided = [verdict for verdict in given if verdict.match is not None]
        unsure = [verdict for verdict in given if verdict.match is None]
        out = []
        if decided:
            word = Outcomes(
                np.array([bool(verdict.match) for verdict in decided]), np.array([verdict.p for verdict in decided])
            )
            task_ids = b"".join(verdict.task_id for verdict in decided)
            out.append(self._send(ReviewLabel(task_ids, *outcome_columns(word))))
        if unsure:
            out.append(self._send(Refusal(b"".join(verdict.task_id for verdict in unsure))))
        decision = Decided(
            b"".join(verdict.task_id for verdict in given),
            bytes(UNSURE if verdict.match is None else int(verdict.match) for verdict in given),
            np.array([verdict.p for verdict in given], "<f8").tobytes(),
            reviewer.encode(),
        )
        return Step(decision, tuple(out))

    def _check_pending(self, task_ids: Sequence[bytes]) -> None:
        """A slip in a display must not invent labels, and a decision in the log must always apply."""
        waiting = {task_id for task_id, task in self._tasks.items() if self._answered(task) and not task.refused}
        if len(set(task_ids)) != len(task_ids) or not waiting.issuperset(task_ids):
            raise LocalProtocolError("a task that does not wait for a verdict, or twice the same")

    # Tasks and values

    def _check_task(self, envelope: Envelope, message: ReviewTask) -> None:
        width = len(self._schema.attributes)
        if message.attributes != width:
            raise refused(envelope, "the number of attributes differs from the schema's")
        states = byte_matrix(message.states, width)
        if states.size and states.max() >= len(STATES):
            raise refused(envelope, "an unknown state")
        task_ids = entries(message.task_ids, ID)
        known = any(task_id in self._tasks or task_id in self._closed for task_id in task_ids)
        if known or len(set(task_ids)) != len(task_ids):
            raise refused(envelope, "a task that was opened before")

    def _opened(self, message: ReviewTask) -> None:
        width = message.attributes
        states, classes = byte_matrix(message.states, width), byte_matrix(message.classes, width)
        for i, task_id in enumerate(entries(message.task_ids, ID)):
            self._tasks[task_id] = _Task(tuple(states[i].tolist()), tuple(classes[i].tolist()))

    def _check_answer(self, envelope: Envelope, column: bytes) -> list[bytes]:
        task_ids = entries(column, ID)
        twice = len(set(task_ids)) != len(task_ids) or any(task_id in self._closed for task_id in task_ids)
        if twice or any(envelope.sender in self._tasks[task].answers for task in task_ids if task in self._tasks):
            raise refused(envelope, "a second answer for the same task")
        if any(task_id not in self._tasks for task_id in task_ids):
            # Without the task nobody can tell which of the values are shown, and no other may be held.
            raise too_early(envelope, "a task that is not known yet")
        return task_ids

    def _shown(self, envelope: Envelope, task_id: bytes, values: Mapping[str, str]) -> Mapping[str, str]:
        """The values that are shown at least in part; others are refused, or dropped where decoys were asked for."""
        task = self._tasks[task_id]
        shown = {name for name, state in zip(self._schema.names, task.states, strict=True) if state == SHOWN}
        if not self._schema.protocol.decoys and not set(values) <= shown:
            raise refused(envelope, "a value that was not asked for")
        if any(len(value) > LONGEST_VALUE for value in values.values()):
            # One owner's long values would keep every reviewer of the project waiting.
            raise refused(envelope, f"a value of more than {LONGEST_VALUE} characters")
        return {name: value for name, value in values.items() if name in shown}

    def _answered(self, task: _Task) -> bool:
        return len(task.answers) == len(self._owners)

    def _reviewable(self, task_id: bytes, task: _Task) -> ReviewablePair:
        """The pair as a display may use it; an attribute that either owner held back stays without values."""
        left, right = (task.answers[owner] or {} for owner in self._owners)
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
