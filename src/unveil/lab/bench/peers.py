"""
The tools that people use today, run in an interpreter of their own: they need older libraries than we do.

The programs that call them are no part of the package. They lie in the repository, in `benchmarks/peers`.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_PATIENCE: Final = 900  # seconds


@dataclass(frozen=True, slots=True)
class Peers:
    """The Python that has the peers, and the folder with the programs that it runs; either may be missing."""

    python: Path
    programs: Path

    def obstacle(self, tool: str, program: str) -> str | None:
        """What to do before that program can call the tool; None if nothing stands in the way."""
        if not (self.programs / program).is_file():
            return f"comparing with {tool} needs the repository of Unveil: there is no {self.programs / program}"
        if not self.python.exists():
            return f"make bench installs {tool} in .venv-peers"
        return None

    def run(self, program: str, *arguments: object) -> Any | None:
        """What the program printed as JSON; None if it is not there or failed."""
        if not self.python.exists():
            return None
        command = [str(self.python), str(self.programs / program), *map(str, arguments)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PATIENCE)  # noqa: S603 - our own program
        except (OSError, subprocess.SubprocessError):
            return None
        return json.loads(done.stdout)
