"""
The end of a project at one unit: everything is erased but counts, the link table and the chain of the log.

Closing cannot be undone. Messages that were not fetched yet would be lost, and work that has not ended would never end,
so it is refused while there is any.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unveil.errors import SettingError
from unveil.projects.membership import unit_memberships
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.machine import Machine
from unveil.protocol.roles import Role
from unveil.runtime.assemble import cache_folder, unit_machine
from unveil.runtime.host import Host
from unveil.runtime.worker import unit_address
from unveil.storage.cache import Cache
from unveil.storage.database import Database
from unveil.storage.log.log import ProjectLog


def close_project(role: Role, config: UnitConfig, name: str, *, force: bool, demonstration: bool) -> dict[str, int]:
    """Close a project at this unit and return its counts; a server at work sees it with the next request."""
    members = unit_memberships(config, unit_address(role), demonstration=demonstration, looking=True)
    project = next((member.project for member in members if member.project.name == name), None)
    if project is None:
        raise SettingError(f"{config.source}: no project is called that")
    with Database.open(config.database, role=role.value, demonstration=demonstration) as database:
        log = database.project(name)
        build = unit_machine(role, project, log, data=config.data, seed=config.seed)
        counts = close(Host(build, log, clock=time.time), force=force)
        forget_if_closed(log, config.data)
    return counts


def close(host: Host[Any], *, force: bool) -> dict[str, int]:
    """Close a host's project and return its counts; refused while something is left to do, unless by force."""

    def result(machine: Machine, counts: Mapping[str, int]) -> Mapping[str, bytes]:
        left = f"{counts['waiting']} messages were not delivered yet" if counts["waiting"] else machine.unfinished()
        if left and not force:
            raise SettingError(left, hint="wait for that, or give the project up: --force")
        return machine.kept_at_closing()

    return host.close(result)


def forget_if_closed(log: ProjectLog, data: Path) -> None:
    """Remove what was cached of a closed project: it was computed from what is erased."""
    if log.state == "closed":
        Cache(cache_folder(data, log.name)).clear()
