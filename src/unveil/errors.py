"""
Every error that Unveil raises on purpose, in one tree.

UnveilError
├── InputError              a file of records cannot be read as it stands (file, row, what to do)
├── SettingsFileError       a settings file has mistakes (one Problem per key)
│   └── SchemaError         the linkage schema has
├── KeyFileError            a key file is missing, readable by others, or malformed
├── ModelError              a saved model cannot be read or does not fit
├── EngineError             the chosen engine is not available on this machine
├── SettingError            a setting or argument is outside what is allowed
├── StorageError            the database refused: full, read-only, locked, gone; nothing was half done
│   ├── NoLogError          the database holds no log of Unveil, or not yet
│   ├── ClaimedError        the database belongs to another role or another party
│   └── DuplicateError      the log holds an entry of that sender and id already
├── Cancelled               long work was stopped because somebody asked for it; nothing is lost
└── ProtocolError           a message or a call broke the protocol
    ├── Closed              the project is closed: nothing is taken any more
    ├── Conflict            the id of a message is known, with another body
    ├── LocalProtocolError  ours to mend: this party tried to send what it must not
    └── RemoteProtocolError theirs to mend: another party sent what it must not
        └── TooEarly        it refers to what has not come yet; the same message may be sent again later

Rooms add their own beneath: other settings files (`settings.reader`, `roles.owner.policy_file`), calls over the network
(`transport.failures`), trials (`lab.local_parties.processes`).

Messages never carry a record's value, a key or an encoding: only names, counts and positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from unveil.safety.visible import visible


class UnveilError(Exception):
    """
    Something went wrong that a person can mend; `hint` says how, `details` are further lines of the message.

    What another party or a file put into a line is made visible, so that it cannot steer a terminal or forge a line.
    """

    def __init__(self, message: str, *, hint: str | None = None, details: Sequence[str] = ()) -> None:
        self.message = "\n  ".join(map(visible, [message, *details]))
        super().__init__(self.message)
        self.hint = None if hint is None else visible(hint)


class InputError(UnveilError):
    """A file of records cannot be read as it stands. Names file, row and column, never the value."""

    def __init__(
        self,
        path: Path | str,
        problem: str,
        *,
        row: int | None = None,
        column: str | None = None,
        hint: str | None = None,
    ) -> None:
        place = str(path)
        if row is not None:
            place += f", row {row}"
        if column is not None:
            place += f", column {column}"
        super().__init__(f"{place}: {problem}", hint=hint)
        self.path, self.problem, self.row, self.column = Path(path), problem, row, column


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a settings file: where it is, what is wrong, what would be allowed."""

    key: str
    what: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.key}: {self.what}; allowed: {self.allowed}"


class SettingsFileError(UnveilError):
    """A settings file has mistakes; `problems` lists every one of them, `HINT` helps where nothing better is known."""

    HINT: ClassVar[str | None] = None

    def __init__(self, source: str, problems: Sequence[Problem], *, hint: str | None = None) -> None:
        count = "one mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        super().__init__(f"{source}: {count}", hint=hint or self.HINT, details=[str(problem) for problem in problems])
        self.source, self.problems = source, tuple(problems)


class SchemaError(SettingsFileError):
    """The linkage schema has mistakes."""

    HINT = "unveil schema show prints a valid schema"


class KeyFileError(UnveilError):
    """A key file is missing, readable by others, or malformed."""


class ModelError(UnveilError):
    """A saved model cannot be read or does not fit the schema."""


class EngineError(UnveilError):
    """The chosen engine is not available on this machine."""


class SettingError(UnveilError):
    """A setting is outside what is allowed."""


class StorageError(UnveilError):
    """The database refused; nothing was half done, and the next call works once the cause is gone."""


class NoLogError(StorageError):
    """The database holds no log of Unveil, or not yet."""


class ClaimedError(StorageError):
    """The database belongs to another role or another party."""


class DuplicateError(StorageError):
    """The log holds an entry of that sender and id already."""


class Cancelled(UnveilError):
    """Long work was stopped because somebody asked for it; it can be done again, and nothing is lost."""


class ProtocolError(UnveilError):
    """A message or a call broke the protocol."""


class Closed(ProtocolError):
    """The project is closed: nothing is taken any more. Storage says so, and units tell it their callers (410)."""


class Conflict(ProtocolError):
    """The id of a message is known, with another body (409)."""


class LocalProtocolError(ProtocolError):
    """This party tried to send what it must not: a defect on our side."""


class RemoteProtocolError(ProtocolError):
    """Another party sent what it must not; the message was refused and changed nothing."""

    def __init__(self, sender: str, kind: str, problem: str) -> None:
        super().__init__(f"{sender} sent {kind}: {problem}")
        self.sender, self.kind, self.problem = sender, kind, problem


class TooEarly(RemoteProtocolError):
    """The message refers to what has not come yet; it may be sent again later."""
