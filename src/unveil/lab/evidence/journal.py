"""
Finished pieces of an evidence run, each a file in the folder of the run, named by a hash of what decides its result.

A run that was interrupted computes only what is not there. A file is written whole or not at all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from unveil.errors import SettingError
from unveil.files.atomic import replacing

_FOLDER: Final = "pieces"


class FinishedPieces:
    """What is finished in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingError(f"{folder}: cannot be written: {error.strerror}") from None

    def __contains__(self, key: str) -> bool:
        return self.read(key) is not None

    def read(self, key: str) -> dict[str, Any] | None:
        """The result kept under that key; None if there is none, or none that can be read."""
        try:
            found = json.loads((self._folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def keep(self, key: str, result: dict[str, Any]) -> None:
        """Keep a result."""
        with replacing(self._folder / f"{key}.json") as temporary:
            temporary.write_text(json.dumps(result, indent=1), encoding="utf-8")
