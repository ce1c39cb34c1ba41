"""
Whether a party is in a project at all, and can take part now.

Its certificate must be the one that the project file lists for it, and it must do (`own_certificate`): a party whose
certificate has ended hears so from its own command, not from units that hang up. Commands that only look, or that end
a project, are `looking`: they need no certificate that is in force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from unveil.errors import Problem
from unveil.projects.certificates import read_certificate
from unveil.projects.own_certificate import certificate_problems, ends_soon
from unveil.projects.owner_config import OwnerConfig
from unveil.projects.project import Project
from unveil.projects.project_file import load
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Address, owner
from unveil.settings.reader import ProjectError


@dataclass(frozen=True, slots=True)
class Membership:
    """A project and how this party takes part in it; `notes` are for whoever watches over its certificates."""

    project: Project
    address: Address
    certificate: Path
    key: Path
    notes: tuple[str, ...] = ()


def unit_memberships(
    config: UnitConfig, unit: Address, *, demonstration: bool = False, looking: bool = False
) -> tuple[Membership, ...]:
    """The projects of a unit; ProjectError where it is not the unit that the project file lists, or cannot be now."""
    found: list[Membership] = []
    problems = [] if config.role in {None, unit.role} else [_another_role(config, unit)]
    for index, entry in enumerate(config.projects):
        project = load(entry.file, demonstration=demonstration)
        if project.name in {each.project.name for each in found}:
            problems.append(Problem(f"projects.{index}.file", f"{project.name} is there already", "each project once"))
        problems += _stranger(f"projects.{index}.certificate", project, unit, entry.certificate)
        uses = () if looking else _uses(config, index, project.address(unit.role))
        notes = _judge(uses, problems)
        found.append(Membership(project, unit, entry.certificate, entry.key, tuple(notes)))
    if problems:
        raise ProjectError(str(config.source), list(dict.fromkeys(problems)))
    return tuple(found)


def owner_membership(config: OwnerConfig, *, demonstration: bool = False, looking: bool = False) -> Membership:
    """The project of an owner; ProjectError if the project file does not list it, or its certificate will not do."""
    project, party = load(config.project, demonstration=demonstration), owner(config.name)
    if party not in project.owners():
        names = ", ".join(each.name for each in project.owners())
        raise ProjectError(str(config.source), [Problem("name", f"not an owner in {project.name}", names)])
    certificate = config.tls.certificate
    problems = _stranger("tls.certificate", project, party, certificate)
    notes = _judge([] if looking else [_Use("tls.certificate", certificate, calls=True)], problems)
    if problems:
        raise ProjectError(str(config.source), problems)
    return Membership(project, party, certificate, config.tls.key, tuple(notes))


def _another_role(config: UnitConfig, unit: Address) -> Problem:
    assert config.role is not None
    return Problem("role", f"this is the configuration of the {config.role.value}, not of the {unit}", unit.role.slug)


@dataclass(frozen=True, slots=True)
class _Use:
    """What a certificate is used for: to call, and to listen at an address."""

    key: str
    certificate: Path
    calls: bool = False
    address: str | None = None


def _uses(config: UnitConfig, index: int, address: str) -> tuple[_Use, ...]:
    """A unit listens with one certificate for all projects, and may call with another one in each."""
    listening, calling = config.tls.certificate, config.projects[index].certificate
    if listening == calling:
        return (_Use("tls.certificate", listening, calls=True, address=address),)
    return (
        _Use("tls.certificate", listening, address=address),
        _Use(f"projects.{index}.certificate", calling, calls=True),
    )


def _judge(uses: Sequence[_Use], problems: list[Problem]) -> list[str]:
    """Add what is wrong with these certificates to the problems; return what is about to be."""
    now, notes = datetime.now(UTC), []
    for use in uses:
        found = read_certificate(use.certificate)
        problems += certificate_problems(use.key, use.certificate, found, now, calls=use.calls, address=use.address)
        note = ends_soon(use.certificate, found, now)
        notes += [] if note is None else [note]
    return notes


def _stranger(key: str, project: Project, party: Address, certificate: Path) -> list[Problem]:
    public_key = read_certificate(certificate).public_key
    if party in project.parties_of(public_key):
        return []
    holder = project.party(public_key)
    whose = f"that of the {holder}" if holder else "unknown"
    what = f"{certificate}: is {whose} in {project.name}, not that of the {party}"
    return [Problem(key, what, f"the certificate with the public key {project.public_key(party)}")]
