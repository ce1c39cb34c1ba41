"""A unit's configuration: would it start, and is it the one that callers expect?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from unveil import engines
from unveil.projects.certificates import read_certificate
from unveil.projects.project_file import load
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Role
from unveil.runtime.assemble import two_owners
from unveil.runtime.claim import is_held
from unveil.runtime.doctor import calls, places
from unveil.runtime.doctor.diagnosis import Diagnosis, asked, fine, refused, wrong
from unveil.runtime.serve import members_of
from unveil.runtime.unit_health import local_address, unit_health
from unveil.settings.reader import ProjectError
from unveil.transport.http.free_address import why_not_listen

_LISTEN_CURE: Final = "host and port stand under [listen]; another process may have to end"


def unit(path: Path, *, call: bool, demonstration: bool) -> Iterator[Diagnosis]:
    """Everything that keeps the unit of this configuration from its work."""
    try:
        config = UnitConfig.load(path, demonstration=demonstration)
    except ProjectError as error:
        yield from refused("configuration", error)
        return
    yield fine("configuration", f"{path}: every key is known, every file is there")
    role = config.role or _role_of(config, demonstration=demonstration)
    if role is None:
        cure = "unveil pki show has the key of the certificate, unveil project show those of the project"
        yield wrong("project", "the certificate is that of no unit in the project file", cure)
        return
    if "@" in config.database:
        yield from places.secret("configuration", path)
    yield from asked("project", lambda: _project(role, config, demonstration=demonstration))
    yield from asked("certificate", lambda: places.certificate(config.tls))
    for entry in config.projects:
        if entry.certificate != config.tls.certificate:
            own = type(config.tls)(entry.certificate, entry.key, config.tls.authority)
            yield from asked("certificate", partial(places.certificate, own))
    yield from asked("database", lambda: places.database(config.database, role=role.value))
    yield from asked("data folder", lambda: places.folder("data folder", config.data))
    yield places.disk(config.data)
    yield from asked("address", lambda: _address(config, role))
    if role is Role.RECORD_UNIT:
        yield from _engine(config)
    if call:
        yield from asked("calls", lambda: calls.of_unit(config, role, demonstration=demonstration))


def _role_of(config: UnitConfig, *, demonstration: bool) -> Role | None:
    """The unit that the first project knows by this certificate, where the file does not say."""
    project = load(config.projects[0].file, demonstration=demonstration)
    party = project.party(read_certificate(config.projects[0].certificate).public_key)
    return next((role for role in Role if party is not None and role.value == party.role_name), None)


def _project(role: Role, config: UnitConfig, *, demonstration: bool) -> Iterator[Diagnosis]:
    for member in members_of(role, config, demonstration=demonstration):
        two_owners(member.project)
        yield fine("project", f"{member.project.name}: the {role.value}; fingerprint {member.project.fingerprint()}")


def _address(config: UnitConfig, role: Role) -> Iterator[Diagnosis]:
    if is_held(config.data, role.value):
        unit_health(config)
        yield fine("address", f"the unit is at work and answers at {local_address(config)}")
    elif (reason := why_not_listen(config.host, config.port)) is None:
        yield fine("address", f"{config.host}:{config.port} is free")
    else:
        yield wrong("address", f"cannot listen on {config.host}:{config.port}: {reason}", _LISTEN_CURE)


def _engine(config: UnitConfig) -> Iterator[Diagnosis]:
    problem = None if config.engine == "auto" else engines.problem(config.engine)
    if problem is None:
        yield fine("engine", config.engine)
    else:
        yield wrong("engine", problem.message, 'engine = "auto" takes the fastest that there is')
