"""The units that a party calls: do they answer, are they those of the project, and do their clocks agree with ours?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from unveil.projects.membership import Membership
from unveil.projects.owner_config import OwnerConfig
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Role
from unveil.runtime.doctor.diagnosis import Diagnosis, asked, fine, note, wrong
from unveil.runtime.serve import members_of
from unveil.runtime.worker import neighbours
from unveil.transport.http.health import ask_health
from unveil.transport.http.tls import Credentials, client_context

_MINUTE: Final = 60.0  # seconds that clocks may differ


def of_unit(config: UnitConfig, role: Role, *, demonstration: bool) -> Iterator[Diagnosis]:
    """The units that this one sends messages to, in each project."""
    for member in members_of(role, config, demonstration=demonstration):
        own = Credentials(config.tls.authority, member.certificate, member.key)
        yield from _answers(member, own, neighbours(role))


def of_owner(config: OwnerConfig, member: Membership) -> Iterator[Diagnosis]:
    """The units that this owner sends messages to."""
    own = Credentials(config.tls.authority, config.tls.certificate, config.tls.key)
    yield from _answers(member, own, neighbours(Role.OWNER))


def _answers(member: Membership, own: Credentials, units: Sequence[Role]) -> Iterator[Diagnosis]:
    for unit in units:
        yield from asked(unit.value, partial(_answer, member, own, unit))


def _answer(member: Membership, own: Credentials, unit: Role) -> Iterator[Diagnosis]:
    project = member.project
    tls = client_context(own, server_key=project.server_key(unit))
    ahead = ask_health(project.address(unit), tls).ahead
    said = f"{project.address(unit)} answers"
    if ahead is None:
        yield note(unit.value, f"{said}, and does not say what time it is there")
    elif abs(ahead) > _MINUTE:
        way = "ahead of" if ahead > 0 else "behind"
        yield wrong(unit.value, f"{said}; its clock is {abs(ahead) / 60:.0f} minutes {way} ours", "set the wrong clock")
    else:
        yield fine(unit.value, said)
