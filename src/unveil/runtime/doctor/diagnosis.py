"""What is said of one thing that was looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from unveil.errors import SettingsFileError, UnveilError


class Condition(Enum):
    """Whether something is well, worth knowing, or has to be mended before it works."""

    FINE = "fine"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at, how it is, and where it is not well what cures it."""

    check: str
    condition: Condition
    what: str
    cure: str | None = None

    def as_json(self) -> dict[str, str | None]:
        """As JSON has it."""
        return {"check": self.check, "condition": self.condition.value, "what": self.what, "cure": self.cure}


def fine(check: str, what: str) -> Diagnosis:
    """It is well."""
    return Diagnosis(check, Condition.FINE, what)


def note(check: str, what: str, cure: str | None = None) -> Diagnosis:
    """It works, and somebody should know it."""
    return Diagnosis(check, Condition.NOTE, what, cure)


def wrong(check: str, what: str, cure: str) -> Diagnosis:
    """It does not work, or protects nobody."""
    return Diagnosis(check, Condition.WRONG, what, cure)


def refused(check: str, error: UnveilError) -> Iterator[Diagnosis]:
    """What an error says, each mistake of a settings file by itself."""
    if isinstance(error, SettingsFileError):
        for problem in error.problems:
            yield wrong(check, f"{problem.key}: {problem.what}", f"allowed: {problem.allowed}")
        return
    yield wrong(check, error.message, error.hint or "mend what is named, and ask again")


def asked(check: str, question: Callable[[], Iterator[Diagnosis]]) -> Iterator[Diagnosis]:
    """The answers to a question; an error is an answer too, and keeps no other question from being asked."""
    try:
        yield from question()
    except UnveilError as error:
        yield from refused(check, error)
    except OSError as error:
        yield wrong(check, f"cannot be looked at: {error.strerror or 'no reason given'}", "see who may read it")
