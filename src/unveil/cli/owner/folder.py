"""An owner's folder from outside: its configuration, and its log as far as one can look without disturbing work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from unveil.cli.app import notes
from unveil.cli.owner.standing import Standing
from unveil.errors import NoLogError, SettingError
from unveil.projects.owner_config import FILE_NAME, OwnerConfig
from unveil.protocol.roles import Role
from unveil.records import Records
from unveil.roles.owner.machine import Owner
from unveil.runtime.owner.folder import OwnerFolder
from unveil.storage.database import Database
from unveil.storage.log.log import ProjectLog

CHANGED: Final = "the data has changed since the linkage began"
CHANGED_HINT: Final = "put the data back as it was, or start anew in another folder"
_SQLITE: Final = "sqlite:///"


def load_config(folder: Path, *, demonstration: bool) -> OwnerConfig:
    """The configuration in that folder."""
    if not folder.exists():
        raise SettingError(f"{folder}: no such folder", hint="unveil owner init makes it")
    if folder.is_dir() and not (folder / FILE_NAME).exists():
        raise SettingError(f"{folder}: holds no {FILE_NAME}", hint="unveil owner init makes one")
    return OwnerConfig.load(folder, demonstration=demonstration)


def home(config: OwnerConfig) -> Path:
    """The folder that the owner works in."""
    return config.source.resolve().parent


@contextmanager
def looking(config: OwnerConfig, project: str) -> Iterator[ProjectLog | None]:
    """The owner's log, to be read while another process may write it; None while nothing was begun."""
    if config.database.startswith(_SQLITE) and not Path(config.database.removeprefix(_SQLITE)).exists():
        yield None
        return
    try:
        opened = Database.inspect(config.database)
    except NoLogError:  # another process is just making it
        yield None
        return
    with opened as database:
        wanted = (Role.OWNER.value, config.name, project)
        yield next((log for log in database.logs() if (log.role, log.identity, log.name) == wanted), None)


def check_unchanged(folder: OwnerFolder) -> None:
    """SettingError if the data is not what the linkage began with."""
    with looking(folder.config, folder.member.project.name) as log:
        if log is not None and has_changed(folder.records, Standing().read(log)):
            raise SettingError(f"{CHANGED}: handles would stand for other records", hint=CHANGED_HINT)


def has_changed(records: Records, standing: Standing) -> bool:
    """Whether these are other records than those that handles were drawn for."""
    return bool(standing.digest) and standing.digest != records.digest()


@dataclass(frozen=True, slots=True)
class View:
    """An owner's data and policy, its log, and its machine as the log has it: to look at, not to work with."""

    folder: OwnerFolder
    log: ProjectLog
    machine: Owner


@contextmanager
def viewing(path: Path, *, demonstration: bool) -> Iterator[View | None]:
    """Everything about an owner, while another process may work; None while nothing was begun."""
    config = load_config(path, demonstration=demonstration)
    with notes.status("reading records"):
        folder = OwnerFolder.load(config, demonstration=demonstration, looking=True)
    with looking(config, folder.member.project.name) as log:
        with notes.status("reading the log"):
            view = None if log is None else View(folder, log, folder.host_on(log).machine)
        yield view
