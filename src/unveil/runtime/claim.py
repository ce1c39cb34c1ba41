"""A data folder belongs to one party, and one process uses it at a time: two would decide against each other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from unveil.errors import ClaimedError, StorageError

_MARK: Final = "claimed-by-"


class Claim:
    """A folder, held until it is let go or the process ends, however it ends."""

    def __init__(self, folder: Path, party: str, *, demonstration: bool = False) -> None:
        own = _MARK + party.replace(" ", "-")
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            others = sorted(path.name for path in folder.glob(f"{_MARK}*") if path.name != own)
            if others and not demonstration:
                raise ClaimedError(
                    f"{folder}: claimed by {others[0].removeprefix(_MARK)}, this is {party}",
                    hint="give every party a data folder of its own; only a demonstration may share one",
                )
            self._handle = os.open(folder / own, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            hint = "the folder must be writable by this user"
            raise StorageError(f"{folder}: cannot be used: {error.strerror}", hint=hint) from None
        try:
            self._lock(folder)
        except BaseException:
            os.close(self._handle)
            raise

    def release(self) -> None:
        """Let go of the folder."""
        os.close(self._handle)

    def _lock(self, folder: Path) -> None:
        try:
            import fcntl
        except ImportError:  # a system without such locks
            return
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            hint = "end that process first"
            raise ClaimedError(f"{folder}: another process is at work with it", hint=hint) from None
