"""The course of a trial: the reviewer decides until both owners have their links."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from unveil.lab.local_parties.processes import Processes, TrialError
from unveil.lab.local_parties.reviewer import TrialReviewer
from unveil.transport.failures import Busy, Unreachable
from unveil.transport.http.client import UnitClient
from unveil.transport.status import RecordUnitStatus, UnitStatus

_PAUSE: Final = 0.05  # seconds between looks at the tasks
_LOOK: Final = 0.5  # seconds between looks at the record unit
_PATIENCE: Final = 600.0  # seconds without anything that moves


@dataclass(frozen=True, slots=True)
class CourseProgress:
    """Where a trial stands: what the record unit is doing, and how many labels the reviewer has given."""

    stage: str
    labels: int


def conduct(
    processes: Processes,
    reviewer: TrialReviewer,
    operator: UnitClient,
    *,
    tell: Callable[[CourseProgress], None] = lambda _: None,
    patience: float = _PATIENCE,
) -> None:
    """
    Review until both owners are through; TrialError if a party dies or nothing moves any more.

    `operator` asks the record unit where it stands. A unit that does not answer is asked again: it may be starting.
    """
    status: UnitStatus | None = None
    moved = looked = time.monotonic()
    last: object = None
    while not processes.through:
        try:
            busy = reviewer.review()
            if time.monotonic() - looked > _LOOK:
                looked, status = time.monotonic(), operator.status()
        except (Unreachable, Busy):
            busy = 0
        tell(CourseProgress(_stage(status), reviewer.given))
        if last != (reviewer.given, status):
            moved, last = time.monotonic(), (reviewer.given, status)
        if time.monotonic() - moved > patience:
            raise TrialError(f"nothing has moved for {patience:.0f} s", hint="--keep keeps every party's log")
        if not busy:
            time.sleep(_PAUSE)


def _stage(status: UnitStatus | None) -> str:
    known = status if isinstance(status, RecordUnitStatus) else RecordUnitStatus()
    if known.finished:
        return "handing out the links"
    if known.requested_pairs:
        return "asking about uncertain pairs"
    if known.comparing is not None:
        return f"comparing records, {known.comparing:.0%}"
    if known.uploads_complete:
        return "comparing records"
    return "uploading records" if known.fingerprints_agree else "agreeing on key and parameters"
