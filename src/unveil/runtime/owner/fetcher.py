"""
What an owner does: it fetches wishes, decides about them, and sends answers. It opens no port.

Every part may be interrupted at any moment, by a lost network or a killed process: what was fetched is acknowledged
only when it is in the log, and what is in the log is sent until it has arrived.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from unveil.errors import Closed, ProtocolError, StorageError
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address
from unveil.roles.owner.machine import Owner
from unveil.runtime.host import Host
from unveil.runtime.worker import Worker
from unveil.transport.failures import Busy, Refused, Unreachable
from unveil.transport.http.client import UnitClient

_WAIT: Final = 20  # seconds that a unit may take before it says that there is nothing
_FIRST_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 15.0


class Fetcher:
    """An owner at work on one project, until it is stopped. `Worker` decides and delivers; this fetches."""

    def __init__(self, seat: Worker, *, on_refusal: Callable[[ProtocolError], object] = lambda _: None) -> None:
        self._seat, self._on_refusal = seat, on_refusal
        self._stop = threading.Event()
        self._keeping = threading.Lock()
        self._threads = [
            threading.Thread(target=self._fetch, args=(unit, seat.clients[str(unit)]), daemon=True)
            for unit in (RECORD_UNIT, ATTRIBUTE_UNIT)
        ]
        self.unreachable: dict[str, str] = {}  # by unit, why it does not answer; empty if it does

    @property
    def host(self) -> Host[Owner]:
        """The owner's machine and its log."""
        return self._seat.host

    def start(self) -> None:
        """Begin to fetch, decide and send."""
        self._seat.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Finish what is at work; once this returns, nothing more is written down."""
        with self._keeping:
            self._stop.set()
        self._seat.stop()

    @property
    def sent(self) -> bool:
        """Whether everything that was decided has arrived."""
        return not self.host.log.outgoing(limit=1)

    @property
    def finished(self) -> bool:
        """Whether the links have come."""
        return self.host.look(lambda owner: bool(owner.link_ids)) and self.sent

    def _fetch(self, unit: Address, client: UnitClient) -> None:
        pause = _FIRST_PAUSE
        while not self._stop.is_set():
            try:
                mail = client.mail(_WAIT)
                self.unreachable.pop(str(unit), None)
                if mail is not None and self._keep(unit, *mail):
                    client.acknowledge(mail[0])
                pause = _FIRST_PAUSE
            except (Unreachable, Busy, Refused, StorageError, Closed) as error:
                self.unreachable[str(unit)] = error.message
                self._stop.wait(pause)
                pause = min(_LONGEST_PAUSE, pause * 2)

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
        self._seat.wake()
        return True
