"""
A whole linkage in the field: three units and two owners as processes, everything they say recorded.

`conduct` leaves a folder that tests look through; `Observed` is what was seen while the parties were at work.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planted import codes_in, plant
from traffic import Exchange, recorded

from patience import PATIENCE, wait_until
from unveil.lab.local_parties import folder
from unveil.lab.local_parties.folder import OWNERS, PARTY_FOLDERS, PROJECT, UNIT_FOLDERS, Trial
from unveil.lab.local_parties.processes import ports_held
from unveil.lab.synthetic import generate, write
from unveil.projects.owner_config import OwnerConfig
from unveil.protocol import codec
from unveil.protocol.messages import ID, AttributeValues
from unveil.roles.owner.ledger import LedgerEntries
from unveil.runtime.owner.folder import OwnerFolder
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset
from unveil.storage.database import Database
from unveil.transport.failures import Rejected, Unreachable
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context

PEOPLE, SEED, BUDGET = 400, 3, 20
KEY_DO = bytes(range(101, 133))
#: In the run with decoys: owner a's records, by row, that may go no further than a layer.
CONSENT = {row: 1 + row % 2 for row in range(0, PEOPLE, 3)}
_HERE = Path(__file__).parent


@dataclass
class Round:
    """One look at the review unit while tasks waited: whose values it held before and after the verdicts."""

    held: dict[str, set[str]] = field(default_factory=dict)  # task -> codes of values
    after: set[str] = field(default_factory=set)  # codes that the answered tasks still held
    keys_left: int = 0  # keys of erased contents that still lay in the database's files


@dataclass
class Observed:
    """What was seen of the parties at work."""

    rounds: list[Round] = field(default_factory=list)
    opened: dict[str, str] = field(default_factory=dict)  # task -> attribute that the reviewer opened fully
    token: str = ""
    other_token: str = ""  # of the reviewer who decides every other task
    verdicts: dict[str, str] = field(default_factory=dict)  # task -> the token with which it was decided
    ascribed: list[str] = field(default_factory=list)  # tasks whose verdict the other reviewer could give again
    arguments: dict[str, bytes] = field(default_factory=dict)  # of each party's process
    environment: dict[str, bytes] = field(default_factory=dict)
    core: dict[str, list[str]] = field(default_factory=dict)  # soft and hard limit of core files
    modes: dict[str, int] = field(default_factory=dict)  # of every file, by its path


@dataclass
class FieldRun:
    """A finished run: its folder and what was observed."""

    trial: Trial
    observed: Observed

    def recording(self, unit: str) -> list[Exchange]:
        """All that the unit was asked and answered."""
        return list(recorded(self.trial.root / f"{unit}.traffic", UNIT_FOLDERS[unit].value))

    def traffic(self) -> list[Exchange]:
        """All that anybody was asked and answered."""
        return [exchange for unit in UNIT_FOLDERS for exchange in self.recording(unit)]

    def contents(self, party: str) -> Iterator[bytes]:
        """Everything that a party's database holds, opened: bodies, stubs, messages that wait."""
        with Database.inspect(self.trial.database(party)) as database:
            for log in database.logs():
                for entry in log.entries():
                    yield b"\n".join([entry.body or b"", entry.stub, entry.sender.encode(), entry.message_id.encode()])
                yield from (one.body for one in log.outgoing(limit=1 << 30))

    def owner(self, party: str) -> OwnerFolder:
        """An owner's records, key and policy."""
        return OwnerFolder.load(OwnerConfig.load(self.trial.config(party), demonstration=True), demonstration=True)

    def ledger(self, party: str) -> LedgerEntries:
        """What an owner's ledger says has left."""
        owner = self.owner(party)
        with owner.open(demonstration=True) as database:
            return owner.host(database).machine.ledger.entries()


def field_schema(*, decoys: float = 0.0) -> Schema:
    """Most pairs are asked about, and many of their values differ."""
    schema = with_preset(built_in(), "unveil", budget=BUDGET)
    review = schema.protocol.review.model_copy(update={"rounds": 4})
    changes = {"p_t": 0.9999, "decoys": decoys, "batches": (30, 60, 60), "review": review}
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update=changes)})


def prepare(root: Path, *, decoys: float = 0.0, consent: Mapping[int, int] | None = None) -> Trial:
    """The folder of a run; `consent` gives the highest layer of some of owner a's records by row."""
    people = plant(generate(records=PEOPLE, overlap=0.6, errors=2, seed=SEED))
    (root / "people").mkdir(parents=True)
    write(people, root / "people")
    lists = {layer: [people.a.ids[row] for row, one in (consent or {}).items() if one == layer] for layer in (1, 2)}
    text = "[consent]\notherwise = 3\n" + "".join(
        f'[[consent.lists]]\nfile = "layer-{layer}.txt"\nlayer = {layer}\n' for layer in lists
    )
    policies = {"owner-a": text} if consent else None
    trial = folder.make(root, field_schema(decoys=decoys), seed=SEED, key=KEY_DO, policies=policies)
    for layer, ids in lists.items() if consent else ():
        (root / "owner-a" / f"layer-{layer}.txt").write_text("\n".join(ids), encoding="utf-8")
    return trial


def conduct(trial: Trial) -> Observed:
    """Run everybody until the owners have their links."""
    observed = Observed()
    with ExitStack() as stack:
        stack.enter_context(ports_held(trial.project().address(role) for role in UNIT_FOLDERS.values()))
        units = {name: stack.enter_context(_process(trial, name, _unit(trial, name))) for name in UNIT_FOLDERS}
        _wait(lambda: all((trial.root / f"{name}.ready").exists() for name in UNIT_FOLDERS), "the units listen", units)
        observed.token, observed.other_token = _token(trial), _token(trial)
        owners = {
            name: stack.enter_context(
                _process(trial, name, ["-m", "unveil.lab.local_parties.owner_process", str(trial.config(name))])
            )
            for name in OWNERS
        }
        tls = client_context(Credentials(trial.authority))
        reviewers = [
            stack.enter_context(UnitClient(trial.project().address("review unit"), tls, PROJECT, token=token))
            for token in (observed.token, observed.other_token)
        ]
        _wait(lambda: _review(trial, reviewers, observed, owners), "the links have come", units | owners)
        _look_at_processes(trial, units | owners, observed)
        for process in units.values():
            process.send_signal(signal.SIGTERM)
        assert {0} == {process.wait(PATIENCE) for process in (*units.values(), *owners.values())}
    return observed


def _unit(trial: Trial, name: str) -> list[str]:
    words = [str(_HERE / "recorded_unit.py"), str(trial.root / f"{name}.traffic"), "serve", name]
    return [
        *words,
        "--config",
        str(trial.config(name)),
        "--ready",
        str(trial.root / f"{name}.ready"),
        "--demonstration",
    ]


@contextmanager
def _process(trial: Trial, party: str, words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    temporary = trial.root / party / "tmp"
    temporary.mkdir()
    # Compiled code comes from where it always lies: making it anew would take each party half a minute.
    places = {"TMPDIR": str(temporary), "HOME": str(temporary), "XDG_CACHE_HOME": str(Path.home() / ".cache")}
    environment = os.environ | places
    with (trial.root / party / "stderr.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, *words], stdout=log, stderr=log, env=environment)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def _wait(done: Callable[[], bool], what: str, processes: Mapping[str, subprocess.Popen[bytes]]) -> None:
    def watched() -> bool:
        ended = {name: process.returncode for name, process in processes.items() if process.poll()}
        assert not ended, f"a party failed: {ended}"
        return done()

    wait_until(watched, what)


def _token(trial: Trial) -> str:
    with Database.open(trial.database("review-unit"), role="review unit", demonstration=True) as database:
        return database.tokens.issue(PROJECT, "reviewer", expires=time.time() + 86_400, now=time.time())


def _review(
    trial: Trial, reviewers: list[UnitClient], observed: Observed, owners: Mapping[str, subprocess.Popen[bytes]]
) -> bool:
    """Decide the tasks that wait, looking into the unit's database before and after; whether the owners are done."""
    client = reviewers[0]
    tasks: list[dict[str, Any]] = []
    with suppress(Unreachable):  # late, which is no end: a party that died is noticed by whoever waits
        tasks = client.tasks()
    if tasks:
        if not observed.rounds:
            _look_at_processes(trial, owners, observed)
        names = [task["task"] for task in tasks]
        one, keys = Round(), _keys_of_contents(trial)
        one.held = {task: codes for task, codes in _held(trial).items() if task in names}
        if not observed.opened:
            name = next(cell["attribute"] for cell in tasks[0]["cells"] if cell["can_open"])
            client.open_cell(names[0], name, "full")
            observed.opened[names[0]] = name
        for number, task in enumerate(names):
            reviewers[number % 2].verdict(task, True, 0.9)
            observed.verdicts[task] = (observed.token, observed.other_token)[number % 2]
            reviewers[number % 2].verdict(task, True, 0.9)  # as after a lost answer
            with suppress(Rejected):
                reviewers[1 - number % 2].verdict(task, True, 0.9)
                observed.ascribed.append(task)
        held = _held(trial)
        one.after = set().union(*(held.get(task, set()) for task in names))
        gone = keys - _keys_of_contents(trial)
        files = b"".join(path.read_bytes() for path in (trial.root / "review-unit").glob("log.sqlite*"))
        one.keys_left = sum(key in files for key in gone) if gone else -1
        observed.rounds.append(one)
    return all(process.poll() == 0 for process in owners.values())


def _held(trial: Trial) -> dict[str, set[str]]:
    """The values in the review unit's log, by task."""
    found: dict[str, set[str]] = {}
    with Database.inspect(trial.database("review-unit")) as database:
        for entry in database.logs()[0].entries():
            message = codec.decode(entry.body) if entry.kind == "message" and entry.body else None
            if isinstance(message, AttributeValues):
                for at, values in enumerate(message.values):
                    task = message.task_ids[at * ID : (at + 1) * ID].hex()
                    found.setdefault(task, set()).update(codes_in(repr(values).encode()))
    return found


def _keys_of_contents(trial: Trial) -> set[bytes]:
    """The keys that open the owners' messages in the review unit's database."""
    uri = f"file:{trial.root / 'review-unit' / 'log.sqlite'}?mode=ro"
    connection = sqlite3.connect(uri, uri=True)
    try:
        query = "SELECT nonce FROM nonces JOIN log USING (project, seq) WHERE part = 0 AND sender LIKE 'owner %'"
        return {row[0] for row in connection.execute(query) if any(row[0])}
    finally:
        connection.close()


def _look_at_processes(trial: Trial, processes: Mapping[str, subprocess.Popen[bytes]], observed: Observed) -> None:
    """What anybody on the machine can see: arguments, files and their modes; and the environment."""
    for party, process in processes.items():
        if process.poll() is None:
            place = Path(f"/proc/{process.pid}")
            observed.arguments[party] = (place / "cmdline").read_bytes()
            observed.environment[party] = b"closed to everybody but root"
            with suppress(PermissionError):  # as it is to this user, for a process that is not to be dumped
                observed.environment[party] = (place / "environ").read_bytes()
            limits = (place / "limits").read_text(encoding="ascii").splitlines()
            observed.core[party] = next(line for line in limits if line.startswith("Max core")).split()[4:6]
    for party in PARTY_FOLDERS:
        for path in (trial.root / party).rglob("*"):
            with suppress(FileNotFoundError):  # a party at work removes files too
                if path.is_file():
                    observed.modes[str(path.relative_to(trial.root))] = stat.S_IMODE(path.stat().st_mode)
