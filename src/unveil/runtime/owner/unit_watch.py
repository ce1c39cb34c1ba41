"""Asks a unit for its status every few seconds, beside the work."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final

from unveil.errors import Closed, UnveilError
from unveil.transport.http.client import UnitClient
from unveil.transport.status import CLOSED, RecordUnitStatus, UnitStatus

PATIENCE: Final = 5.0  # seconds for a unit to answer such a question
_FIRST: Final = 0.2  # seconds before it is asked again; then twice as many each time


@dataclass(frozen=True, slots=True)
class SeenStatus:
    """A unit's status, and since when the unit can have known it (seconds of a clock that only goes forward)."""

    asked: float
    status: UnitStatus


class UnitWatch:
    """Holds what a unit said last; `failure` is why it says nothing now, None if it does."""

    def __init__(self, client: UnitClient, *, longest_pause: float) -> None:
        self.latest: SeenStatus | None = None
        self.failure: UnveilError | None = None
        self._client, self._longest_pause = client, longest_pause
        self._pause = _FIRST
        self._stop, self._wake = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="status of a unit", daemon=True)

    def ask(self) -> None:
        """Ask now, and wait for the answer. Before the watch was started: two answers may cross."""
        asked = time.monotonic()
        try:
            status = self._client.status()
        except Closed:
            status = RecordUnitStatus(state=CLOSED)
        except UnveilError as error:
            self.failure = error
            return
        self.failure, self.latest = None, SeenStatus(asked, status)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def ask_soon(self) -> None:
        """Ask at once and often for a while: something is about to change."""
        self._pause = _FIRST
        self._wake.set()

    def stop(self) -> None:
        """Ask no more. A question that is under way is not waited for."""
        self._stop.set()
        self._wake.set()

    def _run(self) -> None:
        with self._client:
            while not self._stop.is_set():
                self.ask()
                self._wake.wait(self._pause)
                self._wake.clear()
                self._pause = min(self._longest_pause, self._pause * 2)
