"""
What a unit offers to the network, and who calls it.

The HTTP application knows a unit by these functions alone. They are synchronous and are called from threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from unveil.protocol.roles import Role
from unveil.transport.gauges import GaugeReading

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

REVIEWER: Final = "reviewer"
OPERATOR: Final = "operator"

# Projects, message ids and tasks. No leading dot: "." and ".." would mean other paths.
NAME: Final = r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}"
_NAME: Final = re.compile(NAME)
HEAD: Final = r"[0-9a-f]{64}"  # of a log: a hash


def is_name(text: str) -> bool:
    """Whether this text can be the name of a project, a message or a task."""
    return _NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Caller:
    """
    Who calls: a party of the project by its role, or a person ("reviewer", "operator").

    A person's name is the id of their token, which is no secret.
    """

    role: str
    name: str = ""


class UnitPort(Protocol):
    """
    What every unit offers.

    Any function may raise StorageError (503) and Closed (410).
    """

    @property
    def role(self) -> Role:
        """The role that this unit plays."""
        ...

    def caller(self, project: str, public_key: str | None, token: str | None, now: float) -> Caller | None:
        """
        Who calls with this key or token; None if nobody known to the project.

        `project` is empty for what belongs to no project (metrics, the OpenAPI document): then whoever is known to any
        project is recognised.
        """
        ...

    def take(self, project: str, caller: Caller, message_id: str, frame: bytes, head: bytes | None) -> None:
        """
        Keep a message; once this returns it is durable. Raises Conflict, TooEarly or another ProtocolError.

        `head` is the head of the caller's log, if it tells that.
        """
        ...

    def mail(self, project: str, caller: Caller) -> tuple[str, bytes] | None:
        """The oldest message for this owner that it has not acknowledged, and its id; TooEarly before `compare`."""
        ...

    def acknowledge(self, project: str, caller: Caller, message_id: str, head: bytes | None) -> None:
        """The owner has this message; doing it again changes nothing."""
        ...

    def head(self, project: str) -> bytes:
        """The head of this unit's log, for the caller to note."""
        ...

    def compare(self, project: str, caller: Caller, noted: bytes | None) -> bytes | None:
        """
        Compare logs with a caller after a start of either: `noted` is the head of this unit's log that it noted last.

        Returns the head of the caller's log that this unit noted last. Raises Conflict if this unit's log does not hold
        what the caller noted: it was set back.
        """
        ...

    def status(self, project: str, caller: Caller) -> Mapping[str, JSON]:
        """Where the project stands, in counts."""
        ...

    def metrics(self, caller: Caller) -> Iterable[GaugeReading]:
        """What its gauges show: of the process, and of the caller's project."""
        ...


class ReviewPort(UnitPort, Protocol):
    """What the review unit offers besides, to reviewers."""

    def tasks(self, project: str, caller: Caller) -> Sequence[Mapping[str, JSON]]:
        """The tasks that wait for a verdict of the reviewer who calls, as far as they are opened."""
        ...

    def open_cell(self, project: str, caller: Caller, task: str, attribute: str, stage: str) -> Mapping[str, JSON]:
        """Open an attribute further for the reviewer who calls; return the task as it is shown now."""
        ...

    def step(self, project: str, caller: Caller, step: Mapping[str, Any]) -> Mapping[str, JSON]:
        """Take a step of a reviewer; what is before them after it. Conflict if it does not fit what is."""
        ...

    def verdict(self, project: str, caller: Caller, task: str, match: bool | None, p: float) -> None:  # noqa: FBT001 - as in Verdict
        """What the reviewer who calls decided; None is unsure."""
        ...
