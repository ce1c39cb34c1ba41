"""What the review unit and its reviewers decide, as its log keeps it. No value is among it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unveil.protocol.machine import Decision
from unveil.protocol.messages import ID, REAL

UNSURE = 2  # in place of g


@dataclass(frozen=True, slots=True, repr=False)
class Declined(Decision):
    """Tasks that an owner refused; they go back."""

    KEY = "task_ids"
    WIDTHS = {"task_ids": ID}
    task_ids: bytes


@dataclass(frozen=True, slots=True, repr=False)
class Opened(Decision):
    """A reviewer was shown more of an attribute, by its place in the schema."""

    task_id: bytes
    attribute: int
    stage: int

    def __post_init__(self) -> None:
        if len(self.task_id) != ID:
            raise ValueError("not a task id")


@dataclass(frozen=True, slots=True, repr=False)
class Decided(Decision):
    """A person's verdicts: match (1), non-match (0) or unsure (2), and how sure."""

    KEY = "task_ids"
    WIDTHS = {"task_ids": ID, "g": 1, "p": REAL}
    task_ids: bytes
    g: bytes
    p: bytes


KINDS: Mapping[str, type[Decision]] = {kind.kind(): kind for kind in (Declined, Opened, Decided)}
