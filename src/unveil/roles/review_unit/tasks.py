"""
The open tasks of the review unit: what was asked for, and the values that came for it.

A task comes from the attribute unit, the values it asked for from the owners. Values that are not shown at least in
part are refused, or dropped where decoys were asked for, before anything is written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unveil.linkage.shown import EQUAL, SHOWN, STATES
from unveil.protocol.flows import Envelope, refused, too_early
from unveil.protocol.messages import ID, LONGEST_VALUE, ReviewTask
from unveil.protocol.roles import Address
from unveil.roles.columns import byte_matrix, entries
from unveil.roles.review_unit.display import ReviewablePair
from unveil.roles.review_unit.masking import Stage
from unveil.schema import Schema


@dataclass(slots=True, repr=False)
class OpenTask:
    """An open task; `answers` are the owners' values, None where one refused."""

    states: tuple[int, ...]
    classes: tuple[int, ...]
    answers: dict[Address, Mapping[str, str] | None] = field(default_factory=dict)
    stages: dict[str, Stage] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether an owner sent nothing."""
        return any(values is None for values in self.answers.values())


class Tasks:
    """Every task of the project: the open ones with their values, and the ids of those that are closed."""

    def __init__(self, schema: Schema, owners: tuple[Address, Address]) -> None:
        self._schema, self._owners = schema, owners
        self.open: dict[bytes, OpenTask] = {}
        self.closed: set[bytes] = set()

    def __len__(self) -> int:
        return len(self.open) + len(self.closed)

    # Messages

    def check_task(self, envelope: Envelope, message: ReviewTask) -> None:
        """Refuse tasks that do not fit the schema, and those that came before."""
        width = len(self._schema.attributes)
        if message.attributes != width:
            raise refused(envelope, "the number of attributes differs from the schema's")
        states = byte_matrix(message.states, width)
        if states.size and states.max() >= len(STATES):
            raise refused(envelope, "an unknown state")
        task_ids = entries(message.task_ids, ID)
        known = any(task_id in self.open or task_id in self.closed for task_id in task_ids)
        if known or len(set(task_ids)) != len(task_ids):
            raise refused(envelope, "a task that was opened before")

    def check_answer(self, envelope: Envelope, column: bytes) -> list[bytes]:
        """The tasks that an answer is about; refuse second answers and those to tasks that nobody knows."""
        task_ids = entries(column, ID)
        twice = len(set(task_ids)) != len(task_ids) or any(task_id in self.closed for task_id in task_ids)
        if twice or any(envelope.sender in self.open[task].answers for task in task_ids if task in self.open):
            raise refused(envelope, "a second answer for the same task")
        if any(task_id not in self.open for task_id in task_ids):
            # Without the task nobody can tell which of the values are shown, and no other may be held.
            raise too_early(envelope, "a task that is not known yet")
        return task_ids

    def kept(self, envelope: Envelope, task_id: bytes, values: Mapping[str, str]) -> Mapping[str, str]:
        """The values that are shown at least in part; others are refused, or dropped where decoys were asked for."""
        states = zip(self._schema.names, self.open[task_id].states, strict=True)
        shown = {name for name, state in states if state == SHOWN}
        if not self._schema.protocol.decoys and not set(values) <= shown:
            raise refused(envelope, "a value that was not asked for")
        if any(len(value) > LONGEST_VALUE for value in values.values()):
            # One owner's long values would keep every reviewer of the project waiting.
            raise refused(envelope, f"a value of more than {LONGEST_VALUE} characters")
        return {name: value for name, value in values.items() if name in shown}

    # The fold

    def add(self, message: ReviewTask) -> None:
        """Take in tasks."""
        width = message.attributes
        states, classes = byte_matrix(message.states, width), byte_matrix(message.classes, width)
        for i, task_id in enumerate(entries(message.task_ids, ID)):
            self.open[task_id] = OpenTask(tuple(states[i].tolist()), tuple(classes[i].tolist()))

    def answer(self, owner: Address, task_id: bytes, values: Mapping[str, str] | None) -> None:
        """Take in an owner's values, or its refusal."""
        self.open[task_id].answers[owner] = values

    def close(self, task_id: bytes) -> None:
        """The task is decided for good, or went back."""
        del self.open[task_id]
        self.closed.add(task_id)

    # Questions

    def answered(self, task: OpenTask) -> bool:
        """Whether both owners have answered."""
        return len(task.answers) == len(self._owners)

    def declined(self) -> list[bytes]:
        """The tasks that an owner refused, once both have answered."""
        return [task_id for task_id, task in self.open.items() if self.answered(task) and task.refused]

    def waiting(self) -> tuple[bytes, ...]:
        """The tasks that a person can decide now, in the order in which they were asked for."""
        return tuple(task_id for task_id, task in self.open.items() if self.answered(task) and not task.refused)

    def pair(self, task_id: bytes) -> ReviewablePair | None:
        """A pair that a person can decide now; an attribute that either owner held back stays without values."""
        task = self.open.get(task_id)
        if task is None or not self.answered(task) or task.refused:
            return None
        left, right = (task.answers[owner] or {} for owner in self._owners)
        states, values, frequency = {}, {}, {}
        for name, state, rank in zip(self._schema.names, task.states, task.classes, strict=True):
            states[name] = STATES[state]
            if state == SHOWN and name in left and name in right:
                values[name] = (left[name], right[name])
            elif state == EQUAL:
                frequency[name] = rank
        return ReviewablePair(task_id, states, values, frequency)
