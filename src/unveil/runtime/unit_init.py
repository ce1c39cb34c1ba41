"""A new unit's configuration: everything is checked as `unveil serve` checks it before the file is written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.projects.authority import check_authority
from unveil.projects.config_files import missing_file, open_secret
from unveil.projects.project import Project
from unveil.projects.project_file import load
from unveil.projects.unit_config import UnitConfig
from unveil.projects.unit_text import UnitSettings, unit_text
from unveil.protocol.roles import Role
from unveil.runtime.serve import members_of
from unveil.settings.reader import ProjectError
from unveil.transport.http.tls import Credentials, server_context

_KEPT: Final = "a unit's configuration is never replaced; edit it, or choose another file"
_HTTPS: Final = 443


@dataclass(frozen=True, slots=True)
class UnitFiles:
    """What the unit's operator gives, each by its option."""

    project: Path
    certificate: Path
    tls_key: Path
    authority: Path


@dataclass(frozen=True, slots=True)
class BegunUnit:
    """A configuration that was written, and what its operator should know."""

    config: UnitConfig
    project: Project
    notes: tuple[str, ...]


def begin_unit(
    role: Role,
    target: Path,
    files: UnitFiles,
    *,
    host: str | None = None,
    port: int | None = None,
    database: str | None = None,
    data: str | None = None,
    engine: str = "auto",
    demonstration: bool = False,
) -> BegunUnit:
    """Write the configuration of a unit, unless anything is wrong with what it names; it is never replaced."""
    if target.exists() or target.is_symlink():
        raise SettingError(f"{target}: exists already", hint=_KEPT)
    _check_files(files)
    project = load(files.project, demonstration=demonstration)
    address = urlsplit(project.address(role))
    folder = target.resolve().parent
    settings = UnitSettings(
        role=role,
        certificate=_beside(files.certificate, folder),
        key=_beside(files.tls_key, folder),
        authority=_beside(files.authority, folder),
        project=_beside(files.project, folder),
        address=address.geturl(),
        host=host or ("127.0.0.1" if address.hostname in {"127.0.0.1", "localhost"} else "0.0.0.0"),  # noqa: S104
        port=address.port or _HTTPS if port is None else port,
        database=database or f"{role.slug}.sqlite",
        data=data or f"{role.slug}-data",
        engine=engine,
    )
    with replacing(target, overwrite=False, hint=_KEPT) as temporary:
        temporary.write_text(unit_text(settings, file=target.name), encoding="utf-8")
        return _checked(role, temporary, target, demonstration=demonstration)


def _check_files(files: UnitFiles) -> None:
    problems = [
        *missing_file("--project", files.project),
        *missing_file("--certificate", files.certificate),
        *open_secret("--tls-key", files.tls_key),
        *missing_file("--authority", files.authority),
    ]
    if problems:
        mend = next((each.allowed for each in problems if "chmod" in each.allowed), None)
        first, *others = (f"{each.key} {each.what}" for each in problems)
        raise SettingError(first, hint=mend, details=others)


def _checked(role: Role, temporary: Path, target: Path, *, demonstration: bool) -> BegunUnit:
    """What `unveil serve` makes of the file, told under the name that the file will have."""
    try:
        config = UnitConfig.load(temporary, demonstration=demonstration)
        members = members_of(role, config, demonstration=demonstration)
    except ProjectError as error:
        if error.source != str(temporary):
            raise
        raise ProjectError(str(target), error.problems, hint=error.hint) from None
    server_context(Credentials(config.tls.authority, config.tls.certificate, config.tls.key))
    check_authority(config.tls.certificate, config.tls.authority)
    return BegunUnit(config, members[0].project, members[0].notes)


def _beside(path: Path, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder)
    except ValueError:  # on another drive
        return str(path.absolute())
