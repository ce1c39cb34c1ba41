"""
What whoever runs a unit sees of it, as values: for its page, its gauges and nobody else.

Counts, shares, times and names of parties; nothing about any record, pair or reviewer. What only one role can tell is a
value of that role's own: the linkage at the record unit, answers at the attribute unit, pace at the review unit.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import unveil
from unveil.errors import UnveilError
from unveil.projects.certificates import read_certificate
from unveil.protocol.stages import StageStatus
from unveil.runtime.answer_shares import SharesAnswered
from unveil.runtime.linkage_figures import LinkageFigures
from unveil.runtime.review_pace import ReviewPace
from unveil.transport.port import OPERATOR, Caller
from unveil.transport.status import UnitStatus

if TYPE_CHECKING:
    from unveil.runtime.units import UnitService


#: What only one role can tell of a project.
RoleFigures: TypeAlias = LinkageFigures | SharesAnswered | ReviewPace


@dataclass(frozen=True, slots=True)
class UsedCertificate:
    """A certificate of the unit: in which project it calls with it, or "" for the one that it listens with."""

    project: str
    path: Path


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a unit's process runs with; nothing of it is known in tests and demonstrations."""

    certificates: tuple[UsedCertificate, ...] = ()
    folder: Path | None = None  #: on whose disk the unit writes
    clock: Callable[[], float] = time.time
    started: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True)
class CertificateEnd:
    """When a certificate of the unit ends, in seconds since 1970; None if its file cannot be read any more."""

    project: str
    ends: float | None


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """The database and the disk: which kind, and bytes; None where nothing is known."""

    kind: str
    database: int | None
    disk_free: int | None
    disk: int | None


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """Messages of one project: received, sent and acknowledged, and by recipient those that wait."""

    received: int
    delivered: int
    waiting: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """One project at this unit; of a closed one counts alone."""

    name: str
    status: UnitStatus
    messages: MessageFacts
    moved: float | None  #: when the last message came or the last decision was taken
    figures: RoleFigures | None

    @property
    def stage(self) -> StageStatus | None:
        """Where it stands and whom it waits for; None of a closed one."""
        return self.status.stage


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """The unit's process and those of its projects that were asked for."""

    role: str
    version: str
    started: float
    now: float
    store: StoreFacts
    certificates: tuple[CertificateEnd, ...]
    projects: tuple[ProjectFacts, ...]


def unit_facts(unit: UnitService, projects: Collection[str]) -> UnitFacts:
    """What there is to see of a unit, of these projects and no other."""
    around = unit.surroundings
    return UnitFacts(
        role=unit.role.value,
        version=unveil.__version__,
        started=around.started,
        now=around.clock(),
        store=_store(unit),
        certificates=tuple(_end(each) for each in around.certificates if each.project in {"", *projects}),
        projects=tuple(_project(unit, name) for name in sorted(unit.workers) if name in projects),
    )


def _project(unit: UnitService, name: str) -> ProjectFacts:
    host = unit.workers[name].host
    counts, waiting = host.log.counts(), host.log.waiting()
    status = unit.unit_status(name, Caller(OPERATOR))
    messages = MessageFacts(counts["messages"], counts["sent"] - counts["waiting"], waiting)
    return ProjectFacts(name, status, messages, host.log.moved(), None if status.closed else unit.figures(name))


def _store(unit: UnitService) -> StoreFacts:
    size = free = whole = None
    with suppress(UnveilError, OSError):
        size = unit.database_size()
    if unit.surroundings.folder is not None:
        with suppress(OSError):
            found = shutil.disk_usage(unit.surroundings.folder)
            free, whole = found.free, found.total
    return StoreFacts(unit.database_kind, size, free, whole)


def _end(used: UsedCertificate) -> CertificateEnd:
    try:
        return CertificateEnd(used.project, read_certificate(used.path).not_after.timestamp())
    except (UnveilError, OSError):
        return CertificateEnd(used.project, None)
