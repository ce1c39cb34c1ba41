"""What an erasure leaves in the database's files for a moment, and its removal."""

from __future__ import annotations

import threading
from contextlib import suppress

from unveil.errors import StorageError
from unveil.storage.backend import Backend


class Residue:
    """
    Remembers that erased bytes may still lie in the database's files, and removes them as soon as it can.

    A deleted row's bytes stay in SQLite's write-ahead log until a checkpoint, which another process that reads at that
    moment can hold up. So it is tried after every erasure, and again with every entry until it succeeds.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._left = threading.Event()

    @property
    def left(self) -> bool:
        """Whether erased bytes may still lie in the files."""
        return self._left.is_set()

    def remove(self, *, thorough: bool = False, patient: bool = True) -> None:
        """
        Remove it now if that is possible, else with the next entry.

        Raises nothing: the erasure is done and durable, and an error here would read as if it were not.
        """
        self._left.set()
        with suppress(StorageError):
            if self._backend.scrub(thorough=thorough, patient=patient):
                self._left.clear()

    def retry(self) -> None:
        """Try once more, if there is something to remove."""
        if self.left:
            self.remove(patient=False)  # an entry must not wait for a reader
