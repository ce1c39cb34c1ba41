"""The three units of a trial in one process, until it is killed: python three_units.py FOLDER."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from unveil.party.serve import serve_unit
from unveil.projects.unit_config import UnitConfig
from unveil.transport.server import ready_file
from unveil.trial.folder import UNITS, Trial


def serve_all(root: Path) -> None:
    """Each unit has a thread, a server and a database of its own."""
    trial = Trial(root)
    for name, role in UNITS.items():
        config = UnitConfig.load(trial.config(name), demonstration=True)
        options = {"demonstration": True, "on_ready": ready_file(root / f"{name}.ready")}
        threading.Thread(target=serve_unit, args=(role, config), kwargs=options, daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    serve_all(Path(sys.argv[1]))
