"""A data folder belongs to one party, and one process uses it at a time: two would decide against each other."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from unveil.errors import ClaimedError, StorageError

_MARK: Final = "claimed-by-"
_TRIES: Final = 5  # whoever only asks whether a folder is held holds it for a moment too
_PAUSE: Final = 0.05  # seconds


class Claim:
    """A folder, held until it is let go or the process ends, however it ends."""

    def __init__(self, folder: Path, party: str, *, demonstration: bool = False) -> None:
        own = _mark(party)
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
        for left in reversed(range(_TRIES)):
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if not left:
                    hint = "end that process first"
                    raise ClaimedError(f"{folder}: another process is at work with it", hint=hint) from None
                time.sleep(_PAUSE)
            else:
                return


def is_held(folder: Path, party: str) -> bool | None:
    """Whether a process is at work with the folder; None if this system cannot tell."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        handle = os.open(folder / _mark(party), os.O_RDWR)
    except OSError:  # nobody ever was
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _mark(party: str) -> str:
    return _MARK + party.replace(" ", "-")
