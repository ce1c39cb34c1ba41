"""What an erasure leaves in the database's files for a moment, and its removal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from unveil.errors import StorageError
from unveil.storage.backend import Backend

#: After each removal that nobody waits for, none for so many times as long as it took: it never slows work by much.
_REST: Final = 100


class Residue:
    """
    Remembers that erased bytes may still lie in the database's files, and removes them as soon as it can.

    A deleted row's bytes stay in SQLite's write-ahead log until a checkpoint, which another process that reads at that
    moment can hold up. So it is tried after every erasure, and again with every entry, delivery or look into an empty
    outbox until it succeeds.
    """

    def __init__(self, backend: Backend, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._backend, self._clock = backend, clock
        self._left = threading.Event()
        self._retrying = threading.Lock()
        self._rest_until = clock()

    @property
    def left(self) -> bool:
        """Whether erased bytes may still lie in the files."""
        return self._left.is_set()

    def remove(self, *, thorough: bool = False, patient: bool = True) -> None:
        """
        Remove it now if that is possible, else soon.

        Raises nothing: the erasure is done and durable, and an error here would read as if it were not.
        """
        # Cleared before, not after: what another thread erases meanwhile sets it again, and is not forgotten.
        self._left.clear()
        removed = False
        try:
            with suppress(StorageError):
                removed = self._backend.scrub(thorough=thorough, patient=patient)
        finally:
            if not removed:
                self._left.set()

    def leave(self) -> None:
        """Something was erased that need not be gone this very moment: deliveries come by the hundred."""
        self._left.set()
        self.retry()

    def retry(self) -> None:
        """Remove what is left, if there is anything, the last removal was not just now, and none is at work."""
        if not self.left or self._clock() < self._rest_until or not self._retrying.acquire(blocking=False):
            return
        try:
            began = self._clock()
            self.remove(patient=False)  # nobody must wait for a reader
            ended = self._clock()
            self._rest_until = ended + _REST * (ended - began)
        finally:
            self._retrying.release()
