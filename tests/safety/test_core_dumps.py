"""Processes that hold keys or values leave no core dump: asked of processes that run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")]

#: Tells whether the kernel would dump the process (PR_GET_DUMPABLE), then waits to be looked at.
WAIT = """
import ctypes, sys
def wait(*_):
    print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), flush=True)
    sys.stdin.read()
"""
COMMAND = f"""{WAIT}
from unveil import cli
from unveil.cli import commands
commands.register = wait
cli.main()
"""
OWNER = f"""{WAIT}
from unveil.lab.local_parties import owner_process
owner_process.work = wait
sys.argv = ["owner", "folder"]
owner_process.main()
"""


@pytest.mark.parametrize("script", [COMMAND, OWNER], ids=["unveil", "an owner of a trial"])
def test_a_live_process_would_not_be_dumped(script: str) -> None:
    """Both limits are 0, the one that it could raise again too; and the kernel has it marked."""
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"0\n" == process.stdout.readline()
        limits = Path(f"/proc/{process.pid}/limits").read_text(encoding="ascii").splitlines()
        process.kill()
    core = next(line for line in limits if line.startswith("Max core file size"))
    assert ["0", "0"] == core.split()[4:6]


def test_the_kernel_says_that_the_process_is_not_dumpable() -> None:
    """PR_GET_DUMPABLE, asked by the process itself; a control asks before."""
    script = (
        "import ctypes\n"
        "from unveil.safety.core_dumps import turn_off_core_dumps\n"
        "asked = lambda: ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)\n"
        "before = asked(); turn_off_core_dumps(); print(before, asked())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "1 0\n" == done.stdout
