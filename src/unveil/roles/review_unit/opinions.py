"""
Second opinions: of which pairs two people say something, independently, and who decides where they differ.

A pair of which a second opinion is wanted stays with its values until another person has given theirs, without knowing
the first. Opinions that differ go to a lead. A lead's own label is never asked about again. This is a part of the
review unit's fold; whether a pair is drawn is decided when its first label is handed in: nobody knows before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from unveil.roles.review_unit.trust import weighed

#: A label is at least so sure; as a bound it asks for nothing.
LEAST_SURE: Final = 0.5


class Then(IntEnum):
    """What follows from a label that was handed in."""

    FINAL = 0
    ANOTHER_PERSON = 1
    LEAD = 2
    UNUSED = 3  # whoever gave it errs as often as a coin: somebody else is asked instead


@dataclass(frozen=True, slots=True)
class OpinionTerms:
    """
    Of which pairs a second opinion is asked for, as the parties agreed.

    `share` of all pairs, drawn by lot, and every label that is less sure than `below`, as unsure ones are.
    """

    share: float = 0.0
    below: float = LEAST_SURE

    @property
    def any(self) -> bool:
        """Whether there are second opinions at all."""
        return self.share > 0 or self.below > LEAST_SURE

    def wanted(self, match: bool | None, p: float, luck: float) -> bool:  # noqa: FBT001 - a label
        """Whether a first label asks for a second opinion; `luck` is uniform in [0, 1)."""
        unsure = match is None or p < self.below
        return luck < self.share or (unsure and self.below > LEAST_SURE)


ONE_OPINION: Final = OpinionTerms()


@dataclass(frozen=True, slots=True)
class Opinion:
    """What somebody said about a pair that others look at too: match is None when unsure; p in [0.5, 1]."""

    reviewer: bytes
    match: bool | None
    p: float


@dataclass(slots=True)
class Opinions:
    """The opinions on open pairs, which of these wait for a lead, who leads, and how opinions fared so far."""

    given: dict[bytes, list[Opinion]] = field(default_factory=dict)  # task -> in the order in which they came
    for_lead: set[bytes] = field(default_factory=set)
    leads: set[bytes] = field(default_factory=set)
    set_aside: dict[bytes, set[bytes]] = field(default_factory=dict)  # task -> whose labels on it are not used
    unused: dict[bytes, int] = field(default_factory=dict)  # reviewer -> labels
    asked: int = 0  # times that a further person was asked about a pair
    disagreed: int = 0  # pairs that went to a lead
    overruled: dict[bytes, int] = field(default_factory=dict)  # reviewer -> labels that a lead did not share

    def on(self, task_id: bytes) -> tuple[Opinion, ...]:
        """The opinions on an open pair."""
        return tuple(self.given.get(task_id, ()))

    def may_decide(self, task_id: bytes, reviewer: bytes) -> bool:
        """Whether this person may say something about the pair (still)."""
        if reviewer in self.set_aside.get(task_id, ()):
            return False
        if task_id in self.for_lead:
            return reviewer in self.leads
        return all(opinion.reviewer != reviewer for opinion in self.given.get(task_id, ()))

    def for_person(self, waiting: Iterable[bytes], reviewer: bytes) -> Iterator[bytes]:
        """Of these pairs those that this person may decide; to a lead first what only leads decide."""
        mine = [task_id for task_id in waiting if self.may_decide(task_id, reviewer)]
        return iter(sorted(mine, key=lambda task_id: task_id not in self.for_lead))

    def then(self, task_id: bytes, label: Opinion, *, wanted: bool) -> Then:
        """What follows when this label is handed in; `wanted` says whether a first one asks for a second."""
        before = self.given.get(task_id, [])
        if label.reviewer in self.leads:
            return Then.FINAL
        if not before:
            return Then.ANOTHER_PERSON if wanted else Then.FINAL
        return Then.FINAL if all(one.match == label.match for one in before) else Then.LEAD

    def agreed(self, task_id: bytes, label: Opinion, error: Callable[[bytes], float | None]) -> float:
        """
        How probable the label is with those that agree with it: odds multiply, as of people who err independently.

        `error` says how often somebody errs. A lead's word on opinions that differ stands for itself.
        """
        before = () if task_id in self.for_lead else self.on(task_id)
        right = wrong = 1.0
        for one in (label, *before):
            if one.match == label.match:
                p = weighed(one.p, error(one.reviewer))
                right, wrong = right * p, wrong * (1 - p)
        return right / (right + wrong) if right + wrong else LEAST_SURE

    # The fold

    def note_role(self, reviewer: bytes, *, lead: bool) -> None:
        """From now on this person leads, or does not."""
        (self.leads.add if lead else self.leads.discard)(reviewer)

    def add(self, task_id: bytes, label: Opinion, then: Then) -> None:
        """Take in a label after which somebody else is asked."""
        self.asked += 1
        if then is Then.UNUSED:
            self.set_aside.setdefault(task_id, set()).add(label.reviewer)
            self.unused[label.reviewer] = self.unused.get(label.reviewer, 0) + 1
            return
        self.given.setdefault(task_id, []).append(label)
        if then is Then.LEAD:
            self.for_lead.add(task_id)
            self.disagreed += 1

    def close(self, task_id: bytes, final: bool | None = None) -> None:  # noqa: FBT001 - a label
        """The pair is decided for good, or went back."""
        for one in self.given.pop(task_id, ()):
            if final is not None and one.match == (not final):
                self.overruled[one.reviewer] = self.overruled.get(one.reviewer, 0) + 1
        self.for_lead.discard(task_id)
        self.set_aside.pop(task_id, None)
