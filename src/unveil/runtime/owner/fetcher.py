"""
The loop in which an owner fetches messages from units. It opens no port.

Every part may be interrupted at any moment, by a lost network or a killed process: what was fetched is acknowledged
only when it is in the log, and what is in the log is sent until it has arrived.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unveil.errors import Closed, ProtocolError, StorageError, TooEarly, UnveilError
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address
from unveil.roles.owner.machine import Owner
from unveil.runtime.host import Host
from unveil.runtime.worker import Worker
from unveil.transport.failures import Busy, LogSetBack, Refused, UnitSetBack, Unreachable
from unveil.transport.http.client import UnitClient


@dataclass(frozen=True, slots=True)
class FetchPace:
    """In seconds, how long a unit is waited for, and how long one that fails is left alone."""

    wait: int = 20  # until a unit without messages says so
    first_pause: float = 0.2  # after a failure, doubled each time
    longest_pause: float = 15.0


class Fetcher:
    """
    An owner at work on one project, until it is stopped. `Worker` decides and delivers; this fetches.

    It fetches from these units, each in a thread of its own, as long as `until` does not hold.
    """

    def __init__(
        self,
        worker: Worker,
        *,
        units: Sequence[Address] = (RECORD_UNIT, ATTRIBUTE_UNIT),
        until: Callable[[], bool] = lambda: False,
        pace: FetchPace | None = None,
        on_refusal: Callable[[ProtocolError], object] = lambda _: None,
    ) -> None:
        self._worker, self._until, self._on_refusal = worker, until, on_refusal
        self._pace = pace or FetchPace()
        self._stop = threading.Event()
        self._keeping = threading.Lock()
        self._threads = [
            threading.Thread(target=self._fetch, args=(unit, worker.clients[str(unit)]), daemon=True) for unit in units
        ]
        self._found_empty: dict[Address, float] = {}
        self.failures: dict[str, UnveilError] = {}  # by unit, why it does not answer; empty if it does

    @property
    def host(self) -> Host[Owner]:
        """The owner's machine and its log."""
        return self._worker.host

    def start(self) -> None:
        """Begin to fetch, decide and send."""
        self._worker.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Finish what is at work; once this returns, nothing more is written down."""
        with self._keeping:
            self._stop.set()
        self._worker.stop()

    @property
    def sent(self) -> bool:
        """Whether everything that was decided has arrived."""
        return not self.host.log.outgoing(limit=1)

    @property
    def halted(self) -> UnveilError | None:
        """Why the owner goes no further, if it does not: its log was set back."""
        return self._worker.halted

    @property
    def finished(self) -> bool:
        """Whether the links have come."""
        return self.host.look(lambda owner: owner.linked) and self.sent

    def found_empty(self, unit: Address) -> float:
        """When the last call of that unit began that found no message (time.monotonic); below 0: none did yet."""
        return self._found_empty.get(unit, -1.0)

    def _fetch(self, unit: Address, client: UnitClient) -> None:
        pause = self._pace.first_pause
        while not self._stop.is_set():
            try:
                if self._until():
                    return
                began = time.monotonic()
                mail = client.mail(self._pace.wait)
                self.failures.pop(str(unit), None)
                if mail is None:
                    self._found_empty[unit] = began
                elif self._keep(unit, *mail):
                    heard = client.acknowledge(mail[0])
                    if heard is not None:
                        self.host.log.note(str(unit), heard)
                pause = self._pace.first_pause
            except LogSetBack as error:
                self._worker.halt(error)
                return
            except (Unreachable, Busy, Refused, StorageError, Closed, TooEarly, UnitSetBack) as error:
                self.failures[str(unit)] = error
                self._stop.wait(pause)
                pause = min(self._pace.longest_pause, pause * 2)

    def _keep(self, unit: Address, message_id: str, frame: bytes) -> bool:
        """
        Write a message down, unless the owner has stopped; whether it was.

        One that breaks the protocol is dropped: it is not answered, and does not block those behind it.
        """
        with self._keeping:
            if self._stop.is_set():
                return False
            try:
                self.host.take(unit, message_id, frame)
            except Closed:
                raise
            except ProtocolError as error:
                self._on_refusal(error)
        self._worker.wake()
        return True
