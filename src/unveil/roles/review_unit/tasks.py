"""
The open tasks of the review unit: what was asked for, and the values that came for it.

A task comes from the attribute unit, the values it asked for from the owners. Values that are not shown at least in
part are refused, or dropped where decoys were asked for, before anything is written down. When a reviewer asks for one
more attribute, the pair waits until both owners have answered that wish too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unveil.linkage.shown import EQUAL, MISSING, SHOWN, STATES
from unveil.protocol.flows import Envelope, refused, too_early
from unveil.protocol.messages import ID, LONGEST_VALUE, ReviewTask
from unveil.protocol.roles import Address
from unveil.roles.columns import byte_matrix, entries
from unveil.roles.review_unit.display import ReviewablePair
from unveil.roles.review_unit.masking import Stage
from unveil.schema import Schema

Answers = dict[Address, Mapping[str, str] | None]


@dataclass(slots=True, repr=False)
class FurtherAttribute:
    """One more attribute that a reviewer asked for, and what owners said: a value, or nothing."""

    attribute: str
    answers: Answers = field(default_factory=dict)

    def value_of(self, owner: Address) -> str | None:
        """What an owner sent; None if it kept its value."""
        return (self.answers.get(owner) or {}).get(self.attribute)


@dataclass(slots=True, repr=False)
class OpenTask:
    """An open task; `answers` are the owners' values, None where one refused; `further` what was asked for besides."""

    states: tuple[int, ...]
    classes: tuple[int, ...]
    answers: Answers = field(default_factory=dict)
    stages: dict[str, Stage] = field(default_factory=dict)
    further: dict[bytes, FurtherAttribute] = field(default_factory=dict)  # by the id of the wish

    @property
    def refused(self) -> bool:
        """Whether an owner sent nothing."""
        return any(values is None for values in self.answers.values())


class Tasks:
    """Every task of the project: the open ones with their values, and the ids of those that are closed."""

    def __init__(self, schema: Schema, owners: tuple[Address, Address]) -> None:
        self._schema, self._owners = schema, owners
        self.open: dict[bytes, OpenTask] = {}
        self.closed: set[bytes] = set()  # and the ids of wishes for one more attribute of them
        self._closed_tasks = 0
        self._wishes: dict[bytes, bytes] = {}  # wish for one more attribute -> open task

    def __len__(self) -> int:
        return len(self.open) + self._closed_tasks

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
        known = any(each in self.open or each in self.closed or each in self._wishes for each in task_ids)
        if known or len(set(task_ids)) != len(task_ids):
            raise refused(envelope, "a task that was opened before")

    def check_answer(self, envelope: Envelope, column: bytes) -> list[bytes]:
        """The tasks and wishes that an answer is about; refuse second answers and those to what nobody knows."""
        asked = entries(column, ID)
        twice = len(set(asked)) != len(asked) or any(each in self.closed for each in asked)
        before = [self._answers_to(each) for each in asked]
        if twice or any(envelope.sender in given for given in before if given is not None):
            raise refused(envelope, "a second answer for the same task")
        if any(given is None for given in before):
            # Without the task nobody can tell which of the values are shown, and no other may be held.
            raise too_early(envelope, "a task that is not known yet")
        return asked

    def _answers_to(self, asked: bytes) -> Answers | None:
        """What owners said to a task or a wish so far; None if nobody asked that."""
        if asked in self._wishes:
            return self.open[self._wishes[asked]].further[asked].answers
        return self.open[asked].answers if asked in self.open else None

    def kept(self, envelope: Envelope, asked: bytes, values: Mapping[str, str]) -> Mapping[str, str]:
        """The values that are shown at least in part; others are refused, or dropped where decoys were asked for."""
        further = asked in self._wishes
        if further:
            shown = {self.open[self._wishes[asked]].further[asked].attribute}
        else:
            states = zip(self._schema.names, self.open[asked].states, strict=True)
            shown = {name for name, state in states if state == SHOWN}
        if (further or not self._schema.protocol.decoys) and not set(values) <= shown:
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

    def answer(self, owner: Address, asked: bytes, values: Mapping[str, str] | None) -> None:
        """Take in an owner's values, or its refusal, to a task or a wish for one more attribute."""
        answers = self._answers_to(asked)
        assert answers is not None
        answers[owner] = values

    def ask(self, task_id: bytes, wish_id: bytes, attribute: str) -> None:
        """A reviewer asked for one more attribute: the pair waits until both owners have answered."""
        self.open[task_id].further[wish_id] = FurtherAttribute(attribute)
        self._wishes[wish_id] = task_id

    def close(self, task_id: bytes) -> None:
        """The task is decided for good, or went back."""
        task = self.open.pop(task_id)
        for wish_id in task.further:
            del self._wishes[wish_id]
        self.closed.update([task_id, *task.further])
        self._closed_tasks += 1

    # Questions

    def answered(self, task: OpenTask) -> bool:
        """Whether both owners have answered, and whatever was asked for besides."""
        return all(len(given) == len(self._owners) for given in self._all_answers(task))

    def _all_answers(self, task: OpenTask) -> list[Answers]:
        return [task.answers, *(each.answers for each in task.further.values())]

    def asked_further(self, task_id: bytes) -> set[str]:
        """The attributes of an open task that a reviewer asked for besides."""
        return {each.attribute for each in self.open[task_id].further.values()} if task_id in self.open else set()

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
        for each in task.further.values():
            one, two = (each.value_of(owner) for owner in self._owners)
            states[each.attribute] = STATES[SHOWN]  # withheld, unless both owners sent it
            if one and two:
                values[each.attribute] = (one, two)
            elif one is not None and two is not None:
                states[each.attribute] = STATES[MISSING]
        return ReviewablePair(task_id, states, values, frequency)
