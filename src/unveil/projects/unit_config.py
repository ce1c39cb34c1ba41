"""
What a unit is told by whoever runs it: `unveil serve ROLE --config FILE`.

    role = "record-unit"                  # whose configuration this is; not needed
    engine = "auto"                       # what the record unit compares with
    database = "unit.sqlite"              # a file, or postgresql://…
    data = "data"                         # folder for what can be computed again
    columns_in_memory = 1024              # MB of pairs that the record unit holds; what is more lies in data

    [listen]
    host = "127.0.0.1"
    port = 8443

    [tls]
    certificate = "record-unit.pem"
    key = "record-unit.key"
    authority = "authority.pem"

    [[projects]]
    file = "project.toml"                 # perhaps with a certificate and key for this project alone

Paths are relative to the file. Every mistake is explained by its key; a database's URL, which may hold a password, is
never shown. `unveil unit init` writes such a file, each setting explained (`unit_text`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field

from unveil.errors import Problem
from unveil.projects.config_files import (
    DemonstrationFile,
    Tls,
    TlsFile,
    beside,
    database_problems,
    database_url,
    demonstration_problems,
    missing_file,
    open_secret,
    tls_problems,
)
from unveil.projects.project import is_host
from unveil.protocol.roles import Role
from unveil.settings.base import Settings
from unveil.settings.mistakes import shown
from unveil.settings.reader import ProjectError, SettingsKind
from unveil.settings.reader import load as load_settings


class _ListenFile(Settings):
    host: str = Field("127.0.0.1", description="address of this machine to listen on; 0.0.0.0 for all")
    port: int = Field(8443, ge=0, le=65535, description="port; 0 lets the system choose one")


class _ProjectFile(Settings):
    file: str = Field(min_length=1, description="project file")
    certificate: str | None = Field(None, min_length=1, description="certificate for this project; [tls] if not given")
    key: str | None = Field(None, min_length=1, description="private key for this project; [tls] if not given")


UnitSlug = Literal["record-unit", "attribute-unit", "review-unit"]
#: The names of `engines`, which lies beyond what this room may import; a test holds them together.
EngineChoice = Literal["auto", "reference", "cpu", "gpu", "spark"]


class _UnitFile(Settings):
    role: UnitSlug | None = Field(None, description="the unit that this is for; checked if given")
    engine: EngineChoice = Field("auto", description="what the record unit compares with; see unveil engines")
    database: str = Field(min_length=1, description="file of a SQLite database, or postgresql://…")
    data: str = Field("data", min_length=1, description="folder for what can be computed again; made if missing")
    columns_in_memory: int = Field(
        1024, ge=1, description="MB of columns of pairs that the record unit holds in memory; what is more lies in data"
    )
    listen: _ListenFile = _ListenFile()
    tls: TlsFile = Field(description="this unit's certificate")
    projects: tuple[_ProjectFile, ...] = Field(min_length=1, description="one table per project")
    demonstration: DemonstrationFile | None = Field(None, description="only with --demonstration")


@dataclass(frozen=True, slots=True)
class UnitProject:
    """A project file, and the certificate under which this unit takes part in it."""

    file: Path
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class UnitConfig:
    """What a unit is told, paths resolved and defaults filled in."""

    source: Path
    host: str
    port: int
    database: str = field(repr=False)  #: sqlite:///PATH or postgresql://…; may hold a password
    data: Path
    tls: Tls
    projects: tuple[UnitProject, ...]
    seed: int | None  #: of a demonstration
    role: Role | None = None  #: None if the file does not say
    engine: str = "auto"
    columns_in_memory: int = 1024  #: MB

    @classmethod
    def load(cls, path: Path, *, demonstration: bool = False) -> UnitConfig:
        """The configuration in that file, whose files are all there."""
        folder = path.resolve().parent
        kind = SettingsKind(
            model=_UnitFile,
            error=ProjectError,
            cross_check=lambda value: _cross_check(value, folder, demonstration=demonstration),
            hint="paths are relative to this file",
        )
        file = load_settings(path, kind)
        tls = Tls.beside(folder, file.tls)
        return cls(
            source=path,
            host=file.listen.host,
            port=file.listen.port,
            database=database_url(file.database, folder),
            data=beside(folder, file.data),
            tls=tls,
            projects=tuple(_project(each, folder, tls) for each in file.projects),
            seed=None if file.demonstration is None else file.demonstration.seed,
            role=None if file.role is None else Role.of_slug(file.role),
            engine=file.engine,
            columns_in_memory=file.columns_in_memory,
        )


def _project(entry: _ProjectFile, folder: Path, tls: Tls) -> UnitProject:
    return UnitProject(
        file=beside(folder, entry.file),
        certificate=beside(folder, entry.certificate) if entry.certificate else tls.certificate,
        key=beside(folder, entry.key) if entry.key else tls.key,
    )


def _cross_check(file: _UnitFile, folder: Path, *, demonstration: bool) -> list[Problem]:
    problems = [
        *database_problems(file.database),
        *tls_problems(folder, file.tls),
        *demonstration_problems(file.demonstration, demonstration=demonstration),
    ]
    if not is_host(file.listen.host):
        problems.append(Problem("listen.host", f"{shown(file.listen.host)} is no address", "such as 127.0.0.1"))
    if beside(folder, file.data).exists() and not beside(folder, file.data).is_dir():
        problems.append(Problem("data", f"{beside(folder, file.data)}: is not a folder", "a folder"))
    for index, entry in enumerate(file.projects):
        place = f"projects.{index}"
        problems += missing_file(f"{place}.file", beside(folder, entry.file))
        if (entry.certificate is None) != (entry.key is None):
            absent = "certificate" if entry.certificate is None else "key"
            problems.append(Problem(f"{place}.{absent}", "missing", "certificate and key together, or neither"))
        if entry.certificate is not None:
            problems += missing_file(f"{place}.certificate", beside(folder, entry.certificate))
        if entry.key is not None:
            problems += open_secret(f"{place}.key", beside(folder, entry.key))
    return problems
