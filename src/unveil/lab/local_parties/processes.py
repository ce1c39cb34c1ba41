"""
The parties of a trial as processes of the operating system: started, watched, stopped, and killed for tests.

Each writes what it has to say into `log.txt` in its folder. However the trial ends, none of them is left behind.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NoReturn, Self
from urllib.parse import urlsplit

from unveil.errors import UnveilError
from unveil.lab.local_parties.folder import OWNERS, PARTY_FOLDERS, UNIT_FOLDERS, Trial
from unveil.safety.visible import visible_lines

_LOOK: Final = 0.02  # seconds between looks at processes
_GRACE: Final = 3.0  # seconds that a process may take to stop; one that is ended then loses nothing either
_LINES: Final = 12  # of a log, told when its process died


class TrialError(UnveilError):
    """A party of a trial died, or nothing has moved for too long. The hint may be the end of a log, line by line."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = None if hint is None else visible_lines(hint)


class Processes:
    """The running parties, by name. As a context, whatever runs at its end is stopped."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._before: Any = None
        self._ports = ExitStack()

    def __enter__(self) -> Self:
        project = self._trial.project()
        self._ports.enter_context(ports_held(project.address(role) for role in UNIT_FOLDERS.values()))
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, _leave)  # or nobody would stop the others
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        finally:
            self._ports.close()
            if self._before is not None:
                signal.signal(signal.SIGTERM, self._before)

    def start(self, parties: Iterable[str] = PARTY_FOLDERS) -> None:
        """Start these parties; `wait_ready` tells when they listen."""
        for party in parties:
            self._ready(party).unlink(missing_ok=True)
            with self.log(party).open("ab") as log:
                # A session of its own: a Ctrl-C at the terminal comes to us alone, and we stop everybody in order.
                self._running[party] = subprocess.Popen(  # noqa: S603 - our own program, with paths of this trial
                    self._command(party),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )

    def wait_ready(self, parties: Iterable[str] = tuple(UNIT_FOLDERS), *, timeout: float = 60.0) -> None:
        """Wait until these units listen."""
        end = time.monotonic() + timeout
        for party in parties:
            while not self._ready(party).exists():
                self.check()
                if time.monotonic() > end:
                    raise TrialError(
                        f"the {_called(party)} does not listen after {timeout:.0f} s", hint=self._end(party)
                    )
                time.sleep(_LOOK)

    def check(self) -> None:
        """Raise TrialError if a party died. An owner may be through; a unit never is."""
        for party, process in self._running.items():
            status = process.poll()
            if status is not None and (status != 0 or party in UNIT_FOLDERS):
                raise TrialError(f"the {_called(party)} ended {_reason(status)}", hint=self._end(party))

    @property
    def through(self) -> bool:
        """Whether both owners have got their links and ended."""
        self.check()
        return all(party in self._running and self._running[party].poll() == 0 for party in OWNERS)

    def pid(self, party: str) -> int:
        """The number of a party's process."""
        return self._running[party].pid

    def running(self) -> list[str]:
        """The parties that run now."""
        return [party for party, process in self._running.items() if process.poll() is None]

    def log(self, party: str) -> Path:
        """What a party's processes wrote."""
        return self._trial.root / party / "log.txt"

    def kill(self, party: str) -> None:
        """End a party without a warning (SIGKILL)."""
        process = self._running.pop(party)
        process.kill()
        process.wait()

    def restart(self, party: str) -> None:
        """Start a party that was killed or is through; of one that runs, end it first, without a warning."""
        if party in self._running:
            self.kill(party)
        self.start([party])

    def stop(self) -> None:
        """Tell everybody to stop, and end those who do not."""
        try:
            for party in sorted(
                self._running, key=lambda party: party in UNIT_FOLDERS
            ):  # owners first: they hold calls open
                if self._running[party].poll() is None:
                    self._running[party].send_signal(signal.SIGTERM)
            end = time.monotonic() + _GRACE
            for process in self._running.values():
                try:
                    process.wait(max(0.0, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    process.kill()
        finally:
            for process in self._running.values():
                if process.poll() is None:
                    process.kill()
                process.wait()
            self._running = {}

    def _command(self, party: str) -> list[str]:
        config = str(self._trial.config(party))
        if party in OWNERS:
            return [sys.executable, "-m", "unveil.lab.local_parties.owner_process", config]
        unit = [sys.executable, "-m", "unveil", "serve", party, "--config", config]
        return [*unit, "--ready", str(self._ready(party)), "--demonstration"]

    def _ready(self, party: str) -> Path:
        return self._trial.root / party / "ready"

    def _end(self, party: str) -> str:
        """The end of a party's log."""
        lines = self.log(party).read_text(encoding="utf-8", errors="replace").splitlines()[-_LINES:]
        return "\n  ".join([f"the end of {self.log(party)}:", *lines])


@contextmanager
def ports_held(addresses: Iterable[str]) -> Iterator[None]:
    """
    Keep units' ports from being given to somebody else while the units are not there: not yet started, or killed.

    A port that is bound and not listened to is handed out to nobody, yet Linux lets a unit listen there. Elsewhere
    nothing is held, and a port that is taken already is left to its unit, which says so.
    """
    with ExitStack() as held:
        for address in addresses if sys.platform == "linux" else ():
            place = urlsplit(address)
            bound = held.enter_context(socket.socket())
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                bound.bind((place.hostname, place.port))
        yield


def _leave(number: int, frame: object) -> NoReturn:
    del frame
    sys.exit(128 + number)


def _called(party: str) -> str:
    return party.replace("-", " ")


def _reason(status: int) -> str:
    return f"by signal {-status}" if status < 0 else f"with status {status}"
