"""The review unit's pages as `unveil serve` gives them: an invited reviewer stays logged in when the unit is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from two_projects import TwoProjects, make

from patience import PATIENCE
from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.transport.http.tls import client_context

UNIT = "review-unit"


@contextmanager
def serving(folder: TwoProjects, ready: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The unit as a process, listening."""
    ready.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "unveil",
        "serve",
        UNIT,
        "--config",
        str(folder.config(UNIT)),
        "--ready",
        str(ready),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + PATIENCE
        while not ready.exists():
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


def test_an_invited_reviewer_logs_in_and_stays_so_after_kill_nine(tmp_path: Path) -> None:
    """Two projects at one unit: the person sees their own alone; the command writes the link to a private file."""
    (tmp_path / "parties").mkdir()
    folder, ready, link = make(tmp_path / "parties"), tmp_path / "ready", tmp_path / "ann.link"
    address = folder.project("alpha").address(UNIT_FOLDERS[UNIT])
    invite = [sys.executable, "-m", "unveil", "reviewer", "invite", "ann", "--config", str(folder.config(UNIT)),
              "--project", "alpha", "--url", address, "--out", str(link)]  # fmt: skip
    origin = {"origin": address}
    with httpx.Client(
        base_url=address, verify=client_context(folder.credentials("alpha-north")), trust_env=False
    ) as me:
        with serving(folder, ready) as process:
            done = subprocess.run(invite, capture_output=True, text=True, check=True)
            assert 0o600 == link.stat().st_mode & 0o777
            secret = link.read_text(encoding="utf-8").strip().rpartition("#")[2]
            assert secret not in done.stdout + done.stderr
            form = {"invitation": secret, "password": "a sentence is easy to keep"}
            assert 303 == me.post("/review/join", data=form, headers=origin).status_code
            page = me.get("/review").text
            assert "alpha" in page
            assert "beta" not in page
            process.send_signal(signal.SIGKILL)
        with serving(folder, ready):
            mark = me.get("/review").text.split('name="unveil-mark" content="')[1].split('"')[0]
            answer = me.post("/review/step", json={"do": "view"}, headers={**origin, "unveil-mark": mark})
            assert (200, "practice begins") == (answer.status_code, answer.json()["stage"])
            listed = subprocess.run(
                [sys.executable, "-m", "unveil", "reviewer", "list", "--config", str(folder.config(UNIT))],
                capture_output=True, text=True, check=True,
            ).stdout  # fmt: skip
            number, *_ = next(line for line in listed.splitlines() if "ann" in line).split()
            assert "joined" in listed
            remove = [
                sys.executable,
                "-m",
                "unveil",
                "reviewer",
                "remove",
                number,
                "--config",
                str(folder.config(UNIT)),
            ]
            subprocess.run(remove, capture_output=True, check=True)
            answer = me.post("/review/step", json={"do": "view"}, headers={**origin, "unveil-mark": mark})
            assert 401 == answer.status_code
