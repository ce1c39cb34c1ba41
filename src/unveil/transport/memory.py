"""
The in-memory transport: every message is written to bytes and read back, as it would be between machines.

Delivery is first in, first out, so the same seeds give the same run.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping

from unveil.protocol.codec import decode, encode
from unveil.protocol.flows import Envelope, check_outgoing
from unveil.protocol.machine import Machine, receive
from unveil.protocol.roles import Address

Tap = Callable[[Address, Address, bytes], None]


class MemoryNetwork:
    """Delivers messages between machines in one process, and counts them."""

    def __init__(self, machines: Mapping[Address, Machine], *, tap: Tap | None = None) -> None:
        self._machines = dict(machines)
        self._queue: deque[tuple[Address, Address, bytes]] = deque()
        self._tap = tap
        self.messages: Counter[tuple[str, str, str]] = Counter()  # (sender role, recipient role, kind)
        self.bytes: Counter[tuple[str, str, str]] = Counter()

    def send(self, envelopes: Iterable[Envelope]) -> None:
        """Put messages on the wire."""
        for envelope in envelopes:
            check_outgoing(envelope)
            frame = encode(envelope.message)
            flow = (envelope.sender.role.value, envelope.recipient.role.value, type(envelope.message).__name__)
            self.messages[flow] += 1
            self.bytes[flow] += len(frame)
            if self._tap is not None:
                self._tap(envelope.sender, envelope.recipient, frame)
            self._queue.append((envelope.sender, envelope.recipient, frame))

    def deliver(self) -> Envelope | None:
        """Deliver the oldest message and send what its recipient answers; None if nothing is on the wire."""
        if not self._queue:
            return None
        sender, recipient, frame = self._queue.popleft()
        envelope = Envelope(sender, recipient, decode(frame))
        self.send(receive(self._machines[recipient], envelope))
        return envelope
