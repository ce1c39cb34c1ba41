"""
How fast reviewers get on, as the log tells: all of them together, and never one of them.

Who decided what is for whoever leads the reviewers, and for an audit; an operator needs to know whether pairs pile up.
"""

from __future__ import annotations

import statistics
import threading
from collections import deque
from dataclasses import dataclass
from typing import Final

from unveil.protocol import frames
from unveil.protocol.messages import ID
from unveil.roles.columns import entries
from unveil.roles.review_unit.assignments import HELD_FOR
from unveil.roles.review_unit.decisions import KINDS, Decided, DecidedByNobody, Drafted, GoldPlaced, HandedOut
from unveil.storage.log.log import ProjectLog

HOUR: Final = 3600
DAY: Final = 24 * HOUR
_LATEST: Final = 200  # decisions of which the time that they took is remembered


@dataclass(frozen=True, slots=True)
class ReviewPace:
    """Reviewers at work in the last half hour, decisions in the last hour and day, and how long one takes."""

    at_work: int
    last_hour: int
    last_day: int
    seconds_each: float | None  #: the median of the latest decisions; None before any


class PaceReader:
    """Reads a log as it grows; every entry once."""

    def __init__(self, log: ProjectLog) -> None:
        self._log, self._seen = log, 0
        self._begun: dict[bytes, float] = {}  # pair -> when it was put before the reviewer who has it
        self._decided: deque[float] = deque()
        self._took: deque[float] = deque(maxlen=_LATEST)
        self._signs: dict[bytes, float] = {}  # reviewer -> when they last did something
        self._lock = threading.Lock()  # a page and a gauge may be read at the same moment

    def pace(self, now: float) -> ReviewPace:
        """The pace by what the log holds now."""
        with self._lock:
            return self._pace(now)

    def _pace(self, now: float) -> ReviewPace:
        for entry in self._log.entries(after=self._seen):
            self._seen = entry.seq
            if entry.kind == "decision" and entry.body:
                self._take(frames.read(entry.body, KINDS), entry.time)
        while self._decided and self._decided[0] <= now - DAY:
            self._decided.popleft()
        return ReviewPace(
            at_work=sum(now - last <= HELD_FOR for last in self._signs.values()),
            last_hour=sum(each > now - HOUR for each in self._decided),
            last_day=len(self._decided),
            seconds_each=statistics.median(self._took) if self._took else None,
        )

    def _take(self, decision: object, time: float) -> None:
        match decision:
            case HandedOut() | GoldPlaced():
                self._begun.setdefault(decision.task_id, time)
                self._signs[decision.reviewer] = time
            case Drafted():
                self._note(decision.task_id, time)
                self._signs[decision.reviewer] = time
            case Decided() | DecidedByNobody():
                # What was drafted at a page was counted then; programs decide without a draft.
                for task_id in entries(decision.task_ids, ID):
                    if task_id in self._begun or decision.reviewer not in self._signs:
                        self._note(task_id, time)

    def _note(self, task_id: bytes, time: float) -> None:
        self._decided.append(time)
        begun = self._begun.pop(task_id, None)
        if begun is not None:
            self._took.append(time - begun)
