"""Ctrl-C and SIGTERM in a terminal: they ask the work to end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from unveil.runtime.owner.stop import StopFlag

_SIGNALLED: Final = 128  # a process that a signal ended exits with 128 and the signal's number


class TerminalStop(StopFlag):
    """Set by the first signal during work. A second one ends the process at once, which is safe too."""

    def __init__(self) -> None:
        super().__init__()
        self._signal = 0

    @property
    def exit_code(self) -> int:
        """What the process ends with when it was told to stop."""
        return _SIGNALLED + self._signal

    def interrupt(self, number: int) -> None:
        """A signal asks for the end."""
        self._signal = number
        self.set()

    @contextmanager
    def during_work(self) -> Iterator[None]:
        """Around the work: within it, Ctrl-C and SIGTERM set the flag instead of breaking off."""
        before = {}
        with super().during_work():
            with suppress(ValueError):  # not in the main thread, where signals cannot be caught
                for number in (signal.SIGINT, signal.SIGTERM):
                    before[number] = signal.signal(number, self._caught)
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    def _caught(self, number: int, _frame: FrameType | None) -> None:
        self.interrupt(number)
        signal.signal(number, signal.default_int_handler)
