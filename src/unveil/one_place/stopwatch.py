"""Seconds per stage of a linkage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Stopwatch:
    """Seconds per stage, by a clock that is handed in."""

    clock: Callable[[], float]
    timings: dict[str, float]
    _last: float

    @classmethod
    def start(cls, clock: Callable[[], float]) -> Stopwatch:
        """A stopwatch that runs from now on."""
        return cls(clock, {}, clock())

    def lap(self, stage: str) -> None:
        """The time since the last lap belongs to this stage."""
        now = self.clock()
        self.timings[stage] = self.timings.get(stage, 0.0) + now - self._last
        self._last = now
