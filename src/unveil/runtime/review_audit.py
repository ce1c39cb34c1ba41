"""Who opened and decided what at a review unit, as its log holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from unveil.errors import SettingError
from unveil.protocol import frames
from unveil.protocol.messages import ID
from unveil.protocol.roles import Role
from unveil.roles.columns import entries
from unveil.roles.review_unit.decisions import (
    KINDS,
    UNSURE,
    Decided,
    DecidedByNobody,
    Drafted,
    FurtherAsked,
    GoldPlaced,
    HandedIn,
    HandedOut,
    Opened,
    OpenedByNobody,
    Practised,
    RoleNoted,
    Skipped,
    Undone,
)
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.opinions import Then
from unveil.storage.database import Database
from unveil.storage.log.entries import LogEntry
from unveil.storage.log.log import ProjectLog

#: What stands in the place of a reviewer in logs of earlier releases, which named none.
UNKNOWN: Final = "unknown"
_THEN: Final = {
    Then.FINAL: "",
    Then.ANOTHER_PERSON: ", another person is asked",
    Then.LEAD: ", a lead is asked",
    Then.UNUSED: ", not used",
}
_VERDICTS: Final = {0: "non-match", 1: "match", UNSURE: "unsure"}


@dataclass(frozen=True, slots=True)
class ReviewAct:
    """What somebody did with a pair, such as open or decide it; `reviewer` is their id."""

    entry: int
    time: float
    reviewer: str
    act: str
    task: str
    what: str

    def as_json(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return asdict(self)


def review_acts(database: str, project: str) -> tuple[ReviewAct, ...]:
    """
    Every step of reviewers in the log of an open project, in order; a verdict is final, a label is not.

    Contents are checked as they are read; whether entries are missing is for `audit.verify` to say. A closed project
    keeps none of it.
    """
    with Database.inspect(database) as opened:
        log = _log(opened, database, project)
        if log.state == "closed":
            raise SettingError(
                f"project {project} is closed, and kept counts alone", hint="list reviews before closing"
            )
        return tuple(act for entry in log.entries() if entry.kind == "decision" for act in _acts(entry))


def _log(opened: Database, database: str, project: str) -> ProjectLog:
    logs = [log for log in opened.logs() if log.name == project]
    found = next((log for log in logs if log.role == Role.REVIEW_UNIT.value), None)
    if found is not None:
        return found
    if logs:
        raise SettingError(f"{database}: is the database of the {logs[0].role}", hint="reviews are at the review unit")
    raise SettingError(f"{database}: there is no project {project}", hint="unveil audit verify lists them")


def _acts(entry: LogEntry) -> Iterator[ReviewAct]:
    decision = frames.read(entry.body or b"", KINDS)
    match decision:
        case Opened() | OpenedByNobody():
            what = f"attribute {decision.attribute + 1}, {Stage(decision.stage).name.lower()}"
            yield _act(entry, decision.reviewer, "opened", decision.task_id, what)
        case HandedOut() | GoldPlaced():
            made_up = isinstance(decision, GoldPlaced)
            yield _act(
                entry, decision.reviewer, "was handed", decision.task_id, "a made-up pair" if made_up else "a pair"
            )
        case Drafted():
            p = float(np.frombuffer(decision.p, "<f8")[0])
            yield _act(entry, decision.reviewer, "labelled", decision.task_id, f"{_VERDICTS[decision.g]}, p {p:.2f}")
        case Undone() | Skipped():
            act = "undid" if isinstance(decision, Undone) else "left to others"
            yield _act(entry, decision.reviewer, act, decision.task_id, "")
        case FurtherAsked():
            what = f"attribute {decision.attribute + 1}"
            yield _act(entry, decision.reviewer, "asked owners for", decision.task_id, what)
        case Practised():
            yield _act(entry, decision.reviewer, "practised", b"", f"{decision.right} of {decision.pairs} right")
        case RoleNoted():
            yield _act(entry, decision.reviewer, "leads" if decision.lead else "does not lead", b"", "")
        case Decided() | DecidedByNobody() | HandedIn():
            then = decision.then if isinstance(decision, HandedIn) else bytes(len(decision))
            sure = np.frombuffer(decision.p, "<f8").tolist()
            for task_id, g, p, follows in zip(entries(decision.task_ids, ID), decision.g, sure, then, strict=True):
                act = "gave an opinion" if follows else "decided"
                what = f"{_VERDICTS[g]}, p {p:.2f}{_THEN[Then(follows)]}"
                yield _act(entry, decision.reviewer, act, task_id, what)


def _act(entry: LogEntry, reviewer: bytes, act: str, task_id: bytes, what: str) -> ReviewAct:
    return ReviewAct(entry.seq, entry.time, reviewer.decode() or UNKNOWN, act, task_id.hex(), what)
