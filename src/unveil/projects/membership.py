"""Whether a party is in a project at all: its certificate must be the one that the project file lists for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unveil.errors import Problem
from unveil.projects.certificates import read_certificate
from unveil.projects.owner_config import OwnerConfig
from unveil.projects.project import Project
from unveil.projects.project_file import load
from unveil.projects.settings_file import ProjectError
from unveil.projects.unit_config import UnitConfig
from unveil.protocol.roles import Address, owner


@dataclass(frozen=True, slots=True)
class Membership:
    """A project and how this party takes part in it."""

    project: Project
    address: Address
    certificate: Path
    key: Path


def unit_memberships(config: UnitConfig, unit: Address, *, demonstration: bool = False) -> tuple[Membership, ...]:
    """The projects of a unit; ProjectError where it is not the unit that the project file lists."""
    found: list[Membership] = []
    problems: list[Problem] = []
    for index, entry in enumerate(config.projects):
        project = load(entry.file, demonstration=demonstration)
        if project.name in {each.project.name for each in found}:
            problems.append(Problem(f"projects.{index}.file", f"{project.name} is there already", "each project once"))
        problems += _stranger(f"projects.{index}.certificate", project, unit, entry.certificate)
        found.append(Membership(project, unit, entry.certificate, entry.key))
    if problems:
        raise ProjectError(str(config.source), problems)
    return tuple(found)


def owner_membership(config: OwnerConfig, *, demonstration: bool = False) -> Membership:
    """The project of an owner; ProjectError if the project file does not list this owner and certificate."""
    project, party = load(config.project, demonstration=demonstration), owner(config.name)
    if party not in project.owners():
        names = ", ".join(each.name for each in project.owners())
        raise ProjectError(str(config.source), [Problem("name", f"not an owner in {project.name}", names)])
    problems = _stranger("tls.certificate", project, party, config.tls.certificate)
    if problems:
        raise ProjectError(str(config.source), problems)
    return Membership(project, party, config.tls.certificate, config.tls.key)


def _stranger(key: str, project: Project, party: Address, certificate: Path) -> list[Problem]:
    public_key = read_certificate(certificate).public_key
    if party in project.parties_of(public_key):
        return []
    holder = project.party(public_key)
    whose = f"that of the {holder}" if holder else "unknown"
    what = f"{certificate}: is {whose} in {project.name}, not that of the {party}"
    return [Problem(key, what, f"the certificate with the public key {project.public_key(party)}")]
