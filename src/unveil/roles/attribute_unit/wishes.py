"""
Wishes for values on their way to the owners: for the pairs of a batch, and a reviewer's for one more attribute.

Of the latter the review unit knows the task and no pair; owners know both. The unit passes them on as they are, once,
for a task that is open, for an attribute that the pair does not agree in, and no more than the project file allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unveil.linkage.outcome import Reals
from unveil.protocol.flows import Envelope, refused
from unveil.protocol.machine import Step
from unveil.protocol.messages import ID, MOST_WISHES, AttributeWish, FurtherWish
from unveil.protocol.roles import ATTRIBUTE_UNIT, Address
from unveil.roles.attribute_unit.decisions import FurtherPassed
from unveil.roles.chance import Draw
from unveil.roles.columns import entries, one_each


def value_wishes(
    owners: Sequence[Address], columns: tuple[Sequence[bytes], ...], *, width: int, draw: Draw
) -> Iterator[Envelope]:
    """The wishes for a batch of tasks: `columns` are pair ids, task ids and marks, in another order for each owner."""
    for owner in owners:
        order = draw.rng.permutation(len(columns[0])).tolist()
        for start in range(0, len(order), MOST_WISHES):
            some = order[start : start + MOST_WISHES]
            wish = AttributeWish(width, *(b"".join(column[i] for i in some) for column in columns))
            yield Envelope(ATTRIBUTE_UNIT, owner, wish)


class FurtherWishes:
    """What reviewers asked so far, and the wishes that were not passed on yet."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._asked: set[tuple[bytes, int]] = set()  # task, attribute
        self._ids: set[bytes] = set()
        self._due: list[FurtherWish] = []

    def check(
        self, envelope: Envelope, message: FurtherWish, open_tasks: Mapping[bytes, int], similarity: Reals
    ) -> None:
        """Refuse wishes beyond the project's, for tasks that are not open, twice, or for what is equal or missing."""
        wished, wish_ids = one_each(message.task_ids, message.asked, message.attributes), entries(message.wish_ids, ID)
        if message.attributes != similarity.shape[1] or len(wished) != len(message):
            raise refused(envelope, "a wish for anything but one attribute of the schema")
        if any(task_id not in open_tasks for task_id, _ in wished):
            raise refused(envelope, "a task that is not open")
        if len(set(wished)) != len(wished) or not self._asked.isdisjoint(wished):
            raise refused(envelope, "an attribute that was asked for before")
        if len(set(wish_ids)) != len(wish_ids) or not self._ids.isdisjoint(wish_ids):
            raise refused(envelope, "a wish that came before")
        if len(self._asked) + len(message) > self._most:
            raise refused(envelope, f"more than the {self._most} further attributes that the project allows")
        alike = np.array([similarity[open_tasks[task_id], attribute] for task_id, attribute in wished])
        if np.isnan(alike).any() or (alike >= 1).any():
            raise refused(envelope, "an attribute that is equal or missing")

    def add(self, message: FurtherWish) -> None:
        """Take in wishes."""
        self._asked.update(one_each(message.task_ids, message.asked, message.attributes))
        self._ids.update(entries(message.wish_ids, ID))
        self._due.append(message)

    def due(self, owners: Sequence[Address]) -> Step | None:
        """The decision to pass on the oldest wish that owners do not know yet; None if there is none."""
        if not self._due:
            return None
        wish = self._due[0]
        return Step(FurtherPassed(wish.wish_ids), tuple(Envelope(ATTRIBUTE_UNIT, owner, wish) for owner in owners))

    def passed(self) -> None:
        """Owners know the oldest one."""
        self._due.pop(0)
