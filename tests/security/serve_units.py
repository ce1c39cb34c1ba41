"""
The units of a folder in one process, each with a server and a thread of its own: python serve_units.py FOLDER WAIT

WAIT is the longest wait for mail in seconds.
"""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path

import unveil.party.serve
from unveil.party.serve import serve_unit
from unveil.projects.unit_config import UnitConfig
from unveil.transport.limits import Limits
from unveil.transport.server import ready_file
from unveil.trial.folder import UNITS


def serve_all(root: Path, wait_s: float) -> None:
    """Serve until killed."""
    unveil.party.serve.Limits = partial(Limits, wait_s=wait_s)  # type: ignore[attr-defined, assignment]
    for name, role in UNITS.items():
        config = UnitConfig.load(root / name / "unit.toml")
        options = {"demonstration": False, "on_ready": ready_file(root / f"{name}.ready")}
        threading.Thread(target=serve_unit, args=(role, config), kwargs=options, daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    serve_all(Path(sys.argv[1]), float(sys.argv[2]))
