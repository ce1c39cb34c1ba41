"""
What the review unit and its reviewers decide, as its log keeps it. No value is among it.

Every opening and every verdict names its reviewer, by an id that is no secret: that of a token, in the field. Logs of
earlier releases name none; their entries have kinds of their own, which are read for good and written no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unveil.protocol.machine import Decision
from unveil.protocol.messages import ID, REAL
from unveil.roles.review_unit.opinions import Then

UNSURE = 2  # in place of g
_LONGEST_REVIEWER = 64  # bytes


@dataclass(frozen=True, slots=True, repr=False)
class Declined(Decision):
    """Tasks that an owner refused; they go back."""

    KEY = "task_ids"
    WIDTHS = {"task_ids": ID}
    task_ids: bytes


@dataclass(frozen=True, slots=True, repr=False)
class OpenedByNobody(Decision):
    """An opening in a log of an earlier release."""

    KIND = "Opened"
    task_id: bytes
    attribute: int
    stage: int

    def __post_init__(self) -> None:
        if len(self.task_id) != ID:
            raise ValueError("not a task id")

    @property
    def reviewer(self) -> bytes:
        """Nobody knows."""
        return b""


@dataclass(frozen=True, slots=True, repr=False)
class DecidedByNobody(Decision):
    """Verdicts in a log of an earlier release."""

    KIND = "Decided"
    KEY = "task_ids"
    WIDTHS = {"task_ids": ID, "g": 1, "p": REAL}
    task_ids: bytes
    g: bytes
    p: bytes

    @property
    def reviewer(self) -> bytes:
        """Nobody knows."""
        return b""


@dataclass(frozen=True, slots=True, repr=False)
class Opened(Decision):
    """A reviewer was shown more of an attribute, by its place in the schema."""

    KIND = "OpenedBy"
    task_id: bytes
    attribute: int
    stage: int
    reviewer: bytes

    def __post_init__(self) -> None:
        if len(self.task_id) != ID:
            raise ValueError("not a task id")
        reviewer_name(self.reviewer)


@dataclass(frozen=True, slots=True, repr=False)
class Decided(Decision):
    """A reviewer's verdicts: match (1), non-match (0) or unsure (2), and how sure."""

    KIND = "DecidedBy"
    KEY = "task_ids"
    WIDTHS = {"task_ids": ID, "g": 1, "p": REAL}
    task_ids: bytes
    g: bytes
    p: bytes
    reviewer: bytes

    def __post_init__(self) -> None:
        Decision.__post_init__(self)
        reviewer_name(self.reviewer)


@dataclass(frozen=True, slots=True, repr=False)
class HandedIn(Decision):
    """
    A reviewer's labels, not all of them final.

    `then` says whether another person (1) or a lead (2) is asked too, or the label is not used (3) and another one is.
    """

    KEY = "task_ids"
    WIDTHS = {"task_ids": ID, "g": 1, "p": REAL, "then": 1}
    task_ids: bytes
    g: bytes
    p: bytes
    then: bytes
    reviewer: bytes

    def __post_init__(self) -> None:
        Decision.__post_init__(self)
        reviewer_name(self.reviewer)
        if max(self.then, default=0) > Then.UNUSED:
            raise ValueError("nothing that follows from a label")


@dataclass(frozen=True, slots=True, repr=False)
class RoleNoted(Decision):
    """A reviewer leads (1), or does not any more (0): leads decide where opinions differ."""

    lead: int
    reviewer: bytes

    def __post_init__(self) -> None:
        reviewer_name(self.reviewer)
        if self.lead not in (0, 1):
            raise ValueError("somebody leads or does not")


@dataclass(frozen=True, slots=True, repr=False)
class HandedOut(Decision):
    """A pair was put before a reviewer: nobody else may decide it until then, in seconds since 1970."""

    KEY = "task_id"
    WIDTHS = {"task_id": ID}
    task_id: bytes
    until: int
    reviewer: bytes

    def __post_init__(self) -> None:
        _one_task(self.task_id, self.reviewer)


@dataclass(frozen=True, slots=True, repr=False)
class GoldPlaced(Decision):
    """A made-up pair whose answer is known (match 1, non-match 0) was put before a reviewer, by its number."""

    KEY = "task_id"
    WIDTHS = {"task_id": ID}
    task_id: bytes
    number: int
    g: int
    until: int
    reviewer: bytes

    def __post_init__(self) -> None:
        _one_task(self.task_id, self.reviewer)
        if self.g not in (0, 1):
            raise ValueError("a made-up pair is a match or none")


@dataclass(frozen=True, slots=True, repr=False)
class Drafted(Decision):
    """A reviewer's label, which they may still change: match (1), non-match (0) or unsure (2), and how sure."""

    KEY = "task_id"
    WIDTHS = {"task_id": ID, "p": REAL}
    task_id: bytes
    g: int
    p: bytes
    reviewer: bytes

    def __post_init__(self) -> None:
        Decision.__post_init__(self)
        _one_task(self.task_id, self.reviewer)
        if self.g not in (0, 1, UNSURE):
            raise ValueError("not a label")


@dataclass(frozen=True, slots=True, repr=False)
class Undone(Decision):
    """A reviewer took a label back that they had not handed in."""

    KEY = "task_id"
    WIDTHS = {"task_id": ID}
    task_id: bytes
    reviewer: bytes

    def __post_init__(self) -> None:
        _one_task(self.task_id, self.reviewer)


@dataclass(frozen=True, slots=True, repr=False)
class Skipped(Decision):
    """A reviewer left a pair to others; it comes back to them when nothing else is left."""

    KEY = "task_id"
    WIDTHS = {"task_id": ID}
    task_id: bytes
    reviewer: bytes

    def __post_init__(self) -> None:
        _one_task(self.task_id, self.reviewer)


@dataclass(frozen=True, slots=True, repr=False)
class FurtherAsked(Decision):
    """A reviewer asked the owners for one more attribute of a pair, by its place in the schema; it waits for them."""

    KEY = "task_id"
    WIDTHS = {"task_id": ID, "wish_id": ID}
    task_id: bytes
    wish_id: bytes
    attribute: int
    reviewer: bytes

    def __post_init__(self) -> None:
        Decision.__post_init__(self)
        _one_task(self.task_id, self.reviewer)


@dataclass(frozen=True, slots=True, repr=False)
class Practised(Decision):
    """A reviewer has finished practising well enough: so many made-up pairs, so many of them right."""

    pairs: int
    right: int
    reviewer: bytes

    def __post_init__(self) -> None:
        reviewer_name(self.reviewer)


def _one_task(task_id: bytes, reviewer: bytes) -> None:
    if len(task_id) != ID:
        raise ValueError("not a task id")
    reviewer_name(reviewer)


def reviewer_name(reviewer: bytes) -> str:
    """The reviewer's id as text; ValueError if it is empty, too long or no plain text."""
    name = reviewer.decode("ascii", errors="replace")
    if not 0 < len(reviewer) <= _LONGEST_REVIEWER or not (name.isascii() and name.isprintable()):
        raise ValueError("not a reviewer's id")
    return name


KINDS: Mapping[str, type[Decision]] = {
    kind.kind(): kind
    for kind in (
        Declined,
        Opened,
        Decided,
        OpenedByNobody,
        DecidedByNobody,
        HandedOut,
        GoldPlaced,
        Drafted,
        Undone,
        Skipped,
        FurtherAsked,
        Practised,
        HandedIn,
        RoleNoted,
    )
}
