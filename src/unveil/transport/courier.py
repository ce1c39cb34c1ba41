"""
Delivers outgoing messages: for each recipient in order, again and again until they have arrived.

A message that was sent may have arrived although no answer came back; it is sent again under the same id, and the
recipient takes it once. Each recipient has a courier of its own, so that one that is away holds up nobody else.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from unveil.errors import Closed, Conflict, StorageError, TooEarly, UnveilError
from unveil.transport.failures import Busy, LogSetBack, Refused, Rejected, UnitSetBack, Unreachable
from unveil.transport.logs import Log


class Parcel(Protocol):
    """A message on its way out."""

    @property
    def message_id(self) -> str:
        """Its id, chosen once."""
        ...

    @property
    def body(self) -> bytes:
        """The message as bytes."""
        ...


class Outbox(Protocol):
    """Where outgoing messages wait; a project's log has these two functions."""

    def outgoing(self, *, recipient: str, limit: int = 1) -> Sequence[Parcel]:
        """What has not been delivered to this recipient, oldest first."""
        ...

    def delivered(self, message_id: str, *, recipient: str, heard: bytes | None = None) -> None:
        """It has arrived; `heard` is the head of the recipient's log, if it told that."""
        ...


class Recipient(Protocol):
    """Whom a courier calls; a UnitClient."""

    def put(self, message_id: str, frame: bytes) -> bytes | None:
        """Hand a message in; the head of the recipient's log, if it tells that."""
        ...


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: between looks into an empty outbox; the first pause after a failure, doubled each time; the longest."""

    idle: float = 0.05
    first: float = 0.05
    longest: float = 30.0
    longest_early: float = 1.0  # what is missing comes from another party, mostly soon


Report = Callable[[str, str, UnveilError], None]  # recipient, message id, why it was not taken
_AFTER_A_DEFECT: Final = 30.0  # seconds
_RETRIED: Final = (Unreachable, Busy, TooEarly, StorageError)


class Courier:
    """
    Delivers to one recipient; while it is `held`, which is asked before each message, it delivers nothing.

    A message that the recipient does not take (Rejected, Conflict, Closed, Refused), and one that cannot be sent since
    either log was set back, is reported once and tried again at the longest pause, since a person may mend the cause;
    those behind it wait, for they may build on it. So is one that cannot be read from the outbox, at the usual pauses.
    """

    def __init__(
        self,
        outbox: Outbox,
        recipient: str,
        unit: Recipient,
        *,
        report: Report,
        rng: random.Random,
        pace: Pace | None = None,
        held: Callable[[], bool] = lambda: False,
    ) -> None:
        self._held = held
        self._outbox, self.recipient, self._unit = outbox, recipient, unit
        self._report, self._rng, self._pace = report, rng, pace or Pace()
        self._failures = 0
        self._reported = ""

    def step(self) -> float:
        """Try to deliver the oldest message; the seconds to pause before the next step."""
        message_id = ""
        if self._held():
            return self._pace.idle
        try:
            waiting = self._outbox.outgoing(recipient=self.recipient, limit=1)
            if not waiting:
                return self._pace.idle
            message_id = waiting[0].message_id
            heard = self._unit.put(message_id, waiting[0].body)
            self._outbox.delivered(message_id, recipient=self.recipient, heard=heard)
        except _RETRIED as error:
            if isinstance(error, StorageError) and not self._failures:
                self._report(
                    self.recipient, message_id, error
                )  # a damaged message waits for ever: somebody should know
            return self._pause(self._pace.longest_early if isinstance(error, TooEarly) else self._pace.longest)
        except (Rejected, Conflict, Closed, Refused, LogSetBack, UnitSetBack) as error:
            if self._reported != message_id:
                self._reported = message_id
                self._report(self.recipient, message_id, error)
            return self._pace.longest
        self._failures = 0
        return 0.0

    def run(self, stop: threading.Event, wait: Callable[[float], object] | None = None) -> None:
        """Deliver until told to stop; nothing is sent after that. `wait` pauses, and may return early."""
        pause = wait or stop.wait
        while not stop.is_set():
            seconds = self.step()
            if seconds > 0:
                pause(seconds)

    def _pause(self, longest: float) -> float:
        """
        Seconds to pause: first · 2^failures, at most the longest.

        Of that a random half to whole, so that parties do not keep step.
        """
        whole = min(longest, self._pace.first * 2 ** min(self._failures, 32))
        self._failures += 1
        return whole * self._rng.uniform(0.5, 1.0)


class Couriers:
    """Couriers at work, each in a thread of its own."""

    def __init__(self, couriers: Sequence[Courier], *, log: Log) -> None:
        self._log = log
        self._stop = threading.Event()
        self._woken = {courier.recipient: threading.Event() for courier in couriers}
        self._threads = [
            threading.Thread(target=self._run, args=(courier,), name=f"courier to {courier.recipient}", daemon=True)
            for courier in couriers
        ]

    def start(self) -> None:
        """Begin to deliver."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """There may be new messages: look now rather than after the pause."""
        for event in self._woken.values():
            event.set()

    def halt(self) -> None:
        """Send nothing any more; a call that is under way is not waited for."""
        self._stop.set()
        self.wake()

    def stop(self, timeout: float = 60.0) -> None:
        """Let each courier finish the call it is in, and no other."""
        self.halt()
        for thread in self._threads:
            thread.join(timeout)

    def _run(self, courier: Courier) -> None:
        woken = self._woken[courier.recipient]

        def wait(seconds: float) -> None:
            if woken.wait(seconds):
                woken.clear()

        while not self._stop.is_set():
            try:
                courier.run(self._stop, wait)
            except Exception as error:  # noqa: BLE001 - a thread that dies prints a traceback, and delivers no more
                self._log.error("courier failed", recipient=courier.recipient, error=type(error).__name__)
                wait(_AFTER_A_DEFECT)
