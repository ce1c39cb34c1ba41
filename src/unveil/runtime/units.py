"""What a unit's server offers: the port of the transport, over all projects of this unit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from unveil.errors import Conflict, RemoteProtocolError, TooEarly
from unveil.protocol.codec import FrameError
from unveil.protocol.data_warnings import DataWarning, WarningKind
from unveil.protocol.roles import Address, Role
from unveil.protocol.stages import CountedKind, StageStatus
from unveil.roles.record_unit.intake import UPLOADS, KeptOut
from unveil.runtime import gauges
from unveil.runtime.answer_shares import SharesAnswered, answer_shares
from unveil.runtime.host import WorkUnderWay
from unveil.runtime.linkage_figures import LinkageFigures, linkage_figures
from unveil.runtime.operations import RoleFigures, Surroundings, UnitFacts, unit_facts
from unveil.runtime.worker import Worker
from unveil.storage.database import Database
from unveil.storage.tokens import TokenStore
from unveil.transport.gauges import GaugeReading
from unveil.transport.port import JSON, OPERATOR, Caller
from unveil.transport.status import OPEN, AttributeUnitStatus, RecordUnitStatus, UnitStatus, UploadStatus


class UnitService(ABC):
    """One role in any number of projects; `workers` are those of each project."""

    #: The status of which nothing is known but what every unit tells.
    nothing_told: ClassVar[UnitStatus]

    def __init__(
        self,
        role: Role,
        workers: Mapping[str, Worker],
        database: Database,
        surroundings: Surroundings | None = None,
    ) -> None:
        self._role, self.workers, self._database = role, dict(workers), database
        self.surroundings = surroundings or Surroundings()
        self._taken = self._repeated = self._refused = 0
        self._compared: set[tuple[str, Caller]] = set()  # with whom logs were compared since this process began
        self._problems: dict[tuple[str, Address], str] = {}  # what was wrong with a party's last message, if it was

    @property
    def role(self) -> Role:
        """The role that this unit plays."""
        return self._role

    def caller(self, project: str, public_key: str | None, token: str | None, now: float) -> Caller | None:
        """Who calls with this key or token; None if nobody known to the project."""
        workers = self.workers.values() if not project else [self.workers[project]] if project in self.workers else []
        if public_key is not None:
            for worker in workers:
                party = worker.project.party(public_key)
                if party is not None:
                    return Caller(party.role_name, party.name)
        if token is not None:
            known = self._database.tokens.check(token, now)
            if known is not None and any(worker.project.name == known.project for worker in workers):
                return Caller(known.role, known.id)
        return None

    def head(self, project: str) -> bytes:
        """The head of this unit's log."""
        return self.workers[project].host.log.head[1]

    def compare(self, project: str, caller: Caller, noted: bytes | None) -> bytes | None:
        """
        The head of the caller's log that was noted last; Conflict if this unit's log lacks what the caller noted.

        Then this unit's database is an older copy, and nothing is decided or sent until the newest is back. A caller
        that makes a head up stops the project so: it could as well stop it by never answering.
        """
        worker, log = self.workers[project], self.workers[project].host.log
        if noted is not None and not log.holds(noted):
            problem = "the log of this unit lacks entries that the caller knows of"
            worker.halt(Conflict(problem))
            raise Conflict(problem)
        self._compared.add((project, caller))
        return log.noted(str(Address(caller.role, caller.name)))

    def take(self, project: str, caller: Caller, message_id: str, frame: bytes, head: bytes | None = None) -> None:
        """Keep a message; durable when this returns."""
        worker = self.workers[project]
        largest = worker.project.limits.message_bytes  # the server's limit is that of the most generous project
        if len(frame) > largest:
            raise FrameError(f"a message of this project has {largest} bytes at most")
        sender = Address(caller.role, caller.name)
        try:
            new = worker.host.take(sender, message_id, frame, head)
        except RemoteProtocolError as error:
            self._refused += 1
            if not isinstance(error, TooEarly):
                self._problems[project, sender] = error.problem
            raise
        self._problems.pop((project, sender), None)
        if new:
            self._taken += 1
            worker.wake()
        else:
            self._repeated += 1

    def mail(self, project: str, caller: Caller) -> tuple[str, bytes] | None:
        """The oldest message for this owner that it has not acknowledged; nothing goes before logs were compared."""
        if (project, caller) not in self._compared:
            raise TooEarly(str(Address(caller.role, caller.name)), "a question for mail", "compare logs first")
        waiting = self.workers[project].host.log.outgoing(recipient=str(Address(caller.role, caller.name)), limit=1)
        return (waiting[0].message_id, waiting[0].body) if waiting else None

    def acknowledge(self, project: str, caller: Caller, message_id: str, head: bytes | None = None) -> None:
        """The owner has this message."""
        recipient = str(Address(caller.role, caller.name))
        self.workers[project].host.log.delivered(message_id, recipient=recipient, heard=head)

    def status(self, project: str, caller: Caller) -> Mapping[str, JSON]:
        """Where the project stands, in counts; owners see their own part only."""
        return self.unit_status(project, caller).as_json()

    def unit_status(self, project: str, caller: Caller) -> UnitStatus:
        """The same, typed."""
        host = self.workers[project].host
        working, state = host.working, host.log.state
        found = self.nothing_told
        if state == OPEN:
            found = host.look(lambda machine: self.told(machine, caller, working))
        refused = {
            str(sender): problem
            for (where, sender), problem in self._problems.items()
            if where == project and (caller.role == OPERATOR or sender == Address(caller.role, caller.name))
        }
        set_back = self.workers[project].halted is not None
        return replace(found, project=project, role=self._role.value, state=state, refused=refused, set_back=set_back)

    def told(self, machine: Any, caller: Caller, working: WorkUnderWay | None = None) -> UnitStatus:
        """The status of this role's machine, with where the project stands."""
        stage = told_stage(machine.stage, caller)
        return replace(self.machine_status(machine, caller, working), stage=stage)

    @abstractmethod
    def machine_status(self, machine: Any, caller: Caller, working: WorkUnderWay | None = None) -> UnitStatus:
        """
        What this role's machine, and the long work that is under way for it, can tell this caller.

        Counts of pairs and tasks are for operators alone. To an owner they would answer whether somebody is in the
        other register: it would upload that one record and look whether a pair was kept.
        """

    def operators_project(self, caller: Caller) -> str | None:
        """The project whose operator calls; None if the token is not in force any more."""
        token = self._database.tokens.in_force(caller.name, self.surroundings.clock())
        return token.project if token is not None and token.role == OPERATOR else None

    def metrics(self, caller: Caller) -> Iterable[GaugeReading]:
        """What the gauges of the process show, and those of the caller's project."""
        project = self.operators_project(caller)
        traffic = {
            gauges.PROJECTS: len(self.workers),
            gauges.TAKEN: self._taken,
            gauges.REPEATED: self._repeated,
            gauges.REFUSED: self._refused,
        }
        return gauges.readings(self.facts(() if project is None else (project,)), traffic)

    def facts(self, projects: Collection[str]) -> UnitFacts:
        """What operators see of the unit, and of these projects."""
        return unit_facts(self, projects)

    def figures(self, project: str) -> RoleFigures | None:
        """What only this role can tell of an open project; None if there is nothing (yet)."""
        del project
        return None

    @property
    def tokens(self) -> TokenStore:
        """The tokens that this unit takes."""
        return self._database.tokens

    @property
    def database_kind(self) -> str:
        """Which database it is."""
        return self._database.kind

    def database_size(self) -> int:
        """Bytes that the database takes."""
        return self._database.size()


class RecordUnitService(UnitService):
    """The record unit."""

    nothing_told = RecordUnitStatus()

    def figures(self, project: str) -> LinkageFigures | None:
        """How the linkage goes; counted once for every entry of the log, for it takes time where pairs are many."""
        host = self.workers[project].host
        head = host.log.head
        known = self._figures.get(project)
        if known is None or known[0] != head:
            known = head, host.look(linkage_figures)
            self._figures[project] = known
        return known[1]

    @cached_property
    def _figures(self) -> dict[str, tuple[tuple[int, bytes], LinkageFigures | None]]:
        return {}

    def machine_status(self, machine: Any, caller: Caller, working: WorkUnderWay | None = None) -> RecordUnitStatus:
        """How far the project is, and which records were kept out; to operators, how many pairs there are."""
        intake = machine.intake
        status = RecordUnitStatus(
            fingerprints_agree=intake.agreed,
            uploads_complete=intake.complete,
            finished=machine.finished,
            uploads={
                str(owner): _upload_status(found, intake.uploads_left(owner))
                for owner, found in intake.kept_out.items()
                if caller.role == OPERATOR or owner == Address(caller.role, caller.name)
            },
        )
        if caller.role != OPERATOR:
            return replace(status, warnings=owners_warnings(machine, caller))
        # How fast a comparison goes says something about the other register, so owners are not told its share.
        comparing = None if working is None else working.share
        return replace(
            status,
            comparing=comparing,
            comparing_left=None if working is None else working.left,
            kept_pairs=machine.kept_pairs,
            requested_pairs=machine.requested_pairs,
            warnings=tuple(machine.data_warnings()),
        )


def told_stage(stage: StageStatus, caller: Caller) -> StageStatus:
    """
    Where the project stands, as this caller may know it: parties are told no counts.

    But owners are told how many labels of the agreed number were given. Each of these is for a pair whose values both
    owners were asked for, so it tells them little more than the wishes that they hold.
    """
    labels = caller.role == Role.OWNER.value and stage.counted is CountedKind.LABELS
    return stage if caller.role == OPERATOR or labels else stage.without_figures()


def owners_warnings(machine: Any, caller: Caller) -> tuple[DataWarning, ...] | None:
    """
    What an owner is warned of; None for anybody else, and before the unit's work is done.

    It is told which keys and attributes look wrong and no figures but those of its own filters: counts of pairs would
    answer whether somebody is in the other register. Before the end, it could act on what it is told.
    """
    if caller.role != Role.OWNER.value or not machine.finished:
        return None
    mine = str(Address(caller.role, caller.name))
    found: list[DataWarning] = []
    for warning in machine.data_warnings():
        if warning.kind is not WarningKind.FILL_FAR_OFF:
            found.append(warning.without_figures())
        elif warning.subject == mine:
            found.append(warning)
    return tuple(found)


def _upload_status(found: KeptOut, uploads_left: int) -> UploadStatus:
    aside = found.set_aside
    return UploadStatus(
        kept_out=found.reasons,
        set_aside=None if aside is None else aside.why,
        records_set_aside=0 if aside is None else aside.records,
        uploads_left=uploads_left if aside is None else aside.uploads_left,
        uploads_allowed=UPLOADS,
    )


class AttributeUnitService(UnitService):
    """The attribute unit."""

    nothing_told = AttributeUnitStatus()

    def figures(self, project: str) -> SharesAnswered:
        """Which share of its wishes' pairs each owner answered."""
        return self.workers[project].host.look(answer_shares)

    def machine_status(self, machine: Any, caller: Caller, working: WorkUnderWay | None = None) -> AttributeUnitStatus:
        """What owners are warned of; to operators, pairs compared and labels spent."""
        del working
        if caller.role != OPERATOR:
            return replace(self.nothing_told, warnings=owners_warnings(machine, caller))
        warnings = tuple(machine.data_warnings())
        return AttributeUnitStatus(pairs=len(machine.layer), labels=machine.spent, warnings=warnings)
