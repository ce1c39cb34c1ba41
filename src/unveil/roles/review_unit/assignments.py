"""
Who works on which pair: pairs handed out, labels that may still be changed, pairs left to others, practice done.

It is a part of the review unit's fold: every change is an entry of its log, and nothing here draws or reads a clock.
A pair is before one reviewer at a time. What they decide stays a draft, theirs to change, until they hand it in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from unveil.errors import Conflict
from unveil.protocol.machine import Decision
from unveil.roles.review_unit.decisions import (
    UNSURE,
    Drafted,
    FurtherAsked,
    GoldPlaced,
    HandedOut,
    Practised,
    Skipped,
    Undone,
)
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.trust import estimated_error

#: For so long a pair stays before a reviewer who does nothing, in seconds; then others may get it.
HELD_FOR: Final = 30 * 60
#: After so long without a sign of its reviewer what was decided is handed in as it is, in seconds after that.
AWAY_FOR: Final = 8 * 60 * 60


class NotYours(Conflict):
    """The pair is not before this reviewer (any more)."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Before whom a pair is, and until when, in seconds since 1970."""

    reviewer: bytes
    until: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A label that was not handed in: match is None when unsure; p in [0.5, 1]."""

    reviewer: bytes
    match: bool | None
    p: float


@dataclass(slots=True)
class Gold:
    """A made-up pair among the real ones: its number, its answer, and how far it was opened."""

    number: int
    match: bool
    stages: dict[str, Stage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GoldScore:
    """How a reviewer did on made-up pairs that they took for real ones."""

    pairs: int = 0
    wrong: int = 0


@dataclass(slots=True)
class Assignments:
    """The state; `holds` has every pair that is before somebody, `drafts` those of them that are decided."""

    holds: dict[bytes, Hold] = field(default_factory=dict)
    drafts: dict[bytes, Draft] = field(default_factory=dict)
    skipped: dict[bytes, list[bytes]] = field(default_factory=dict)  # reviewer -> pairs
    practised: dict[bytes, GoldScore] = field(default_factory=dict)  # reviewer -> the round that was enough
    gold: dict[bytes, Gold] = field(default_factory=dict)
    scores: dict[bytes, GoldScore] = field(default_factory=dict)
    handed_out: dict[bytes, int] = field(default_factory=dict)  # reviewer -> pairs put before them so far
    openings: int = 0
    further: int = 0  # wishes for one more attribute

    # The fold

    def apply(self, decision: Decision) -> None:
        """Take in one decision about who works on what."""
        match decision:
            case HandedOut():
                self._put(decision.task_id, decision.reviewer, decision.until)
            case GoldPlaced():
                self.gold[decision.task_id] = Gold(decision.number, bool(decision.g))
                self._put(decision.task_id, decision.reviewer, decision.until)
            case Drafted():
                given = None if decision.g == UNSURE else bool(decision.g)
                p = float(np.frombuffer(decision.p, "<f8")[0])
                self.drafts[decision.task_id] = Draft(decision.reviewer, given, p)
            case Undone():
                self.drafts.pop(decision.task_id, None)
            case Skipped():
                self.holds.pop(decision.task_id, None)
                self.skipped.setdefault(decision.reviewer, []).append(decision.task_id)
            case FurtherAsked():
                # It comes back to whoever is there once owners have answered; a made-up pair, of which nobody can be
                # asked, does not come back, as if somebody else had got it.
                self.further += 1
                self.forget([decision.task_id])
            case Practised():
                self.practised[decision.reviewer] = GoldScore(decision.pairs, decision.pairs - decision.right)

    def _put(self, task_id: bytes, reviewer: bytes, until: int) -> None:
        before = self.holds.get(task_id)
        self.holds[task_id] = Hold(reviewer, until)
        if before is None or before.reviewer != reviewer:
            self.handed_out[reviewer] = self.handed_out.get(reviewer, 0) + 1

    def forget(self, task_ids: Iterable[bytes]) -> None:
        """These pairs are decided for good or went back."""
        for task_id in task_ids:
            draft, gold = self.drafts.pop(task_id, None), self.gold.pop(task_id, None)
            self.holds.pop(task_id, None)
            if gold is not None and draft is not None and draft.match is not None:
                before = self.scores.get(draft.reviewer, GoldScore())
                wrong = before.wrong + (draft.match != gold.match)
                self.scores[draft.reviewer] = GoldScore(before.pairs + 1, wrong)

    # Questions

    def current(self, reviewer: bytes) -> bytes | None:
        """The pair that is before this reviewer and not decided yet."""
        return next(
            (task for task, hold in self.holds.items() if hold.reviewer == reviewer and task not in self.drafts), None
        )

    def drafted(self, reviewer: bytes) -> list[bytes]:
        """The pairs that this reviewer decided and did not hand in, in the order in which they came."""
        return [task for task, draft in self.drafts.items() if draft.reviewer == reviewer]

    def held_by_another(self, task_id: bytes, reviewer: bytes) -> bool:
        """Whether somebody else works on a pair, or has decided it."""
        draft, hold = self.drafts.get(task_id), self.holds.get(task_id)
        holder = draft or hold
        return holder is not None and holder.reviewer != reviewer

    def free(self, waiting: Iterable[bytes], reviewer: bytes, now: float) -> bytes | None:
        """The next pair for this reviewer: none that others hold, and one that they left to others only at the end."""
        left = self.skipped.get(reviewer, [])
        last = None
        for task_id in waiting:
            hold = self.holds.get(task_id)
            if task_id in self.drafts or (hold is not None and hold.until > now and hold.reviewer != reviewer):
                continue
            if task_id not in left:
                return task_id
            last = last or task_id
        return last

    def check_held(self, task_id: bytes, reviewer: bytes, *, drafted: bool | None = None) -> None:
        """NotYours unless the pair is before this reviewer; decided or not, if that matters."""
        hold = self.holds.get(task_id)
        if hold is None or hold.reviewer != reviewer or drafted not in (None, task_id in self.drafts):
            raise NotYours("this pair is not before this reviewer")

    def away(self, now: float) -> bytes | None:
        """A reviewer who decided pairs, did not hand them in, and was not seen for long; None if there is none."""
        for reviewer in {draft.reviewer: None for draft in self.drafts.values()}:
            last = max(hold.until for hold in self.holds.values() if hold.reviewer == reviewer)
            if last + AWAY_FOR <= now:
                return reviewer
        return None

    def error(self, reviewer: bytes) -> float | None:
        """How often a reviewer errs, by made-up pairs of practice and among real ones; None without any."""
        scores = [found for found in (self.practised.get(reviewer), self.scores.get(reviewer)) if found is not None]
        if not scores:
            return None
        return estimated_error(sum(score.pairs for score in scores), sum(score.wrong for score in scores))

    def active(self, waiting: Collection[bytes], now: float) -> int:
        """How many reviewers have a pair of these before them."""
        return len({hold.reviewer for task, hold in self.holds.items() if task in waiting and hold.until > now})
