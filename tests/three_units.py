"""
The three units of a folder in one process, each with a thread, a server and a database of its own, until it is killed.

    python three_units.py FOLDER WAIT [demonstration]

WAIT is the longest wait for mail in seconds. A unit that listens says so in FOLDER/UNIT.ready; if one of them ends, all
of them do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import traceback
from functools import partial
from pathlib import Path

import unveil.runtime.serve
from patience import wait_until
from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Role
from unveil.runtime.serve import serve_unit
from unveil.transport.http.limits import LONGEST_WAIT, RequestLimits
from unveil.transport.http.server import ready_file


def start_units(root: Path, *, wait_s: float = LONGEST_WAIT, demonstration: bool = False) -> subprocess.Popen[bytes]:
    """Start the units and wait until they listen. What they write is in FOLDER/units.log."""
    ready = [root / f"{name}.ready" for name in UNIT_FOLDERS]
    for path in ready:
        path.unlink(missing_ok=True)
    words = [sys.executable, __file__, str(root), str(wait_s), *["demonstration"] * demonstration]
    log = root / "units.log"
    with log.open("ab") as file:
        process = subprocess.Popen(words, stdout=file, stderr=file)
    try:
        wait_until(lambda: process.poll() is not None or all(path.exists() for path in ready), "the units listen")
        assert process.poll() is None, log.read_text(encoding="utf-8")[-2000:]
    except BaseException:
        process.kill()
        process.wait()
        raise
    return process


def _serve_all(root: Path, *, wait_s: float, demonstration: bool) -> None:
    unveil.runtime.serve.RequestLimits = partial(RequestLimits, wait_s=wait_s)  # type: ignore[attr-defined, assignment]
    for name, role in UNIT_FOLDERS.items():
        arguments = (root, name, role, demonstration)
        threading.Thread(target=_serve, args=arguments, daemon=True).start()
    threading.Event().wait()


def _serve(root: Path, name: str, role: Role, demonstration: bool) -> None:  # noqa: FBT001 - a thread's argument
    try:
        config = UnitConfig.load(root / name / "unit.toml", demonstration=demonstration)
        serve_unit(role, config, demonstration=demonstration, on_ready=ready_file(root / f"{name}.ready"))
    except BaseException:  # noqa: BLE001 - whatever it is, the test is told
        traceback.print_exc()
    os._exit(1)


if __name__ == "__main__":
    _serve_all(Path(sys.argv[1]), wait_s=float(sys.argv[2]), demonstration="demonstration" in sys.argv[3:])
