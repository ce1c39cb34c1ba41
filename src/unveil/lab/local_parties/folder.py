"""
The folder of a trial: one subfolder for each party, and what they share.

    project.toml   pki/   people/   owner-a/   owner-b/   record-unit/   attribute-unit/   review-unit/
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tomli_w import dumps as document

from unveil.errors import SettingError
from unveil.files import key_file as keyfile
from unveil.files import private_file
from unveil.projects import pki, project_file
from unveil.projects.certificates import read_certificate
from unveil.projects.column_mapping import ColumnMapping
from unveil.projects.owner_config import columns_data
from unveil.projects.project import Party, Project
from unveil.protocol import roles
from unveil.schema import Schema

PROJECT: Final = "simulation"
UNIT_FOLDERS: Final = {role.slug: role for role in roles.UNITS}
OWNERS: Final = {"owner-a": "a", "owner-b": "b"}
PARTY_FOLDERS: Final = (*UNIT_FOLDERS, *OWNERS)


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial's folder."""

    root: Path

    @property
    def project_path(self) -> Path:
        """The project file that all parties share."""
        return self.root / "project.toml"

    @property
    def authority(self) -> Path:
        """The certificate of the trial's authority."""
        return self.root / "pki" / "authority.pem"

    def project(self) -> Project:
        """The project."""
        return project_file.load(self.project_path, demonstration=True)

    def config(self, party: str) -> Path:
        """The configuration of a party: a unit's file, an owner's folder."""
        return self.root / party / "unit.toml" if party in UNIT_FOLDERS else self.root / party

    def data(self, owner: str) -> Path:
        """An owner's records."""
        return self.root / "people" / f"{OWNERS[owner]}.csv"

    def database(self, party: str) -> str:
        """Where a party keeps its log."""
        path = self.root / party / "database.url"
        return path.read_text(encoding="utf-8") if path.exists() else f"sqlite:///{self.root / party / 'log.sqlite'}"


def make(
    root: Path,
    schema: Schema,
    *,
    seed: int,
    key: bytes,
    databases: Mapping[str, str] | None = None,
    policies: Mapping[str, str] | None = None,
    engine: str = "auto",
) -> Trial:
    """
    Write a trial's folder. People must be in `people/` already (a.csv and b.csv), under `root`.

    `databases` gives URLs to parties that shall not use SQLite, `policies` the text of owners' policies; the record
    unit compares with the engine of that name. Everything random follows from the seed, so the same trial has the same
    links.
    """
    trial = Trial(root)
    pki.new_authority(root / "pki")
    ports = _free_ports(len(UNIT_FOLDERS))
    parties = []
    for name in PARTY_FOLDERS:
        (root / name).mkdir()
        pki.issue(root / "pki", name)
        public_key = read_certificate(root / "pki" / f"{name}.pem").public_key
        if name in UNIT_FOLDERS:
            address = f"https://127.0.0.1:{ports.pop()}"
            parties.append(Party(role=UNIT_FOLDERS[name].value, address=address, public_key=public_key))
        else:
            parties.append(Party(role="owner", name=OWNERS[name], public_key=public_key))
    project = Project(name=PROJECT, parties=tuple(parties), schema=schema.without_columns())
    project_file.write_new(trial.project_path, project)
    keyfile.write(root / "project.key", key)
    for name, url in (databases or {}).items():
        _write_secret(root / name / "database.url", url)
    columns = ColumnMapping(schema.input.id, schema.columns)
    for name in PARTY_FOLDERS:
        _configure(trial, project, name, seed, policy=(policies or {}).get(name), columns=columns, engine=engine)
    return trial


def _configure(
    trial: Trial, project: Project, name: str, seed: int, *, policy: str | None, columns: ColumnMapping, engine: str
) -> None:
    tls = {
        "certificate": f"../pki/{name}.pem",
        "key": f"../pki/{name}.key",
        "authority": "../pki/authority.pem",
    }
    common = {"database": trial.database(name), "tls": tls, "demonstration": {"seed": seed}}
    folder = trial.root / name
    if name in UNIT_FOLDERS:
        port = int(project.address(UNIT_FOLDERS[name]).rsplit(":", 1)[1])
        listen = {"host": "127.0.0.1", "port": port}
        chosen = {} if engine == "auto" else {"engine": engine}
        unit = {"data": "data", **chosen, "listen": listen, "projects": [{"file": "../project.toml"}], **common}
        _write_secret(folder / "unit.toml", document(unit))
        return
    owner = {
        "project": "../project.toml",
        "name": OWNERS[name],
        "data": os.path.relpath(trial.data(name), folder),
        "key": "../project.key",
        **columns_data(columns),
        **common,
    }
    if policy is not None:
        (folder / "policy.toml").write_text(policy, encoding="utf-8")
        owner["policy"] = "policy.toml"
    _write_secret(folder / "unveil.toml", document(owner))


def _write_secret(path: Path, text: str) -> None:
    """A file that its owner alone can read: URLs of databases may hold passwords."""
    private_file.write_new(path, text.encode(), error=SettingError, why_kept="a trial begins in an empty folder")


def _free_ports(count: int) -> list[int]:
    """Ports that nobody uses now. The project file must name them before the units listen."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
