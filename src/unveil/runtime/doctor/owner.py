"""An owner's folder: would its commands work?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from unveil.files import key_file
from unveil.projects.membership import Membership, owner_membership
from unveil.projects.owner_config import OwnerConfig
from unveil.protocol.roles import Role
from unveil.roles.owner import policy_file
from unveil.runtime.assemble import two_owners
from unveil.runtime.doctor import calls, places
from unveil.runtime.doctor.diagnosis import Diagnosis, asked, fine, note, refused, wrong
from unveil.settings.reader import ProjectError, read_text


def owner(path: Path, *, call: bool, demonstration: bool) -> Iterator[Diagnosis]:
    """Everything that keeps the owner of this folder from its work; what is in its data, `unveil owner check` says."""
    try:
        config = OwnerConfig.load(path, demonstration=demonstration)
    except ProjectError as error:
        yield from refused("configuration", error)
        return
    yield fine("configuration", f"{config.source}: every key is known, every file is there")
    yield from asked("folder", lambda: places.folder("folder", config.source.parent))
    yield from asked("project", lambda: _project(config, demonstration=demonstration))
    yield from asked("certificate", lambda: places.certificate(config.tls))
    yield from asked("key", lambda: _key(config))
    yield from asked("data", lambda: _data(config))
    yield from asked("policy", lambda: _policy(config, demonstration=demonstration))
    yield from asked("database", lambda: places.database(config.database, role=Role.OWNER.value))
    yield places.disk(config.source.parent)
    if call:
        yield from asked("calls", lambda: calls.of_owner(config, _member(config, demonstration=demonstration)))


def _member(config: OwnerConfig, *, demonstration: bool) -> Membership:
    """Its part in the project, whatever its certificate is like: that is told beside."""
    return owner_membership(config, demonstration=demonstration, looking=True)


def _project(config: OwnerConfig, *, demonstration: bool) -> Iterator[Diagnosis]:
    member = owner_membership(config, demonstration=demonstration)
    two_owners(member.project)
    yield fine("project", f"{member.project.name}: {member.address}; fingerprint {member.project.fingerprint()}")


def _key(config: OwnerConfig) -> Iterator[Diagnosis]:
    key_file.read(config.key)
    yield fine("key", f"{config.key}: is a key, and nobody else can read it")


def _data(config: OwnerConfig) -> Iterator[Diagnosis]:
    if not os.access(config.data, os.R_OK):
        yield wrong("data", f"{config.data}: this user cannot read it", "give it to the user that runs this")
    else:
        size = config.data.stat().st_size
        yield fine("data", f"{config.data}: {size:,} bytes; unveil owner check says what would leave")


def _policy(config: OwnerConfig, *, demonstration: bool) -> Iterator[Diagnosis]:
    if config.policy is None:
        yield note("policy", "there is none, so every wish within the project file is answered")
        return
    names = _member(config, demonstration=demonstration).project.linkage.names
    policy_file.parse(read_text(config.policy), names=names, source=str(config.policy))
    yield fine("policy", f"{config.policy}: every rule is known")
