"""
What a reviewer does at a page or a program, one step at a time, and what they see after it.

Every step is decided here and is in the log before it is answered. What comes back is all that a display may hold: a
character that was not opened is not in it, and neither is what any model thinks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from unveil.protocol.machine import Step
from unveil.protocol.messages import ID, IN_ALL, BatchLearnt
from unveil.roles.chance import Chance
from unveil.roles.review_unit.assignments import HELD_FOR
from unveil.roles.review_unit.decisions import (
    UNSURE,
    Drafted,
    GoldPlaced,
    HandedOut,
    Practised,
    RoleNoted,
    Skipped,
    Undone,
)
from unveil.roles.review_unit.display import ReviewablePair, opened_further
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.practice import PracticeRound, made_up
from unveil.roles.review_unit.trust import is_used
from unveil.runtime.review_practice import NotNow, Practice
from unveil.runtime.review_view import PairView, Risk
from unveil.runtime.system_chance import system_chance
from unveil.schema import Schema
from unveil.transport.port import JSON

#: How sure each step of the scale is: 1 is a coin toss, 6 certain.
CONFIDENCE: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_GOLD_SHARE: Final = 0.1  # of the pairs put before a reviewer


class Decides(Protocol):
    """Where decisions about one review unit are made durable: a host, or a simulation."""

    def deciding(self, decision: Callable[[ReviewUnit], Step | None]) -> bool:
        """Commit what `decision` returns on the machine as it is; whether there was anything."""
        ...

    def look(self, at: Callable[[ReviewUnit], Any]) -> Any:
        """What `at` finds at the machine, while nobody changes it."""
        ...


@dataclass(slots=True)
class ReviewSteps:
    """
    One project's reviewers. `risk` prices an opening; without it the share of characters shown does.

    `gold` and `practice` may be switched off where the reviewer's error does not matter: in a demonstration.
    """

    host: Decides
    schema: Schema
    clock: Callable[[], float]
    decided: Callable[[], None] = lambda: None  # something may be to be sent
    idle: Callable[[], None] = lambda: None  # nobody has a pair for somebody who asks: a decision may be due
    risk: Risk | None = None
    gold: float = _GOLD_SHARE
    practice: bool = True
    chance: Chance = system_chance
    rounds: Practice = field(init=False)
    _pairs: PairView = field(init=False)

    def __post_init__(self) -> None:
        self._pairs = PairView(self.schema, self.risk)
        self.rounds = Practice(self._pairs, self.clock, self.chance)

    # Steps

    def take(
        self, reviewer: str, *, do: str, task: str, attribute: str, stage: str, match: bool | None, confidence: int,
        lead: bool = False,
    ) -> dict[str, JSON]:  # fmt: skip
        """Take the step of that name; what is before the reviewer, who leads or does not, after it."""
        self._step(lambda machine: _role(machine, reviewer, lead=lead))
        steps: Mapping[str, Callable[[], dict[str, JSON]]] = {
            "view": lambda: self.view(reviewer),
            "practise": lambda: self.begin_practice(reviewer),
            "open": lambda: self.open(reviewer, task, attribute, stage),
            "label": lambda: self.label(reviewer, task, match, confidence),
            "undo": lambda: self.undo(reviewer, task),
            "skip": lambda: self.skip(reviewer, task),
            "ask": lambda: self.ask(reviewer, task, attribute),
            "hand in": lambda: self.hand_in(reviewer),
        }
        return steps[do]()

    def view(self, reviewer: str) -> dict[str, JSON]:
        """What is before this reviewer; a pair is put before them if there is one."""
        if self._must_practise(reviewer):
            return self.rounds.view(reviewer)
        self._step(lambda machine: self._hand_out(machine, reviewer))
        return self._view(reviewer)

    def open(self, reviewer: str, task: str, attribute: str, stage: str) -> dict[str, JSON]:
        """Open an attribute to the stage whose price was said; NotNow if that is not its next one."""
        if self._must_practise(reviewer):
            self.rounds.open(reviewer, attribute)
            return self.view(reviewer)
        task_id = _task_id(task)

        def opening(machine: ReviewUnit) -> Step:
            pair = self._before(machine, reviewer, task_id, drafted=False)
            after = opened_further(pair, self.schema, machine.stages(task_id), attribute)
            if attribute not in pair.shown_values or after.get(attribute, Stage.MASKED).name.lower() != stage:
                raise NotNow("that is not the next step of this attribute")
            if machine.stages(task_id).get(attribute, Stage.MASKED) >= after[attribute]:
                raise NotNow("this attribute is open")
            return machine.opening(task_id, attribute, after[attribute], reviewer=reviewer)

        self._step(opening)
        return self._view(reviewer)

    def label(self, reviewer: str, task: str, match: bool | None, confidence: int) -> dict[str, JSON]:  # noqa: FBT001 - a label
        """Note a label, which may be undone until it is handed in, and put the next pair before the reviewer."""
        p = CONFIDENCE[confidence - 1]
        if self._must_practise(reviewer):
            return self._practise(reviewer, match)
        task_id = _task_id(task)

        def drafting(machine: ReviewUnit) -> Step:
            self._before(machine, reviewer, task_id, drafted=False)
            g = UNSURE if match is None else int(match)
            return Step(Drafted(task_id, g, np.array([p], "<f8").tobytes(), reviewer.encode()))

        self._step(drafting)
        return self.view(reviewer)

    def undo(self, reviewer: str, task: str) -> dict[str, JSON]:
        """Take back a label that was not handed in."""
        task_id = _task_id(task)

        def undoing(machine: ReviewUnit) -> Step:
            self._before(machine, reviewer, task_id, drafted=True)
            return Step(Undone(task_id, reviewer.encode()))

        self._step(undoing)
        return self._view(reviewer)

    def skip(self, reviewer: str, task: str) -> dict[str, JSON]:
        """Leave a pair to others."""
        if self._must_practise(reviewer):
            return self._practise(reviewer, None)
        task_id = _task_id(task)

        def skipping(machine: ReviewUnit) -> Step:
            self._before(machine, reviewer, task_id, drafted=False)
            return Step(Skipped(task_id, reviewer.encode()))

        self._step(skipping)
        return self.view(reviewer)

    def ask(self, reviewer: str, task: str, attribute: str) -> dict[str, JSON]:
        """Ask the owners for one more attribute; the pair comes back to somebody once they have answered."""
        if self._must_practise(reviewer):
            raise NotNow("of a made-up pair nobody can be asked")
        task_id = _task_id(task)

        def asking(machine: ReviewUnit) -> Step:
            self._before(machine, reviewer, task_id, drafted=False)
            return machine.asking(task_id, attribute, reviewer=reviewer)

        self._step(asking)
        self.decided()
        return {**self.view(reviewer), "asked": True}

    def hand_in(self, reviewer: str) -> dict[str, JSON]:
        """Hand in all that this reviewer decided; it cannot be undone from then on."""
        handed: Mapping[str, JSON] | None = self.host.look(lambda machine: _counts(machine, reviewer))
        if self._step(lambda machine: machine.hand_in(reviewer=reviewer)):
            self.decided()
        else:
            handed = None
        return {**self.view(reviewer), "handed_in": handed}

    def _step(self, decision: Callable[[ReviewUnit], Step | None]) -> bool:
        return self.host.deciding(decision)

    # For a lead

    def team(self) -> dict[str, dict[str, Any]]:
        """What each reviewer has done so far, by their id: counts alone, and how often they seem to err."""

        def counting(machine: ReviewUnit) -> dict[str, dict[str, Any]]:
            assigned, opinions = machine.assigned, machine.opinions
            decided = Counter(given.reviewer for given in machine.verdicts)
            names = {*assigned.handed_out, *assigned.practised, *decided}
            return {
                name.decode(): {
                    "practised": int(name in assigned.practised),
                    "drafts": len(assigned.drafted(name)),
                    "decided": decided[name],
                    "overruled": opinions.overruled.get(name, 0),
                    "gold": assigned.scores[name].pairs if name in assigned.scores else 0,
                    "wrong": assigned.scores[name].wrong if name in assigned.scores else 0,
                    "error": assigned.error(name),
                    "used": is_used(assigned.error(name)),
                    "unused": opinions.unused.get(name, 0),
                }
                for name in sorted(names)
                if name
            }

        found: dict[str, dict[str, Any]] = self.host.look(counting)
        return found

    # What is put before whom

    def _hand_out(self, machine: ReviewUnit, reviewer: str) -> Step | None:
        assigned, name, now = machine.assigned, reviewer.encode(), self.clock()
        until = int(now) + HELD_FOR
        current = assigned.current(name)
        if current is not None:
            if assigned.holds[current].until - now > HELD_FOR / 2:
                return None
            return Step(HandedOut(current, until, name))
        task_id = assigned.free(machine.waiting_for(name), name, now)
        if task_id is None:
            return None
        draw = self.chance(f"gold {reviewer} {assigned.handed_out.get(name, 0)}")
        if draw.rng.random() < self.gold:
            number = int(draw.rng.integers(1 << 32))
            return Step(GoldPlaced(draw.entropy(ID), number, int(made_up(self.schema, number).match), until, name))
        return Step(HandedOut(task_id, until, name))

    def _before(self, machine: ReviewUnit, reviewer: str, task_id: bytes, *, drafted: bool) -> ReviewablePair:
        machine.assigned.check_held(task_id, reviewer.encode(), drafted=drafted)
        pair = machine.pair(task_id)
        if pair is None:
            raise NotNow("no such pair waits for a decision")
        return pair

    # What is seen

    def _view(self, reviewer: str) -> dict[str, JSON]:
        name, now = reviewer.encode(), self.clock()

        def looking(machine: ReviewUnit) -> dict[str, Any]:
            assigned, waiting, mine = machine.assigned, machine.waiting(), machine.waiting_for(name)
            current = assigned.current(name)
            return {
                "pair": None if current is None else machine.pair(current),
                "stages": {} if current is None else machine.stages(current),
                "may_ask": () if current is None else machine.may_ask(current),
                "drafts": [(task, assigned.drafts[task]) for task in assigned.drafted(name)],
                "left": sum(task not in assigned.drafts for task in mine),
                "elsewhere": len(waiting) - len(mine),
                "opinions": machine.opinions.on(current) if current in machine.opinions.for_lead else (),
                "others": max(0, assigned.active(waiting, now) - 1),
                "spent": machine.labels_given,
                "open_tasks": machine.open_tasks,
                "openings": machine.openings_left,
                "further": machine.further_left,
                "learnt": machine.last_learnt,
            }

        found = self.host.look(looking)  # masking takes time: it is done on copies
        budget = self.schema.protocol.review.budget
        pair: ReviewablePair | None = found["pair"]
        if pair is None:
            self.idle()
        stage = "pair" if pair else "end" if found["drafts"] else "finished" if found["spent"] >= budget else "waiting"
        return {
            "stage": stage,
            "pair": None if pair is None else self._pairs.shown(pair, found["stages"], found["may_ask"]),
            "opinions": [{"match": one.match, "confidence": _confidence(one.p)} for one in found["opinions"]],
            "drafts": [
                {"task": task.hex(), "match": draft.match, "confidence": _confidence(draft.p)}
                for task, draft in found["drafts"]
            ],
            "learnt": None if found["learnt"] is None else _learnt(found["learnt"]),
            "progress": {
                "left": found["left"],
                "elsewhere": found["elsewhere"],
                "others": found["others"],
                "labels": found["spent"] + sum(draft.match is not None for _, draft in found["drafts"]),
                "budget": budget,
                "openings": max(0, found["openings"]),
                "further": found["further"],
            },
        }

    # Practice

    def _must_practise(self, reviewer: str) -> bool:
        if not self.practice:
            return False
        return self.host.look(lambda machine: reviewer.encode() not in machine.assigned.practised)

    def begin_practice(self, reviewer: str) -> dict[str, JSON]:
        """Begin a round, or go on with one that is not through."""
        self.rounds.begin(reviewer)
        return self.view(reviewer)

    def _practise(self, reviewer: str, match: bool | None) -> dict[str, JSON]:  # noqa: FBT001 - a label
        current, told = self.rounds.answer(reviewer, match)
        if current.passed:
            self._step(lambda machine: _practised(machine, current, reviewer))
        return {**self.view(reviewer), "told": told, "passed": current.passed, "score": current.right}


def _learnt(batch: BatchLearnt) -> dict[str, JSON]:
    """What the last batch of labels changed; shares are None where the attribute unit cannot tell."""
    return {
        "labels": batch.labels,
        "pairs": batch.pairs,
        "gained": batch.gained,
        "lost": batch.lost,
        "right_before": batch.right_before / IN_ALL if batch.right_before else None,
        "right_after": batch.right_after / IN_ALL if batch.right_after else None,
    }


def _role(machine: ReviewUnit, reviewer: str, *, lead: bool) -> Step | None:
    """Note that somebody leads, or does not any more, where the log says otherwise."""
    if lead == (reviewer.encode() in machine.opinions.leads):
        return None
    return Step(RoleNoted(int(lead), reviewer.encode()))


def _confidence(p: float) -> int:
    """The step of the scale that is nearest; programs may say any p."""
    return 1 + min(range(len(CONFIDENCE)), key=lambda step: abs(CONFIDENCE[step] - p))


def _practised(machine: ReviewUnit, done: PracticeRound, reviewer: str) -> Step | None:
    if reviewer.encode() in machine.assigned.practised:
        return None
    return Step(Practised(len(done.answers), done.right, reviewer.encode()))


def _counts(machine: ReviewUnit, reviewer: str) -> Mapping[str, JSON]:
    """What a reviewer is about to hand in."""
    given = [machine.assigned.drafts[task].match for task in machine.assigned.drafted(reviewer.encode())]
    return {"match": given.count(True), "non_match": given.count(False), "unsure": given.count(None)}


def _task_id(task: str) -> bytes:
    try:
        task_id = bytes.fromhex(task)
    except ValueError:
        raise NotNow("no such pair waits for a decision") from None
    if len(task_id) != ID:
        raise NotNow("no such pair waits for a decision")
    return task_id
