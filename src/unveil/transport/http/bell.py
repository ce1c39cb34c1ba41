"""Wakes long polls: rung by project, from any thread, when there may be new mail."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Bell:
    """Whoever waits for mail listens to it; whoever may have caused mail rings it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}
        self.closed = False

    def ring(self, project: str) -> None:
        """Wake those who wait for mail of this project."""
        with self._lock:
            self._wake(self._listeners.get(project, set()))

    def close(self) -> None:
        """Wake everybody for good: the unit is stopping."""
        with self._lock:
            self.closed = True
            for listeners in self._listeners.values():
                self._wake(listeners)

    @contextmanager
    def listening(self, project: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the bell rings for this project. Listen first, then look for mail."""
        entry = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._listeners.setdefault(project, set()).add(entry)
        try:
            yield entry[1]
        finally:
            with self._lock:
                self._listeners[project].discard(entry)
                if not self._listeners[project]:
                    del self._listeners[project]

    @staticmethod
    def _wake(listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
        for loop, event in listeners:
            loop.call_soon_threadsafe(event.set)
