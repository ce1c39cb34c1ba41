"""How much of anything a unit allows: bytes, counts and seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FRAME: Final = "application/octet-stream"
TEXT: Final = "application/json"

LONGEST_WAIT: Final = 30  # seconds of a long poll
WEIGHT_OF_HEADER: Final = 64  # bytes that every header weighs besides its text, for it is held as objects


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Bytes, counts and seconds that a unit allows."""

    frame: int = 8 << 20
    text: int = 64 << 10
    depth: int = 8
    headers: int = 16 << 10
    query: int = 1 << 10
    token: int = 512
    requests: int = 32  # at work at the same time, each holding at most one body
    polls: int = 256  # waiting for mail at the same time
    connections: int = 512
    threads: int = 16
    receive_s: float = 60.0  # from the first byte of a request to its last
    wait_s: float = LONGEST_WAIT  # a long poll is answered after this, even if its caller would wait longer
    poll_s: float = 0.05  # a long poll looks again after this, should nothing have woken it


class Unacceptable(Exception):
    """A request that is answered with this status and problem."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status, self.problem = status, problem


def weight(name: bytes, value: bytes) -> int:
    """The bytes that a header counts."""
    return len(name) + len(value) + WEIGHT_OF_HEADER
