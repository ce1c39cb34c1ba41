"""
The five parties in one process: real hosts, services, couriers and SQLite logs, and no network between them.

What a network may do to a call is a `Fate`, chosen by the test.
"""

from __future__ import annotations

import base64
import hashlib
import io
import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from unveil.errors import StorageError
from unveil.lab.simulation.machines import Machines
from unveil.projects.project import Party, Project
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address, Role, address_of, owner
from unveil.runtime.host import Host
from unveil.runtime.owner.fetcher import Fetcher
from unveil.runtime.reviews import ReviewUnitService
from unveil.runtime.units import AttributeUnitService, RecordUnitService, UnitService
from unveil.runtime.worker import Worker, neighbours, unit_address
from unveil.storage.database import Database
from unveil.transport.courier import Courier
from unveil.transport.failures import Busy, Unreachable
from unveil.transport.logs import logger
from unveil.transport.port import Caller

PROJECT = "simulation"
OWNERS = (owner("a"), owner("b"))
UNITS = (RECORD_UNIT, ATTRIBUTE_UNIT, REVIEW_UNIT)
EVERYBODY = (*UNITS, *OWNERS)


class Fate(Enum):
    """What becomes of a call."""

    WELL = "it arrives and is answered"
    LOST = "it does not arrive"
    ANSWER_LOST = "it arrives, the answer does not"
    TWICE = "it arrives twice"


@dataclass(frozen=True)
class Letter:
    """A message that arrived."""

    sender: Address
    recipient: Address
    message_id: str
    frame: bytes


class Parties:
    """Everybody on SQLite files in a folder. `build` makes the machines anew; `letters` is what arrived, in order."""

    def __init__(self, folder: Path, build: Callable[[], Machines]) -> None:
        self._folder, self._build = folder, build
        self.project = _project(build)
        self.letters: list[Letter] = []
        self.databases: dict[Address, Database] = {}
        self.hosts: dict[Address, Host[Any]] = {}
        self.units: dict[Address, UnitService] = {}
        self._fetchers: dict[Address, Fetcher] = {}
        self._couriers: dict[tuple[Address, Address], Courier] = {}
        self._fate = Fate.WELL
        for address in EVERYBODY:
            self._open(address)

    def close(self) -> None:
        """Let go of the databases."""
        for database in self.databases.values():
            database.close()

    def restart(self, address: Address) -> None:
        """All that a party has in memory is gone; its log is not."""
        self.databases[address].close()
        self._open(address)

    def decide(self, address: Address) -> bool:
        """Let a party take the decisions that are due; whether there was one."""
        return self.hosts[address].advance()

    def send(self, sender: Address, unit: Address, fate: Fate) -> None:
        """Let a courier make one call."""
        self._fate = fate
        self._couriers[sender, unit].step()

    def routes(self) -> list[tuple[Address, Address]]:
        """Who sends to which unit."""
        return list(self._couriers)

    def fetch(self, recipient: Address, unit: Address, fate: Fate) -> bool:
        """Let an owner look into its mailbox at a unit, once; whether there was mail."""
        caller = Caller(recipient.role_name, recipient.name)
        log = self.hosts[recipient].log
        noted = self.units[unit].compare(PROJECT, caller, log.noted(str(unit)))  # Conflict: the unit is found set back
        assert noted is None or log.holds(noted), "no log was set back"
        mail = self.units[unit].mail(PROJECT, caller)
        if mail is None or fate is Fate.LOST:
            return mail is not None
        for _ in range(2 if fate is Fate.TWICE else 1):
            self._fetchers[recipient]._keep(unit, *mail)
        self.letters.append(Letter(unit, recipient, *mail))
        if fate is not Fate.ANSWER_LOST:
            for _ in range(2 if fate is Fate.TWICE else 1):
                self.units[unit].acknowledge(PROJECT, caller, mail[0], log.head[1])
            log.note(str(unit), self.units[unit].head(PROJECT))
        return True

    def hand_in(self, letter: Letter) -> None:
        """Deliver a message to a unit, whatever its sender knows about it."""
        caller = Caller(letter.sender.role_name, letter.sender.name)
        head = self.hosts[letter.sender].log.head[1]
        self.units[letter.recipient].take(PROJECT, caller, letter.message_id, letter.frame, head)

    def waiting(self, sender: Address) -> list[Letter]:
        """What a party has for units and does not know to have arrived."""
        found = self.hosts[sender].log.outgoing(limit=100)
        letters = [Letter(sender, address_of(one.recipient), one.message_id, one.body) for one in found]
        return [letter for letter in letters if letter.recipient in UNITS]

    def tasks(self) -> list[str]:
        """The tasks that wait for a reviewer."""
        return [str(task["task"]) for task in self._review.tasks(PROJECT, Caller("reviewer", "ann"))]

    def verdict(self, task: str, match: bool) -> None:  # noqa: FBT001 - as at the unit
        """A reviewer decides."""
        self._review.verdict(PROJECT, Caller("reviewer", "ann"), task, match, 1.0)

    def heads(self) -> dict[Address, tuple[int, bytes]]:
        """Where everybody's log ends."""
        return {address: host.log.head for address, host in self.hosts.items()}

    @property
    def _review(self) -> ReviewUnitService:
        unit = self.units[REVIEW_UNIT]
        assert isinstance(unit, ReviewUnitService)
        return unit

    def _open(self, address: Address) -> None:
        path = self._folder / f"{str(address).replace(' ', '-')}.sqlite"
        database = Database.open(path, role=address.role_name, identity=address.name)
        host: Host[Any] = Host(lambda: self._machine(address), database.project(PROJECT), clock=lambda: 0.0)
        self.databases[address], self.hosts[address] = database, host
        clients: dict[str, Any] = {
            str(unit_address(role)): _Wire(self, address, unit_address(role)) for role in neighbours(address.role)
        }
        worker = Worker(self.project, host, logger(io.StringIO()), clients)
        if address in OWNERS:
            self._fetchers[address] = Fetcher(worker, on_refusal=_fail)
        else:
            self.units[address] = _SERVICES[address.role](address.role, {PROJECT: worker}, database)
        for unit, wire in clients.items():
            courier = Courier(host.log, unit, wire, report=_fail, rng=random.Random(1))
            self._couriers[address, address_of(unit)] = courier

    def _machine(self, address: Address) -> Any:
        machines = self._build()
        everybody: list[Any] = [machines.record_unit, machines.attribute_unit, machines.review_unit, *machines.owners]
        return next(machine for machine in everybody if machine.address == address)

    def carry(self, letter: Letter) -> None:
        """One call of a courier, to which the fate that was chosen happens."""
        if self._fate is Fate.LOST:
            raise Unreachable("https://unit", "the call was lost")
        for _ in range(2 if self._fate is Fate.TWICE else 1):
            try:
                self.hand_in(letter)
            except StorageError:
                raise Busy("https://unit") from None
            self.letters.append(letter)
        if self._fate is Fate.ANSWER_LOST:
            raise Unreachable("https://unit", "the answer was lost")


@dataclass
class _Wire:
    """Stands in for a UnitClient."""

    parties: Parties
    sender: Address
    unit: Address

    def put(self, message_id: str, frame: bytes) -> None:
        """Hand a message in."""
        self.parties.carry(Letter(self.sender, self.unit, message_id, frame))


_SERVICES: dict[Role, type[UnitService]] = {
    Role.RECORD_UNIT: RecordUnitService,
    Role.ATTRIBUTE_UNIT: AttributeUnitService,
    Role.REVIEW_UNIT: ReviewUnitService,
}


def _fail(*told: object) -> None:
    raise AssertionError(f"an honest message was not taken: {told}")


def _project(build: Callable[[], Machines]) -> Project:
    def key(address: Address) -> str:
        return "sha256:" + base64.urlsafe_b64encode(hashlib.sha256(str(address).encode()).digest()).decode().rstrip("=")

    units = [Party(role=one.role.value, address="https://127.0.0.1:1", public_key=key(one)) for one in UNITS]
    owners = [Party(role="owner", name=one.name, public_key=key(one)) for one in OWNERS]
    return Project(name=PROJECT, parties=(*units, *owners), schema=build().schema)
