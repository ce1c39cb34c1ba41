"""The wish that work end, as whoever works waits on it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from unveil.errors import UnveilError


class StopFlag:
    """Set by whoever wants the work to end, or by a thread that failed."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._failure = ""

    def set(self) -> None:
        """Work is to end soon. Safe to call from a signal handler."""
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Pause; whether work is to end. Raises if a thread failed, which nobody else would notice."""
        ended = self._event.wait(seconds)
        if self._failure:
            raise UnveilError(
                f"an unexpected {self._failure} ended the work; nothing is lost", hint="the same command goes on"
            )
        return ended

    @contextmanager
    def during_work(self) -> Iterator[None]:
        """Around the work: within it, a thread that fails sets the flag instead of printing what it held."""
        before = threading.excepthook
        threading.excepthook = self._failed
        try:
            yield
        finally:
            threading.excepthook = before

    def _failed(self, event: threading.ExceptHookArgs) -> None:
        # Only the kind: the text of an exception may quote what was being worked on.
        self._failure = event.exc_type.__name__
        self._event.set()
