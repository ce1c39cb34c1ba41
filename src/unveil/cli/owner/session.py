"""
An owner at work: its folder held against a second process, its log folded, its threads watched.

However the work ends, nothing is half done: what was decided is in the log with what is to be sent, and the next
command goes on from there.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

from unveil.cli.app import notes
from unveil.cli.owner.folder import home, load_config
from unveil.cli.owner.standing import Standing
from unveil.cli.owner.verdict import PATIENCE, SetAside, Verdict
from unveil.errors import SettingError, UnveilError
from unveil.protocol.roles import RECORD_UNIT, owner
from unveil.roles.owner.machine import Owner
from unveil.runtime.claim import Claim
from unveil.runtime.host import Host
from unveil.runtime.owner.folder import OwnerFolder
from unveil.runtime.worker import Worker
from unveil.transport.http.client import UnitClient
from unveil.transport.logs import Log, configure

LOG_NAME: Final = "owner.log"
_SIGNALLED: Final = 128  # a process that a signal ended exits with 128 and the signal's number
_CHANGED = (
    "the key or the schema has changed since the owners agreed on them",
    "put the key file and the project file back as they were, or start anew in another folder",
)


class Stop:
    """Set by Ctrl-C, SIGTERM or a thread that failed. A second Ctrl-C ends the process at once, which is safe too."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.signal = 0
        self.failure = ""

    @property
    def exit_code(self) -> int:
        """What the process ends with when it was told to stop."""
        return _SIGNALLED + self.signal

    def wait(self, seconds: float) -> bool:
        """Pause; whether work is to end. Raises if a thread failed, which nobody else would notice."""
        ended = self._event.wait(seconds)
        if self.failure:
            raise UnveilError(
                f"an unexpected {self.failure} ended the work; nothing is lost", hint="the same command goes on"
            )
        return ended

    def _told(self, number: int, _frame: FrameType | None) -> None:
        self.signal = number
        self._event.set()
        signal.signal(number, signal.default_int_handler)

    def _failed(self, event: threading.ExceptHookArgs) -> None:
        # Only the kind: the text of an exception may quote what was being worked on.
        self.failure = event.exc_type.__name__
        self._event.set()


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Within it, Ctrl-C and SIGTERM set the stop instead of breaking off."""
    stop, hook = Stop(), threading.excepthook
    threading.excepthook = stop._failed  # noqa: SLF001 - its own
    before = {}
    if threading.current_thread() is threading.main_thread():  # elsewhere signals cannot be caught
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, stop._told)  # noqa: SLF001 - its own
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        threading.excepthook = hook


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Why a unit does not take a message: the kind of failure, and what the unit says."""

    kind: str
    problem: str

    def __str__(self) -> str:
        return self.problem or self.kind


class Noted:
    """A log that also remembers, for whoever looks at the screen, which units did not take a message and why."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.not_taken: dict[str, NotTaken] = {}

    def info(self, event: str, **fields: object) -> None:
        """Something happened."""
        self._log.info(event, **fields)

    def warning(self, event: str, **fields: object) -> None:
        """Something went wrong on the other side."""
        self._log.warning(event, **fields)

    def error(self, event: str, **fields: object) -> None:
        """Something went wrong here."""
        self._log.error(event, **fields)
        if "recipient" in fields:
            why = NotTaken(str(fields.get("error", "")), str(fields.get("problem", "")))
            self.not_taken[str(fields["recipient"])] = why


@dataclass
class Session:
    """What the commands work with."""

    folder: OwnerFolder
    host: Host[Owner]
    log: Noted
    path: Path
    verdict: Verdict
    standing: Standing = field(default_factory=Standing)

    @property
    def name(self) -> str:
        """The owner's address, as units write it."""
        return str(self.folder.member.address)

    def record_unit(self) -> UnitClient:
        """A way to the record unit for short questions."""
        return self.folder.client(RECORD_UNIT.role, timeout=PATIENCE)

    def seat(self) -> Worker:
        """The threads that decide and deliver, not yet started."""
        return Worker(self.folder.member.project, self.host, self.log, self.folder.clients())

    def look(self) -> Standing:
        """Where the owner stands now."""
        return self.standing.read(self.host.log)


@contextmanager
def at_work(path: Path, *, demonstration: bool) -> Iterator[Session]:
    """Hold an owner's folder and open everything in it."""
    config = load_config(path, demonstration=demonstration)
    verdict = Verdict(home(config))
    if why := verdict.known():
        raise SetAside(why)
    # A demonstration too: two processes that answer the same wishes would disclose twice what the policy allows once.
    claim = Claim(home(config), str(owner(config.name)))
    try:
        with notes.status("reading records"):
            folder = OwnerFolder.load(config, demonstration=demonstration)
        tell(folder.member.notes)
        with folder.open(demonstration=demonstration) as database, _logging(home(config)) as log:
            host = folder.host(database)
            with notes.status("reading the log"):
                _ = host.machine  # folded now, so that changed data is told before anything begins
            session = Session(folder, host, log, path, verdict)
            standing = session.look()
            if standing.agreed and standing.fingerprint != folder.encoder.fingerprint():
                raise SettingError(_CHANGED[0], hint=_CHANGED[1])
            yield session
    finally:
        claim.release()


def tell(remarks: Iterable[str]) -> None:
    """Print what whoever looks after the certificates should know."""
    for remark in remarks:
        notes.print(f"note: {remark}", markup=False, soft_wrap=True)


@contextmanager
def _logging(folder: Path) -> Iterator[Noted]:
    """Logs go to a file in the folder, so that the screen stays calm."""
    handlers = logging.getLogger().handlers
    with open(folder / LOG_NAME, "a", encoding="utf-8", opener=_private) as file:
        try:
            yield Noted(configure(file))
        finally:
            logging.getLogger().handlers = handlers


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
