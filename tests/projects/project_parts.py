"""Parts of projects for tests: public keys, parties, whole project files."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from unveil.projects import pki
from unveil.projects.project import Party, Project
from unveil.projects.project_file import project_text
from unveil.schema import Schema, built_in

UNITS = ("record unit", "attribute unit", "review unit")
HOSTS = tuple(f"{role[:3]}.example.org" for role in UNITS)


def public_key(name: str) -> str:
    """A public key's name that nobody holds."""
    return "sha256:" + base64.urlsafe_b64encode(hashlib.sha256(name.encode()).digest()).decode().rstrip("=")


def unit(role: str, *, port: int = 8443, key: str | None = None) -> Party:
    return Party(role=role, address=f"https://{role[:3]}.example.org:{port}", public_key=key or public_key(role))


def owner(name: str, *, key: str | None = None) -> Party:
    return Party(role="owner", name=name, public_key=key or public_key(name))


def project(*parties: Party, schema: Schema | None = None) -> Project:
    """A project of three units and two owners, or of the parties given."""
    everybody = parties or (*map(unit, UNITS), owner("a"), owner("b"))
    return Project.model_validate({"name": "trial", "parties": everybody, "schema": schema or built_in()})


def with_files(folder: Path) -> Project:
    """The same in a folder, with an authority, certificates and keys for everybody, and the file project.toml."""
    pki.new_authority(folder)
    parties = [unit(role, key=issued(folder, role.replace(" ", "-"), hosts=HOSTS)) for role in UNITS]
    parties += [owner(name, key=issued(folder, name)) for name in ("a", "b")]
    whole = project(*parties)
    (folder / "project.toml").write_text(project_text(whole), encoding="utf-8")
    return whole


def issued(folder: Path, name: str, hosts: tuple[str, ...] = ()) -> str:
    return pki.issue(folder, name, hosts=hosts).public_key
