"""A unit process: configuration, separation from the other units, workers, server."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from fastapi import FastAPI

import unveil
from unveil.errors import ClaimedError, EngineError
from unveil.projects.certificates import read_certificate
from unveil.projects.membership import Membership, unit_memberships
from unveil.projects.project import Project
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Role
from unveil.runtime.assemble import unit_machine
from unveil.runtime.claim import Claim
from unveil.runtime.closing import forget_if_closed
from unveil.runtime.host import Host
from unveil.runtime.operations import Surroundings, UsedCertificate
from unveil.runtime.reviews import ReviewUnitService
from unveil.runtime.stage_lines import StageLines
from unveil.runtime.units import AttributeUnitService, RecordUnitService, UnitService
from unveil.runtime.worker import Worker, unit_address, unit_clients
from unveil.storage.database import Database
from unveil.transport.http.app import application
from unveil.transport.http.bell import Bell
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.server import OnReady, serve
from unveil.transport.http.tls import Credentials, server_context
from unveil.transport.logs import Log, configure

AddPages = Callable[[FastAPI, UnitService, Log], None]
_SERVICES: dict[Role, type[UnitService]] = {
    Role.RECORD_UNIT: RecordUnitService,
    Role.ATTRIBUTE_UNIT: AttributeUnitService,
    Role.REVIEW_UNIT: ReviewUnitService,
}


def serve_unit(
    role: Role,
    config: UnitConfig,
    *,
    demonstration: bool,
    on_ready: OnReady,
    on_note: Callable[[str], None] = lambda _: None,
    add_pages: AddPages | None = None,
    logs: TextIO = sys.stderr,
) -> None:
    """
    Run a unit until it is told to stop. `on_note` takes what a person should know before it starts.

    `add_pages` gives the application pages for browsers, for they lie above this room.
    """
    # Before anything is claimed or made: a unit that cannot take part leaves no mark.
    members = members_of(role, config, demonstration=demonstration)
    if role is Role.RECORD_UNIT:
        _check_engine(config)
    for note in dict.fromkeys(note for member in members for note in member.notes):
        on_note(note)
    tls = server_context(Credentials(config.tls.authority, config.tls.certificate, config.tls.key))
    claim = Claim(config.data, role.value, demonstration=demonstration)
    try:
        with Database.open(config.database, role=role.value, demonstration=demonstration) as database:
            log = configure(logs)
            workers = _workers(role, config, members, database, log)
            unit = _SERVICES[role](role, workers, database, _surroundings(config, members))
            limits = RequestLimits(frame=max(worker.project.limits.message_bytes for worker in workers.values()))
            app = application(unit, limits=limits, clock=time.time, log=log)
            if add_pages is not None:
                add_pages(app, unit, log)
            log.info("started", role=role.value, version=unveil.__version__, count=len(workers))
            for name, worker in workers.items():
                worker.changed = _ring(app.state.bell, name)
                worker.host.noticed = StageLines(name, log).look
                worker.start()
            try:
                serve(app, tls, config.host, config.port, on_ready)
            finally:
                for worker in workers.values():
                    worker.stop()
                log.info("stopped", role=role.value)
    finally:
        claim.release()


def _check_engine(config: UnitConfig) -> None:
    """EngineError if this machine does not have the engine of the configuration, rather than once records are there."""
    from unveil.engines import choose

    try:
        choose(config.engine)
    except EngineError as error:
        raise EngineError(f"{config.source}: engine: {error.message}", hint=error.hint) from None


def _surroundings(config: UnitConfig, members: Sequence[Membership]) -> Surroundings:
    calling = [(member.project.name, member.certificate) for member in members]
    others = [UsedCertificate(name, path) for name, path in calling if path != config.tls.certificate]
    return Surroundings((UsedCertificate("", config.tls.certificate), *others), config.data)


def _ring(bell: Bell, project: str) -> Callable[[], None]:
    return lambda: bell.ring(project)


def members_of(role: Role, config: UnitConfig, *, demonstration: bool) -> Sequence[Membership]:
    """The unit in each of its projects, checked: what is wrong here keeps it from listening."""
    members = unit_memberships(config, unit_address(role), demonstration=demonstration)
    if not demonstration:
        _check_listening(config.tls.certificate, members)
    _check_separation([member.project for member in members], demonstration=demonstration)
    return members


def _workers(
    role: Role, config: UnitConfig, members: Sequence[Membership], database: Database, log: Log
) -> dict[str, Worker]:
    workers = {}
    for member in members:
        project = member.project
        entries = database.project(project.name)
        forget_if_closed(entries, config.data)  # in case the process that closed it was killed before it did so
        build = unit_machine(
            role,
            project,
            entries,
            data=config.data,
            seed=config.seed,
            engine=config.engine,
            memory=config.columns_in_memory << 20,
        )
        host = Host(build, entries, clock=time.time)
        own = Credentials(config.tls.authority, member.certificate, member.key)
        workers[project.name] = Worker(project, host, log, unit_clients(role, project, own))
    return workers


def _check_listening(certificate: Path, members: Sequence[Membership]) -> None:
    """This unit must listen with the key that callers expect, and that is nobody else's."""
    public_key = read_certificate(certificate).public_key
    for member in members:
        if member.project.server_key(member.address.role) != public_key:
            raise ClaimedError(
                f"{certificate}: not the key by which callers know this unit in project {member.project.name}",
                hint="unveil project join --server-certificate names another one than the unit calls with",
            )
        others = [party for party in member.project.parties_of(public_key) if party != member.address]
        if others:
            raise ClaimedError(
                f"{certificate}: the unit listens with the key of the {others[0]} in project {member.project.name}",
                hint="give every party a key of its own; only a demonstration may share one",
            )


def _check_separation(projects: list[Project], *, demonstration: bool) -> None:
    """A certificate stands for one party in one project; two projects of one name cannot be told apart."""
    seen: dict[str, str] = {}
    for project in projects:
        for party in project.parties:
            other = seen.setdefault(party.public_key, project.name)
            if other != project.name and not demonstration:
                raise ClaimedError(
                    f"the key of {party.party} in project {project.name} is used in project {other} too",
                    hint="give every party a certificate of its own for each project",
                )
