"""What a unit's server offers: the port of the transport, over all projects of this unit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from unveil.errors import RemoteProtocolError, TooEarly
from unveil.protocol.codec import FrameError
from unveil.protocol.roles import Address, Role
from unveil.runtime.worker import Worker
from unveil.storage.database import Database
from unveil.transport.port import JSON, OPERATOR, Caller


class UnitService(ABC):
    """One role in any number of projects."""

    def __init__(self, role: Role, seats: Mapping[str, Worker], database: Database) -> None:
        self._role, self.seats, self._database = role, dict(seats), database
        self._taken = self._repeated = self._refused = 0
        self._problems: dict[tuple[str, Address], str] = {}  # what was wrong with a party's last message, if it was

    @property
    def role(self) -> Role:
        """The role that this unit plays."""
        return self._role

    def caller(self, project: str, public_key: str | None, token: str | None, now: float) -> Caller | None:
        """Who calls with this key or token; None if nobody known to the project."""
        seats = self.seats.values() if not project else [self.seats[project]] if project in self.seats else []
        if public_key is not None:
            for seat in seats:
                party = seat.project.party(public_key)
                if party is not None:
                    return Caller(party.role_name, party.name)
        if token is not None:
            known = self._database.tokens.check(token, now)
            if known is not None and any(seat.project.name == known.project for seat in seats):
                return Caller(known.role)
        return None

    def take(self, project: str, caller: Caller, message_id: str, frame: bytes) -> None:
        """Keep a message; durable when this returns."""
        seat = self.seats[project]
        largest = seat.project.limits.message_bytes  # the server's limit is that of the most generous project
        if len(frame) > largest:
            raise FrameError(f"a message of this project has {largest} bytes at most")
        sender = Address(caller.role, caller.name)
        try:
            new = seat.host.take(sender, message_id, frame)
        except RemoteProtocolError as error:
            self._refused += 1
            if not isinstance(error, TooEarly):
                self._problems[project, sender] = error.problem
            raise
        self._problems.pop((project, sender), None)
        if new:
            self._taken += 1
            seat.wake()
        else:
            self._repeated += 1

    def mail(self, project: str, caller: Caller) -> tuple[str, bytes] | None:
        """The oldest message for this owner that it has not acknowledged."""
        waiting = self.seats[project].host.log.outgoing(recipient=str(Address(caller.role, caller.name)), limit=1)
        return (waiting[0].message_id, waiting[0].body) if waiting else None

    def acknowledge(self, project: str, caller: Caller, message_id: str) -> None:
        """The owner has this message."""
        self.seats[project].host.log.delivered(message_id, recipient=str(Address(caller.role, caller.name)))

    def status(self, project: str, caller: Caller) -> Mapping[str, JSON]:
        """Where the project stands, in counts; owners see their own part only."""
        seat = self.seats[project]
        answer: dict[str, JSON] = {"project": project, "role": self._role.value, "state": seat.host.log.state}
        answer["refused"] = {
            str(sender): problem
            for (where, sender), problem in self._problems.items()
            if where == project and (caller.role == OPERATOR or sender == Address(caller.role, caller.name))
        }
        if answer["state"] == "open":
            answer |= seat.host.look(lambda machine: self.standing(machine, caller))
        return answer

    @abstractmethod
    def standing(self, machine: Any, caller: Caller) -> dict[str, JSON]:
        """
        What this role can tell this caller.

        Counts of pairs and tasks are for operators alone. To an owner they would answer whether somebody is in the
        other register: it would upload that one record and look whether a pair was kept.
        """

    def metrics(self) -> Mapping[str, float]:
        """Counts of the whole process."""
        return {
            "projects": len(self.seats),
            "messages_taken": self._taken,
            "messages_repeated": self._repeated,
            "messages_refused": self._refused,
        }


class RecordUnitService(UnitService):
    """The record unit."""

    def standing(self, machine: Any, caller: Caller) -> dict[str, JSON]:
        """How far the project is, and which records were kept out; to operators, how many pairs there are."""
        told, intake = Address(caller.role, caller.name), machine.intake
        answer: dict[str, JSON] = {
            "agreed": intake.agreed,
            "compared": intake.complete,
            "finished": machine.finished,
            "quarantined": {
                str(owner): dict(reasons)
                for owner, reasons in intake.quarantined.items()
                if caller.role == OPERATOR or owner == told
            },
        }
        if caller.role == OPERATOR:
            answer |= {"kept_pairs": machine.kept_pairs, "requested_pairs": machine.requested_pairs}
        return answer


class AttributeUnitService(UnitService):
    """The attribute unit."""

    def standing(self, machine: Any, caller: Caller) -> dict[str, JSON]:
        """To operators, pairs compared and labels spent."""
        return {"pairs": len(machine.layer), "labels": machine.spent} if caller.role == OPERATOR else {}
