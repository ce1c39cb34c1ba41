"""How whoever watches an owner at work is told about it: a terminal, a web page, or nobody."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from unveil.runtime.owner.progress import WishProgress


class OwnerPhase(Enum):
    """What an owner is at."""

    SHOWING_FINGERPRINT = "showing our fingerprint to the record unit"
    WAITING_FOR_FINGERPRINT = "waiting for the other owner's fingerprint"
    FINGERPRINTS_DIFFER = "the owners' keys or parameters differ"
    ENCODING = "encoding records"
    SENDING = "sending records"
    WAITING_FOR_SCREENING = "waiting for the record unit to look at the records"
    WAITING_FOR_OTHER_UPLOAD = "waiting for the other owner's upload"
    WAITING_FOR_WISHES = "waiting for wishes"
    WAITING_FOR_APPROVAL = "wishes wait for a person's approval"
    ANSWERING = "answering wishes as the policy says"
    WAITING_FOR_REVIEWERS = "waiting for reviewers"
    PAUSED = "paused: nothing leaves"
    RULES_UNREADABLE = "the policy cannot be read, so nothing is answered"
    SENDING_LAST_ANSWERS = "the links have come; sending the last answers"


@dataclass(frozen=True, slots=True)
class PhaseReport:
    """What an owner is at, with the numbers that belong to it."""

    phase: OwnerPhase
    records: int = 0
    parts: int = 0  #: of the upload
    parts_arrived: int = 0
    waiting: int = 0  #: wishes that wait for a person's approval
    labels: int = 0  #: that reviewers gave, of
    budget: int = 0  #: labels in all


class OwnerObserver(Protocol):
    """Whoever watches. It is called from the thread that works, often with what it knows already."""

    def busy(self, what: str) -> AbstractContextManager[object]:
        """Within it something is done that takes a moment, before the work begins."""
        ...

    def note(self, text: str) -> None:
        """Something that whoever looks after the folder should know."""
        ...

    def phase(self, report: PhaseReport) -> None:
        """What is being done now."""
        ...

    def counts(self, wishes: Mapping[str, WishProgress]) -> None:
        """How many wishes came and what became of them, by unit."""
        ...

    def parts_arrived(self, done: int, parts: int, records: int) -> None:
        """So many parts of an upload of so many records are at the record unit."""
        ...

    def trouble(self, unit: str, why: str) -> None:
        """A unit does not do its part; this may be said again and again."""
        ...

    def reached(self, unit: str) -> None:
        """The unit is fine, or was never in trouble."""
        ...


class Unwatched:
    """Nobody watches."""

    def busy(self, what: str) -> AbstractContextManager[object]:
        """Nothing is shown."""
        del what
        return nullcontext()

    def note(self, text: str) -> None:
        """Nothing is shown."""

    def phase(self, report: PhaseReport) -> None:
        """Nothing is shown."""

    def counts(self, wishes: Mapping[str, WishProgress]) -> None:
        """Nothing is shown."""

    def parts_arrived(self, done: int, parts: int, records: int) -> None:
        """Nothing is shown."""

    def trouble(self, unit: str, why: str) -> None:
        """Nothing is shown."""

    def reached(self, unit: str) -> None:
        """Nothing is shown."""
