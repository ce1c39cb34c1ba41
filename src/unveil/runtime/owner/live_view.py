"""
An owner's folder looked at for long: its data read once, its log followed while another process may write it.

Nothing is claimed and nothing is written; the machine is asked and never decides.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from unveil.roles.owner.machine import Owner
from unveil.runtime.host import Host
from unveil.runtime.owner.folder import OwnerFolder, load_config
from unveil.runtime.owner.live_policy import LivePolicy
from unveil.runtime.owner.observer import OwnerObserver
from unveil.runtime.owner.progress import OwnerProgress
from unveil.runtime.owner.view import OwnerView, reading_log
from unveil.storage.log.log import ProjectLog

T = TypeVar("T")


class LiveView:
    """One owner's folder. Threads may share it; one looks at a time."""

    def __init__(self, folder: OwnerFolder) -> None:
        self.folder = folder
        self.progress = OwnerProgress()
        self._lock = threading.Lock()
        self._opened = ExitStack()
        self._log: ProjectLog | None = None
        self._host: Host[Owner] | None = None
        self.rules = LivePolicy(folder)

    @classmethod
    @contextmanager
    def open(cls, path: Path, *, demonstration: bool, observer: OwnerObserver) -> Iterator[LiveView]:
        """Read data, key and policy, and follow the log until the block ends."""
        config = load_config(path, demonstration=demonstration)
        with observer.busy("reading records"):
            folder = OwnerFolder.load(config, demonstration=demonstration, looking=True)
        view = cls(folder)
        try:
            with observer.busy("reading the log"):
                view.look(lambda _: None)
            yield view
        finally:
            view._opened.close()

    def look(self, at: Callable[[OwnerView | None], T]) -> T:
        """What `at` finds when everything that is in the log by now was taken in; it gets None if nothing was begun."""
        with self._lock:
            if self._log is None:
                self._begin()
            if self._log is None or self._host is None:
                return at(None)
            self._host.catch_up()
            self._host.look(lambda owner: self.rules.refresh(owner.obey))
            self.progress.read(self._log)
            machine = self._host.machine
            machine.check_data()
            return at(OwnerView(replace(self.folder, policy=self.rules.policy), self._log, machine))

    def _begin(self) -> None:
        name = self.folder.member.project.name
        with ExitStack() as opened:
            log = opened.enter_context(reading_log(self.folder.config, name))
            if log is not None:
                self._log, self._host = log, self.folder.host_on(log, lambda: self.rules.policy)
                self._opened.push(opened.pop_all())
