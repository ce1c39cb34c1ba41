"""An end to what somebody else may take too long over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Deadline:
    """Calls a function after so many seconds, unless stopped before."""

    def __init__(self, missed: Callable[[], object], seconds: float) -> None:
        self._missed, self._seconds = missed, seconds
        self._timer: asyncio.TimerHandle | None = None

    @property
    def running(self) -> bool:
        """Whether it was started and not stopped since."""
        return self._timer is not None

    def start(self) -> None:
        """Begin, or begin anew."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._missed)

    def stop(self) -> None:
        """It was in time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
