"""The parties of a trial as processes that a test starts, kills and watches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from small_trial import SmallTrial

from patience import PATIENCE
from unveil.lab.local_parties.folder import OWNERS, PARTY_FOLDERS, PROJECT, UNIT_FOLDERS
from unveil.storage.database import Database
from unveil.transport.failures import Busy, Unreachable
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context

#: Words of a unit that finds its port taken: a client may have been given it while nobody listened.
_PORT_TAKEN = "cannot listen on"


class Zygote:
    """The warm process; see zygote.py. `with` ends it and all that it started."""

    def __init__(self) -> None:
        # No threads but the one that forks: others would be missing in the child.
        single = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        single["JE_ARROW_MALLOC_CONF"] = "background_thread:false"
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("zygote.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | single,
            text=True,
        )
        self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:  # closes the pipes, on which it ends, and waits
            pass

    def start(self, party: str, root: Path, *, bound: bool = False, chance: float = 0.0, seed: int = 0) -> int:
        """Fork a party; its pid. It has begun, it is not ready. `chance` is that of a sudden death at each point."""
        pid: int = self._ask(do="start", party=party, root=str(root), bound=bound, chance=chance, seed=seed)["pid"]
        return pid

    def end(self, pid: int, how: signal.Signals) -> int:
        """Send a signal, wait until the process has ended, and return its exit code."""
        code: int = self._ask(do="signal", pid=pid, signal=int(how))["code"]
        return code

    def ended(self, pids: Collection[int]) -> dict[int, int]:
        """The exit codes of those of these processes that have ended."""
        codes: dict[str, int] = self._ask(do="poll", pids=list(pids))["codes"]
        return {int(pid): code for pid, code in codes.items()}

    def _ask(self, **command: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the zygote has ended; see its stderr above")
        answer: dict[str, Any] = json.loads(line)
        return answer


class Fleet:
    """The processes of one trial. A party that ends by itself without being done is an error."""

    def __init__(self, zygote: Zygote, small: SmallTrial, *, bound: bool = False) -> None:
        self._zygote, self._bound = zygote, bound
        self.small, self.root = small, small.trial.root
        self.pids: dict[str, int] = {}
        self.done: set[str] = set()  # owners whose links have come
        self.ports_taken = 0
        self.on_death: Callable[[str], None] | None = None  # called with a party that died a sudden death
        self.reviewer: ReviewerAtWork | None = None  # who decides the tasks, where somebody does

    def start(self, *parties: str, chance: float = 0.0, seed: int = 0) -> None:
        """Start parties."""
        for party in parties:
            self.pids[party] = self._zygote.start(party, self.root, bound=self._bound, chance=chance, seed=seed)

    def kill(self, party: str) -> bool:
        """Kill a party as `kill -9` does; False if it had ended already."""
        code = self._zygote.end(self.pids.pop(party), signal.SIGKILL)
        if code == -signal.SIGKILL:
            return True
        self._ended(party, code)
        return False

    def stop(self, party: str) -> int:
        """Ask a party to end, and return its exit code."""
        return self._zygote.end(self.pids.pop(party), signal.SIGTERM)

    def ended(self, party: str) -> int | None:
        """The exit code of a party that has ended by itself, else None."""
        code = self._zygote.ended([self.pids[party]]).get(self.pids[party])
        if code is not None:
            del self.pids[party]
        return code

    def watch(self) -> None:
        """See whether anybody has ended: owners do when they are done."""
        codes = self._zygote.ended(self.pids.values())
        ended = {party: codes[pid] for party, pid in self.pids.items() if pid in codes}
        for party in ended:
            del self.pids[party]
        for party, code in ended.items():
            self._ended(party, code)

    @property
    def finished(self) -> bool:
        """Whether every owner has its links."""
        return self.done == set(OWNERS)

    def errors(self, party: str) -> str:
        """What a party wrote to stderr."""
        path = self.root / party / "stderr.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def wait(self, condition: Callable[[], bool], *, what: str) -> None:
        """Wait until something is so, watching everybody."""
        end = time.monotonic() + PATIENCE
        while not condition():
            self.watch()
            if time.monotonic() > end:
                tails = "\n".join(f"{party}: {self.errors(party)[-800:]}" for party in PARTY_FOLDERS)
                raise AssertionError(f"not within {PATIENCE} s: {what}\n{tails}")
            time.sleep(0.01)

    def wait_until_listening(self, unit: str) -> None:
        """Wait until a unit answers calls."""
        with client(self.small, "owner-a", unit) as caller:
            self.wait(lambda: _answers(caller), what=f"{unit} listens")

    def _ended(self, party: str, code: int) -> None:
        if party in OWNERS and code == 0:
            self.done.add(party)
        elif _PORT_TAKEN in self.errors(party)[-400:]:
            self.ports_taken += 1
            self.start(party)
        elif code == -signal.SIGKILL and self.on_death is not None:
            self.on_death(party)
        else:
            raise AssertionError(f"{party} ended with {code}:\n{self.errors(party)[-3000:]}")


@contextmanager
def fleet(zygote: Zygote, small: SmallTrial, *, bound: bool = False) -> Iterator[Fleet]:
    """The processes of a trial, none of them started yet and none left afterwards."""
    parties = Fleet(zygote, small, bound=bound)
    try:
        yield parties
    finally:
        for pid in parties.pids.values():
            zygote.end(pid, signal.SIGKILL)


class ReviewerAtWork(threading.Thread):
    """
    Decides every task as the simulation's reviewer does, over HTTPS, however often the unit is away.

    As a context it is at work until the block ends. One that pauses after so many tasks goes on when it is told to:
    until then no linkage can end, however late a test comes to disturb it.
    """

    def __init__(self, small: SmallTrial, *, pause_after: int | None = None) -> None:
        super().__init__(daemon=True)
        self._small, self._stop_asked = small, threading.Event()
        self._pause_after = pause_after
        self._client = _reviewers_client(small)  # before any party is at work on the unit's database
        self.problems: list[str] = []
        self.given: Counter[str] = Counter()  # tasks, and how often their verdict was acknowledged

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stop_asked.set()
        self.join(PATIENCE)
        if kind is None:
            assert not self.is_alive()
            assert [] == self.problems

    def go_on(self) -> None:
        """The pause is over."""
        self._pause_after = None

    def run(self) -> None:
        """Look for tasks again and again."""
        with self._client as client:
            while not self._stop_asked.is_set():
                try:
                    for task in client.tasks():
                        if self._pause_after is not None and len(self.given) >= self._pause_after:
                            break
                        client.verdict(task["task"], self._small.world.truth_of(bytes.fromhex(task["task"])), 1.0)
                        self.given[task["task"]] += 1
                except (Unreachable, Busy):
                    pass
                except Exception as error:  # noqa: BLE001 - told to the test, which ends with it
                    self.problems.append(repr(error))
                    return
                self._stop_asked.wait(0.02)


def _reviewers_client(small: SmallTrial) -> UnitClient:
    trial = small.trial
    with Database.open(trial.database("review-unit"), role="review unit", demonstration=True) as database:
        token = database.tokens.issue(PROJECT, "reviewer", expires=time.time() + 86_400, now=time.time())
    tls = client_context(Credentials(trial.authority))
    return UnitClient(trial.project().address(UNIT_FOLDERS["review-unit"]), tls, PROJECT, token=token, timeout=5)


def client(small: SmallTrial, party: str, unit: str, project: str = PROJECT) -> UnitClient:
    """How a party calls a unit."""
    trial = small.trial
    certificate = trial.root / "pki" / f"{party}.pem"
    tls = client_context(Credentials(trial.authority, certificate, certificate.with_suffix(".key")))
    return UnitClient(trial.project().address(UNIT_FOLDERS[unit]), tls, project)


def _answers(caller: UnitClient) -> bool:
    try:
        caller.status()
    except Unreachable:
        return False
    return True


def addresses(small: SmallTrial) -> Mapping[str, str]:
    """Which unit listens at which address."""
    project = small.trial.project()
    return {project.address(role).rstrip("/"): party for party, role in UNIT_FOLDERS.items()}
