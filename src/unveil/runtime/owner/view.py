"""An owner's folder from outside: its log as far as one can look at it without disturbing work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from unveil.errors import NoLogError, SettingError
from unveil.projects.owner_config import OwnerConfig
from unveil.protocol.roles import Role
from unveil.records import Records
from unveil.roles.owner.machine import Owner
from unveil.runtime.owner.folder import OwnerFolder, load_config
from unveil.runtime.owner.observer import OwnerObserver
from unveil.runtime.owner.progress import OwnerProgress
from unveil.storage.database import Database
from unveil.storage.log.log import ProjectLog

CHANGED: Final = "the data has changed since the linkage began"
CHANGED_HINT: Final = "put the data back as it was; other data need a project of another name"
_SQLITE: Final = "sqlite:///"


@contextmanager
def reading_log(config: OwnerConfig, project: str) -> Iterator[ProjectLog | None]:
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
    with reading_log(folder.config, folder.member.project.name) as log:
        progress = None if log is None else OwnerProgress().read(log)
        # Before anything was uploaded it may change: it gets new handles then.
        if progress is not None and progress.parts is not None and has_changed(folder.records, progress):
            raise SettingError(f"{CHANGED}: handles would stand for other records", hint=CHANGED_HINT)


def has_changed(records: Records, progress: OwnerProgress) -> bool:
    """Whether these are other records than those that handles were drawn for."""
    return bool(progress.digest) and progress.digest != records.digest()


@dataclass(frozen=True, slots=True)
class OwnerView:
    """An owner's data and policy, its log, and its machine as the log has it: to look at, not to work with."""

    folder: OwnerFolder
    log: ProjectLog
    machine: Owner


@contextmanager
def viewing(path: Path, *, demonstration: bool, observer: OwnerObserver) -> Iterator[OwnerView | None]:
    """Everything about an owner, while another process may work; None while nothing was begun."""
    config = load_config(path, demonstration=demonstration)
    with observer.busy("reading records"):
        folder = OwnerFolder.load(config, demonstration=demonstration, looking=True)
    with reading_log(config, folder.member.project.name) as log:
        with observer.busy("reading the log"):
            view = None if log is None else OwnerView(folder, log, folder.host_on(log).machine)
            if view is not None:
                view.machine.check_data()
        yield view
