"""
Uploading: the owners' fingerprints are compared, then every record goes to the record unit, encoded as a whole.

It is done when the record unit has looked at the upload and can use it.
Once the owners agree nothing is fetched any more, so no wish is answered here: that is for `unveil owner run`.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from unveil.cli.owner.lines import count
from unveil.cli.owner.screen import Screen
from unveil.cli.owner.session import Session, Stop
from unveil.cli.owner.verdict import ProjectClosed, ask
from unveil.errors import Closed, ProtocolError, SettingError, StorageError, UnveilError
from unveil.protocol.roles import RECORD_UNIT
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER
from unveil.runtime.worker import Worker
from unveil.transport.failures import Busy, Refused, Unreachable
from unveil.transport.http.client import UnitClient

_WAIT: Final = 2  # seconds that the record unit may take before it says that there is nothing
_PAUSE: Final = 2.0  # seconds before an unreachable unit is called again
_TICK: Final = 0.2
_STALLED: Final = 5.0  # seconds without progress after which the record unit is asked whether it is there
_FINAL: Final = frozenset({"Rejected", "Conflict"})  # trying again would not help
_AWAY: Final = (Unreachable, Busy, Refused)
_NOT_TAKEN_HINT: Final = (
    "ask whoever runs the record unit, then run the same command again; `unveil owner status` tells more"
)

DIFFER: Final = "the owners' keys or parameters differ; nothing was uploaded"
DIFFER_HINT: Final = (
    "compare with the other owner, by telephone: `unveil key fingerprint` and the fingerprint of `unveil project show` "
    "must be the same; whoever has the wrong file replaces it, then both run the same command again"
)
WAITING: Final = "waiting for the other owner's fingerprint (unveil owner upload, over there)"
COMPARING: Final = "showing our fingerprint to the record unit"
SCREENING: Final = "waiting for the record unit to look at the records"


class Disagreement(UnveilError):
    """The owners do not share key and parameters."""

    def __init__(self) -> None:
        super().__init__(DIFFER, hint=DIFFER_HINT)


@dataclass
class Upload:
    """One upload, from wherever the last one stopped."""

    session: Session
    stop: Stop
    screen: Screen
    _seat: Worker = field(init=False)

    def work(self) -> bool:
        """Send what is not there yet; whether everything is there and usable, or the stop came first."""
        self._check()
        host, log = self.session.host, self.session.host.log
        host.advance()  # draws handles and shows the fingerprint, if that was not done
        if self.session.look().parts is not None and not log.outgoing(recipient=str(RECORD_UNIT), limit=1):
            return self._usable()
        self._seat = self.session.seat()
        self._seat.start()
        try:
            return self._agree(self._seat.clients[str(RECORD_UNIT)]) and self._send() and self._usable()
        finally:
            self._seat.stop()

    def _check(self) -> None:
        records, limits = len(self.session.folder.records), self.session.folder.member.project.limits
        if records > limits.records_per_owner:
            raise SettingError(
                f"{records:,} records, but the project takes {limits.records_per_owner:,} of each owner",
                hint="the limit stands in the project file, which all parties share",
            )

    def _agree(self, client: UnitClient) -> bool:
        """Wait until the owners' fingerprints were compared; Disagreement if they differ."""
        while not self.stop.wait(0):
            with suppress(*_AWAY):  # fetching meets it too, and says so
                self._hear_before(client)
            if self.session.look().agreed:
                return True
            delivered = not self.session.host.log.outgoing(recipient=str(RECORD_UNIT), limit=1)
            self.screen.phase(WAITING if delivered else COMPARING)
            if self._fetch(client):
                continue
            # An answer may be older than the fingerprint that it seems to be about, so one that says no counts only
            # if no other came after the fingerprint had arrived.
            if delivered and self.session.look().agreed is False:
                raise Disagreement
        return False

    def _hear_before(self, client: UnitClient) -> None:
        """Hear what the record unit says before it has anything of our upload."""
        word = ask(client, self.session.name)
        self.session.verdict.heed(word)
        if self.session.look().parts is None:
            self.session.verdict.before(word)

    def _heed(self, client: UnitClient) -> bool:
        """Whether the record unit can use our upload; SetAside or ProjectClosed if it never will."""
        return self.session.verdict.heed(ask(client, self.session.name))

    def _usable(self) -> bool:
        """Wait until the record unit has looked at the upload; SetAside if it is of no use."""
        standing = self.session.look()
        if standing.linked or standing.wished[ATTRIBUTE_LAYER].received:
            return True  # nobody wishes for anything in an upload that is set aside
        self.session.verdict.arrived()
        pause = _TICK
        with self.session.record_unit() as client:
            while True:
                try:
                    if self._heed(client):
                        return True
                    self.screen.reached(str(RECORD_UNIT))
                except _AWAY as error:
                    self.screen.trouble(str(RECORD_UNIT), error.message)
                self.screen.phase(SCREENING)
                if self.stop.wait(pause):
                    return False
                pause = min(_PAUSE, pause * 2)

    def _fetch(self, client: UnitClient) -> bool:
        """Fetch a message; whether there was one."""
        try:
            mail = client.mail(_WAIT)
            self.screen.reached(str(RECORD_UNIT))
            if mail is not None:
                self._keep(*mail)
                client.acknowledge(mail[0])
        except Closed:
            raise ProjectClosed from None
        except (*_AWAY, StorageError) as error:
            self.screen.trouble(str(RECORD_UNIT), error.message)
            self.stop.wait(_PAUSE)
            return True  # nothing is known about what waits there
        return mail is not None

    def _keep(self, message_id: str, frame: bytes) -> None:
        """Write a message down. One that breaks the protocol is dropped, so that it does not block."""
        try:
            self.session.host.take(RECORD_UNIT, message_id, frame)
        except Closed:
            raise
        except ProtocolError as error:
            self.session.log.warning("not taken", error=type(error).__name__)
        self._seat.wake()

    def _send(self) -> bool:
        """Wait until all parts have arrived."""
        standing, log = self.session.standing, self.session.host.log
        self.screen.phase(f"encoding {standing.records:,} records")
        while self.session.look().parts is None:
            if self.stop.wait(_TICK):
                return False
        assert standing.parts is not None
        self.screen.phase(f"sending {standing.records:,} records in {count(standing.parts, 'part')}")
        moved, before = time.monotonic(), -1
        with Bar(self.screen.console, standing.records or 0, standing.parts) as bar:
            while (done := standing.acknowledged(log)) < standing.parts:
                bar.reach(done)
                if done > before:
                    moved, before = time.monotonic(), done
                    self.screen.reached(str(RECORD_UNIT))
                elif time.monotonic() - moved > _STALLED:
                    self._ask_after()
                    moved = time.monotonic()
                if self.stop.wait(_TICK):
                    return False
        return True

    def _ask_after(self) -> None:
        """Find out why nothing arrives."""
        why = self.session.log.not_taken.get(str(RECORD_UNIT))
        if why is not None and why.kind == Closed.__name__:
            raise ProjectClosed
        if why is not None and why.kind in _FINAL:
            raise UnveilError(f"the record unit does not take the upload: {why}", hint=_NOT_TAKEN_HINT)
        try:
            self._heed(self._seat.clients[str(RECORD_UNIT)])
            self.screen.reached(str(RECORD_UNIT))
        except _AWAY as error:
            self.screen.trouble(str(RECORD_UNIT), error.message)


class Bar:
    """Parts that have arrived, and records per second, on a terminal."""

    def __init__(self, console: Console, records: int, parts: int) -> None:
        self._each, self._records = records / max(1, parts), records
        self._start, self._first = time.monotonic(), -1
        self._progress = Progress(
            TextColumn("{task.completed} of {task.total} parts"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=parts, speed="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def reach(self, done: int) -> None:
        """So many parts have arrived."""
        if self._first < 0:
            self._first = done
        speed = (done - self._first) * self._each / max(1e-3, time.monotonic() - self._start)
        self._progress.update(self._task, completed=done, speed=f"{speed:,.0f} records/s" if speed else "")
