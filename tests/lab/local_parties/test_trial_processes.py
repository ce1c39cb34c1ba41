"""A party that cannot start, or dies, is told about at once; nothing hangs and nothing stays."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, cast

import pytest
from few_people import new_trial

from patience import PATIENCE, wait_until
from unveil.lab.local_parties.course import conduct
from unveil.lab.local_parties.processes import Processes, TrialError, ports_held
from unveil.protocol.roles import Role


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    """Another program may have taken the port since it was chosen."""
    trial = new_trial(tmp_path / "trial")
    port = int(trial.project().address(Role.REVIEW_UNIT).rsplit(":", 1)[1])
    with socket.create_server(("127.0.0.1", port)), Processes(trial) as processes:
        processes.start(["review-unit"])
        with pytest.raises(TrialError, match="the review unit ended with status 1") as caught:
            processes.wait_ready(["review-unit"], timeout=PATIENCE)
    assert f"cannot listen on 127.0.0.1:{port}" in str(caught.value.hint)


@pytest.mark.skipif(sys.platform != "linux", reason="ports are held on Linux alone")
def test_a_port_is_kept_for_a_unit_that_is_not_there() -> None:
    """While a unit is killed and started again, nobody else may come to listen at its port; the unit may, any time."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        place = chosen.getsockname()
    with ports_held([f"https://127.0.0.1:{place[1]}"]):
        for _ in range(2):
            with socket.socket() as other, pytest.raises(OSError, match="in use"):
                other.bind(place)
            with socket.create_server(place), socket.create_connection(place, timeout=PATIENCE):
                pass
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(place, timeout=PATIENCE)


def test_a_certificate_of_somebody_else_is_named(tmp_path: Path) -> None:
    """A unit with an owner's certificate is not the unit that the project file lists."""
    trial = new_trial(tmp_path / "trial")
    for ending in ("pem", "key"):
        shutil.copy(trial.root / "pki" / f"owner-a.{ending}", trial.root / "pki" / f"review-unit.{ending}")
    with Processes(trial) as processes:
        processes.start(["review-unit"])
        with pytest.raises(TrialError, match="the review unit ended with status 1") as caught:
            processes.wait_ready(["review-unit"], timeout=PATIENCE)
    assert "that of the owner a" in str(caught.value.hint)


def test_a_party_that_is_killed_is_told_about(tmp_path: Path) -> None:
    """Whoever waits for the end of a trial must not wait for a dead process."""
    with Processes(new_trial(tmp_path / "trial")) as processes:
        processes.start(["owner-a"])
        os.kill(processes.pid("owner-a"), signal.SIGKILL)
        wait_until(lambda: not processes.running(), "the owner has ended")
        with pytest.raises(TrialError, match="the owner a ended by signal 9"):
            _ = processes.through


def test_whoever_runs_a_trial_stops_everybody_when_told_to_stop(tmp_path: Path) -> None:
    """A trial that is ended from outside must not leave servers behind."""
    trial = new_trial(tmp_path / "trial")
    code = (
        "import sys, time; from pathlib import Path; from unveil.lab.local_parties.folder import Trial\n"
        "from unveil.lab.local_parties.processes import Processes\n"
        "with Processes(Trial(Path(sys.argv[1]))) as all:\n"
        "    all.start(['owner-a', 'owner-b'])\n"
        "    print(all.pid('owner-a'), all.pid('owner-b'), flush=True)\n"
        "    time.sleep(1000)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(trial.root)], stdout=subprocess.PIPE) as runner:
        assert runner.stdout is not None
        pids = [int(word) for word in runner.stdout.readline().split()]
        runner.terminate()
        assert 128 + signal.SIGTERM == runner.wait(PATIENCE)
    assert 2 == len(pids)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_trial_in_which_nothing_moves_ends() -> None:
    """Patience is bounded."""

    class Idle:
        through, given = False, 0

        def review(self) -> int:
            return 0

        def status(self) -> dict[str, Any]:
            return {}

    idle = cast("Any", Idle())
    alarm = threading.Timer(PATIENCE, lambda: setattr(Idle, "through", True))
    alarm.start()
    try:
        with pytest.raises(TrialError, match="nothing has moved"):
            conduct(idle, idle, idle, patience=0.2)
    finally:
        alarm.cancel()
