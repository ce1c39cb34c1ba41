"""
Three units that serve two projects, as they would be set up in earnest: no seed, no shared key, database or folder.

Every party has a certificate of its own in each project; the units listen with one more that is in neither.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path

from tomli_w import dumps as document

from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.projects import pki, project_file
from unveil.projects.certificates import read_certificate
from unveil.projects.project import Party, Project, ProjectLimits
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset
from unveil.transport.http.tls import Credentials

PROJECTS = ("alpha", "beta")
OWNERS = ("north", "south")
PARTIES = (*UNIT_FOLDERS, *OWNERS)
FRAME = 2 << 20  # bytes of the largest message


@dataclass(frozen=True)
class TwoProjects:
    """The folder with everybody's files."""

    root: Path

    @property
    def authority(self) -> Path:
        """The certificate of the authority that everybody trusts."""
        return self.root / "pki" / "authority.pem"

    def credentials(self, name: str) -> Credentials:
        """A certificate by the name of its files, such as alpha-north."""
        return Credentials(self.authority, self.root / "pki" / f"{name}.pem", self.root / "pki" / f"{name}.key")

    def project(self, name: str) -> Project:
        """A project as its file says."""
        return project_file.load(self.root / f"{name}.toml")

    def config(self, unit: str) -> Path:
        """A unit's configuration."""
        return self.root / unit / "unit.toml"

    def database(self, unit: str) -> str:
        """A unit's database."""
        return f"sqlite:///{self.root / unit / 'log.sqlite'}"


def small_schema() -> Schema:
    """The built-in schema."""
    return with_preset(built_in(), "unveil", budget=20)


def make(root: Path) -> TwoProjects:
    """Write everything."""
    found, ports = TwoProjects(root), dict(zip(UNIT_FOLDERS, free_ports(len(UNIT_FOLDERS)), strict=True))
    pki.new_authority(root / "pki")
    for unit in ports:
        pki.issue(root / "pki", f"listening-{unit}")
    for name in PROJECTS:
        parties = []
        for party in PARTIES:
            pki.issue(root / "pki", f"{name}-{party}")
            key = read_certificate(root / "pki" / f"{name}-{party}.pem").public_key
            address = f"https://127.0.0.1:{ports[party]}" if party in UNIT_FOLDERS else None
            role, own = (UNIT_FOLDERS[party].value, "") if party in UNIT_FOLDERS else ("owner", party)
            fields: dict[str, object] = {"role": role, "name": own, "address": address, "public_key": key}
            if party in UNIT_FOLDERS:
                fields["server_key"] = read_certificate(root / "pki" / f"listening-{party}.pem").public_key
            parties.append(Party.model_validate(fields))
        limits = ProjectLimits(message_bytes=FRAME, records_per_owner=5000)
        project = Project(name=name, parties=tuple(parties), schema=small_schema(), limits=limits)
        project_file.write_new(root / f"{name}.toml", project)
    for unit, port in ports.items():
        (root / unit).mkdir()
        found.config(unit).write_text(document(unit_config(unit, port)), encoding="utf-8")
    return found


def unit_config(unit: str, port: int) -> dict[str, object]:
    """What a unit is told."""
    keys = {"certificate": f"../pki/listening-{unit}.pem", "key": f"../pki/listening-{unit}.key"}
    projects = [
        {"file": f"../{name}.toml", "certificate": f"../pki/{name}-{unit}.pem", "key": f"../pki/{name}-{unit}.key"}
        for name in PROJECTS
    ]
    return {
        "database": "log.sqlite",
        "data": "data",
        "listen": {"host": "127.0.0.1", "port": port},
        "tls": {**keys, "authority": "../pki/authority.pem"},
        "projects": projects,
    }


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
