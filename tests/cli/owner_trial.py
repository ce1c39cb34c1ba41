"""A small trial for the owner's commands: two owners' folders, and units that can be started, killed and reviewed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from patience import PATIENCE
from three_units import start_units
from unveil.errors import UnveilError
from unveil.lab.local_parties import folder
from unveil.lab.local_parties.folder import PROJECT, UNIT_FOLDERS
from unveil.lab.local_parties.processes import ports_held
from unveil.lab.simulation.study import simulation_key
from unveil.lab.synthetic import generate, write
from unveil.protocol import codec, frames
from unveil.protocol.machine import Erased
from unveil.protocol.messages import Message
from unveil.schema import built_in
from unveil.schema.presets import with_preset
from unveil.storage.database import Database
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context

PEOPLE = 300


class OwnerTrial:
    """A trial's folder, its units in another process, a reviewer in a thread, and owners' commands."""

    def __init__(
        self,
        root: Path,
        *,
        budget: int = 20,
        policies: Mapping[str, str] | None = None,
        plant: Callable[[Path], None] = lambda _: None,
        **protocol: float,
    ) -> None:
        self.root = root
        (root / "people").mkdir(parents=True)
        write(generate(records=PEOPLE, overlap=0.3, errors=1, seed=1), root / "people")
        plant(root / "people")
        schema = with_preset(built_in(), "unveil", budget=budget)
        schema = schema.model_copy(update={"protocol": schema.protocol.model_copy(update=protocol)})
        self.trial = folder.make(root, schema, seed=1, key=simulation_key(1).secret, policies=policies)
        self._units: subprocess.Popen[bytes] | None = None
        self._started: list[subprocess.Popen[str]] = []
        self._reviewing = threading.Event()
        self._reviewer: threading.Thread | None = None
        self._ports = ExitStack()

    def __enter__(self) -> Self:
        project = self.trial.project()
        self._ports.enter_context(ports_held(project.address(role) for role in UNIT_FOLDERS.values()))
        return self

    def __exit__(self, *_: object) -> None:
        self._reviewing.set()
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.kill_units()
        if self._reviewer is not None:
            self._reviewer.join()
        self._ports.close()

    def owner(self, name: str) -> Path:
        """The folder of owner a or b."""
        return self.root / f"owner-{name}"

    # Units

    def start_units(self) -> None:
        """Start the three units and wait until they listen."""
        self._units = start_units(self.root, demonstration=True)

    def kill_units(self) -> None:
        """The network is gone, or the machines are."""
        if self._units is not None:
            self._units.kill()
            self._units.wait()
            self._units = None

    def start_reviewer(self) -> None:
        """Somebody who takes every pair for a match."""
        with Database.open(self.trial.database("review-unit"), role="review unit", demonstration=True) as database:
            token = database.tokens.issue(PROJECT, "reviewer", expires=time.time() + 86_400, now=time.time())
        self._reviewer = threading.Thread(target=self._review, args=(token,))
        self._reviewer.start()

    def _review(self, token: str) -> None:
        address = self.trial.project().address("review unit")
        with UnitClient(address, client_context(Credentials(self.trial.authority)), PROJECT, token=token) as client:
            while not self._reviewing.wait(0.05):
                with suppress(UnveilError):
                    for task in client.tasks():
                        client.verdict(task["task"], True, 1.0)

    def received(self, unit: str, sender: str) -> list[Message]:
        """What a unit's log holds of an owner's messages; erased ones as what stays of them."""
        with Database.inspect(self.trial.database(unit)) as database:
            (log,) = database.logs()
            entries = [entry for entry in log.entries() if entry.sender == f"owner {sender}"]
        erased: Any = {"Erased": Erased}
        return [
            codec.decode(entry.body) if entry.body is not None else frames.read(entry.stub, erased) for entry in entries
        ]

    # Owners

    def start(self, command: str, name: str, *more: str) -> subprocess.Popen[str]:
        """An owner's command in a process of its own."""
        words = [sys.executable, "-m", "unveil", "owner", command, str(self.owner(name)), "--demonstration", *more]
        environment = {**os.environ, "COLUMNS": "200"}
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=self.root
        )
        self._started.append(process)
        return process

    def says(self, process: subprocess.Popen[str], text: str) -> None:
        """Wait until a command tells people something with that text."""
        assert process.stderr is not None
        late = threading.Timer(PATIENCE, process.kill)
        late.start()
        try:
            assert any(text in line for line in process.stderr), f"it never said: {text}"
        finally:
            late.cancel()

    def end(self, process: subprocess.Popen[str], expected: int = 0) -> tuple[str, str]:
        """What a command printed, once it has ended as expected."""
        out, err = process.communicate(timeout=PATIENCE)
        assert expected == process.returncode, out + err
        assert "Traceback" not in err
        return out, err
