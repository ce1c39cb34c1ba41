"""A machine at work in one project: its host, a thread that takes decisions, and couriers to the other units."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from unveil.errors import Cancelled, Closed, UnveilError
from unveil.projects.project import Project
from unveil.protocol.flows import FLOWS
from unveil.protocol.roles import Address, Role
from unveil.runtime.host import Host, WorkUnderWay
from unveil.runtime.witness import LogWitness
from unveil.transport.courier import Courier, Couriers
from unveil.transport.failures import LogSetBack
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context
from unveil.transport.logs import Log

_PAUSE: Final = 1.0  # seconds before a decision that could not be written is tried again
_LONGEST_PAUSE: Final = 30.0  # seconds before a unit that is away is asked again to compare logs


@dataclass
class Worker:
    """One project at a party. `changed` is called after every decision: there may be mail."""

    project: Project
    host: Host[Any]
    log: Log
    clients: dict[str, UnitClient] = field(default_factory=dict)
    changed: Callable[[], None] = lambda: None
    held: Callable[[], bool] = lambda: False  # whether nothing may be decided now
    paused: Callable[[], bool] = lambda: False  # whether nothing may be sent now, nor decided

    def __post_init__(self) -> None:
        self._due = threading.Event()
        self._stop = threading.Event()
        self.halted: UnveilError | None = None  # why nothing is decided and sent any more: a log was set back
        for unit, client in self.clients.items():
            client.witness = LogWitness(self.host.log, unit)
        self._thread = threading.Thread(target=self._run, name=f"decisions of {self.project.name}", daemon=True)
        rng = random.Random()  # noqa: S311 - spreads pauses, guards nothing
        self._couriers = Couriers(
            [
                Courier(self.host.log, unit, client, report=self._report, rng=rng, held=self.paused)
                for unit, client in self.clients.items()
            ],
            log=self.log,
        )

    def start(self) -> None:
        """Begin to decide and to deliver; a decision may be due since before the last stop."""
        self._due.set()
        self._thread.start()
        self._couriers.start()
        if self.clients:
            threading.Thread(target=self._compare, name=f"logs of {self.project.name}", daemon=True).start()

    def wake(self) -> None:
        """Something came in: a decision may be due."""
        self._due.set()

    def deliver(self) -> None:
        """Something is to be sent."""
        self._couriers.wake()
        self.changed()

    def halt(self, why: UnveilError) -> None:
        """Decide and send nothing any more: this party's log was set back, and it would repeat what it forgot."""
        if self.halted is None:
            self.halted = why
            self._couriers.halt()
            self._note("log set back", error=type(why).__name__)

    @property
    def working(self) -> WorkUnderWay | None:
        """The long work that is being done now, None if there is none; never waits for anything."""
        return self.host.working

    def stop(self) -> None:
        """Finish the decision that is being taken, and cancel long work; what is due stays due."""
        self._stop.set()
        self._due.set()
        if self._thread.is_alive():
            self._thread.join()
        self._couriers.stop()
        for client in self.clients.values():
            client.close()

    def _compare(self) -> None:
        """Compare logs with every unit once after the start, so that one that was set back is noticed soon."""
        left, pause = dict(self.clients), _PAUSE
        while left and self.halted is None and not self._stop.is_set():
            for unit, client in list(left.items()):
                try:
                    client.compare()
                    del left[unit]
                except LogSetBack as error:
                    self.halt(error)
                except (UnveilError, RuntimeError):  # away now, set back itself, or this party is just stopping
                    continue
            if left:
                self._stop.wait(pause)
                pause = min(_LONGEST_PAUSE, 2 * pause)

    def _run(self) -> None:
        while True:
            self._due.wait()
            if self._stop.is_set():
                return
            self._due.clear()
            self._decide()

    def _decide(self) -> None:
        if self.halted is not None:
            return
        try:
            if self.host.advance(self._stop.is_set, lambda: self.paused() or self.held()):
                self.deliver()
        except (Closed, Cancelled):
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the next try may succeed, and the thread must live
            # Its text may name a file or an address, so only the kind is logged.
            self._note("not decided", error=type(error).__name__)
            self._stop.wait(_PAUSE)
            self._due.set()

    def _report(self, recipient: str, message_id: str, error: UnveilError) -> None:
        if isinstance(error, LogSetBack):
            self.halt(error)
        problem = getattr(error, "problem", "")  # for a person to see; no log holds it
        self._note("not taken", recipient=recipient, message_id=message_id, error=type(error).__name__, problem=problem)

    def _note(self, event: str, **fields: object) -> None:
        self.log.error(event, project=self.project.name, **fields)


def neighbours(role: Role) -> tuple[Role, ...]:
    """The units that this role sends messages to."""
    to = {recipient for flows in FLOWS.values() for sender, recipient in flows if sender is role}
    return tuple(sorted(to - {Role.OWNER}, key=lambda unit: unit.value))


def unit_address(role: Role) -> Address:
    """The address of a unit, which has no name."""
    return Address(role.value)


def unit_clients(role: Role, project: Project, own: Credentials) -> dict[str, UnitClient]:
    """The way to each unit that this role sends messages to; a unit is known by the key that the project lists."""
    clients = {}
    for unit in neighbours(role):
        tls = client_context(own, server_key=project.server_key(unit))
        clients[str(unit_address(unit))] = UnitClient(project.address(unit), tls, project.name)
    return clients
