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


def reviewer_name(reviewer: bytes) -> str:
    """The reviewer's id as text; ValueError if it is empty, too long or no plain text."""
    name = reviewer.decode("ascii", errors="replace")
    if not 0 < len(reviewer) <= _LONGEST_REVIEWER or not (name.isascii() and name.isprintable()):
        raise ValueError("not a reviewer's id")
    return name


KINDS: Mapping[str, type[Decision]] = {
    kind.kind(): kind for kind in (Declined, Opened, Decided, OpenedByNobody, DecidedByNobody)
}
