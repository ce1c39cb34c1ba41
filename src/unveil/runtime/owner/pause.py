"""
A person's stop to everything that leaves, until it is lifted.

It is a file in the owner's folder, so that it outlasts every process and holds for one that runs already. Whoever sends
looks at it before each decision and each message: once it is there nothing begins to leave, and a message that is on
its way is the last. Wishes are fetched all the same, and wait.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from unveil.errors import UnveilError
from unveil.files.atomic import replacing

FILE_NAME: Final = "paused"


class Paused(UnveilError):
    """Work that sends cannot go on while nothing may leave."""

    def __init__(self) -> None:
        super().__init__("paused: nothing leaves", hint="unveil owner resume goes on; then run the same command again")


class Pause:
    """The stop in one owner's folder."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE_NAME

    def begin(self, now: float) -> None:
        """Stop; it is on the disk on return. A stop that is there already stays, with its time."""
        if not self.is_on():
            with replacing(self._path) as temporary:
                temporary.write_text(f"{now:.0f}\n", encoding="ascii")

    def end(self) -> None:
        """Go on."""
        self._path.unlink(missing_ok=True)

    def is_on(self) -> bool:
        """Whether nothing may leave."""
        try:
            os.lstat(self._path)
        except FileNotFoundError:
            return False
        except OSError:  # whoever cannot tell sends nothing
            return True
        return True

    @property
    def since(self) -> float | None:
        """When it began (Unix time), None if it did not; 0 if nobody can tell when."""
        if not self.is_on():
            return None
        try:
            return float(self._path.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0.0
