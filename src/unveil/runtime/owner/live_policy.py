"""
The owner's policy as its file says now, for processes that run for long.

A change is taken up before the next decision. What cannot be read is no policy: until it can be, nothing is answered,
since whoever changed the file meant something else than what held before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from unveil.errors import UnveilError
from unveil.projects.owner_config import OwnerConfig
from unveil.roles.owner import policy_file
from unveil.roles.owner.policy import Policy
from unveil.runtime.owner.folder import OwnerFolder, read_policy
from unveil.settings.reader import read_text

_Stamp = tuple[tuple[str, int, int, int], ...]


class LivePolicy:
    """The policy of one folder; `problem` is why it cannot be read now, None if it can."""

    def __init__(self, folder: OwnerFolder) -> None:
        self.policy, self.config = folder.policy, folder.config
        self.problem: UnveilError | None = None
        self._member, self._records = folder.member, folder.records
        self._files = tuple(self._named())
        self._stamp: _Stamp = ()  # what was read before anybody watched is read once more

    def refresh(self, obey: Callable[[Policy], object]) -> bool:
        """Take up a change, if there is one, by handing it to `obey`; whether the policy can be followed now."""
        stamp = self._stamped()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self.config = OwnerConfig.load(self.config.source, demonstration=self.config.seed is not None)
                policy = read_policy(self.config, self._member, self._records)
                obey(policy)
            except UnveilError as error:
                self.problem = error
            else:
                self.policy, self.problem = policy, None
            before, self._files = self._files, tuple(self._named())
            if before != self._files:
                self._stamp = ()  # nobody watched a file that was not named before
        return self.problem is None

    def _named(self) -> Iterator[Path]:
        """The files that make the policy: the configuration that names it, itself, and its lists."""
        yield self.config.source
        path = self.config.policy
        if path is None:
            return
        yield path
        with suppress(UnveilError):
            file = policy_file.parse(read_text(path), names=self._member.project.linkage.names, source=str(path))
            lists = () if file.consent is None else file.consent.lists
            yield from (path.parent / one.file for one in lists)

    def _stamped(self) -> _Stamp:
        """What changes when one of the files is written or replaced."""
        return tuple(_stamp(path) for path in self._files)


def _stamp(path: Path) -> tuple[str, int, int, int]:
    try:
        found = path.stat()
    except OSError:
        return str(path), 0, 0, 0
    return str(path), found.st_mtime_ns, found.st_size, found.st_ino
