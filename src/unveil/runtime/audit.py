"""Checking that a party's log is what was written, and reading what a closed project keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from unveil.errors import SettingError
from unveil.protocol.messages import ID
from unveil.storage.database import Database
from unveil.storage.log.log import ProjectLog


@dataclass(frozen=True, slots=True)
class LogAudit:
    """What was found about one log; `head` is "number:hash", `uncovered` are deliveries that it does not cover yet."""

    project: str
    role: str
    identity: str
    state: str
    entries: int
    head: str
    uncovered: int
    problems: list[str]


@dataclass(frozen=True, slots=True)
class DatabaseAudit:
    """What was found about the logs of a database, and what is wrong with it besides."""

    projects: tuple[LogAudit, ...]
    problems: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and not any(each.problems for each in self.projects)

    def as_json(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return {"whole": self.whole, **asdict(self)}


@dataclass(frozen=True, slots=True)
class KeptResult:
    """What a closed project keeps: counts and, at the record unit, (owner, handle, link id) of every record."""

    project: str
    counts: dict[str, int]
    links: tuple[tuple[str, str, str], ...]

    def as_json(self) -> dict[str, Any]:
        """Counts alone."""
        return {"project": self.project, **self.counts, "links": len(self.links)}


def verify(database: str, *, project: str | None, head: tuple[int, bytes] | None) -> DatabaseAudit:
    """Check every entry of one project's log, or of all; `head` was noted earlier and must still be in the log."""
    with Database.inspect(database) as opened:
        audits = tuple(_audit(log, head) for log in opened.logs() if project in {None, log.name})
        strays = opened.strays()
    if project is not None and not audits:
        strays = [*strays, f"there is no project {project}"]
    return DatabaseAudit(audits, tuple(strays))


def kept(database: str, project: str) -> KeptResult:
    """What a closed project keeps; SettingError if it is open."""
    with Database.inspect(database) as opened:
        log = next((log for log in opened.logs() if log.name == project), None)
        if log is None:
            raise SettingError(f"{database}: there is no project {project}", hint="unveil audit verify lists them")
        counts = log.summary()
        links = tuple(_links(log))
    if counts is None:
        raise SettingError(f"project {project} is open", hint="unveil project close ends it")
    return KeptResult(project, counts, links)


def _audit(log: ProjectLog, expected: tuple[int, bytes] | None) -> LogAudit:
    problems = log.verify(expected)
    seq, hashed = log.head
    return LogAudit(
        project=log.name,
        role=log.role,
        identity=log.identity,
        state=log.state,
        entries=seq,
        head=f"{seq}:{hashed.hex()}",
        uncovered=log.uncovered(),
        problems=problems,
    )


def _links(log: ProjectLog) -> Iterator[tuple[str, str, str]]:
    """Owner, handle and link id of every record."""
    for owner in log.kept_names():
        table = log.kept(owner) or b""
        for start in range(0, len(table), 2 * ID):
            yield owner, table[start : start + ID].hex(), table[start + ID : start + 2 * ID].hex()
