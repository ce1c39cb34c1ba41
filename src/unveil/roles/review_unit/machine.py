"""
The review unit's machine.

A task comes from the attribute unit, the values it asked for from the owners. When both owners have sent theirs, the
pair waits for a person; when one refuses, the task goes back unanswered. Nothing but the values of open tasks is held.
`assigned` says who works on which pair, `opinions` of which pairs more people than one say something;
`runtime/review_steps.py` decides their entries, one for each step of a reviewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from unveil.errors import Conflict, LocalProtocolError
from unveil.linkage.outcome import Outcomes
from unveil.protocol.flows import Envelope, check_incoming, refused
from unveil.protocol.machine import Decision, Erased, NoLongWork, NothingKept, Step
from unveil.protocol.messages import (
    ID,
    AttributeValues,
    BatchLearnt,
    FurtherWish,
    Message,
    Refusal,
    ReviewLabel,
    ReviewTask,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT, Address, Role
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.roles.chance import Chance
from unveil.roles.columns import entries, outcome_columns
from unveil.roles.review_unit.assignments import Assignments, NotYours
from unveil.roles.review_unit.decisions import (
    KINDS,
    UNSURE,
    Decided,
    DecidedByNobody,
    Declined,
    FurtherAsked,
    HandedIn,
    Opened,
    OpenedByNobody,
    RoleNoted,
)
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.opinions import ONE_OPINION, Opinion, Opinions, OpinionTerms, Then
from unveil.roles.review_unit.practice import made_up
from unveil.roles.review_unit.tasks import Tasks
from unveil.roles.review_unit.trust import is_used
from unveil.schema import Schema
from unveil.schema.most_asked import MostAsked

#: Steps that may be opened for each time that somebody is asked about a pair, on average over the project.
OPENINGS_PER_PAIR: Final = 3


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """A verdict, how sure it is, and the id of the reviewer who gave it; empty in logs of earlier releases."""

    match: bool | None
    p: float
    reviewer: bytes


class ReviewUnit(NoLongWork, NothingKept):
    """L_C. `pending` lists what a person can decide now; `judge` takes the decisions."""

    decisions: ClassVar[Mapping[str, type[Decision]]] = KINDS
    address = REVIEW_UNIT

    def __init__(
        self,
        schema: Schema,
        owners: tuple[Address, Address],
        *,
        chance: Chance,
        terms: OpinionTerms = ONE_OPINION,
    ) -> None:
        self._schema, self._owners = schema, owners
        self._chance, self._terms = chance, terms
        self._most_further = MostAsked.of(schema.protocol).further
        self._tasks = Tasks(schema, owners)
        self._verdicts: dict[bytes, GivenVerdict] = {}
        self.assigned = Assignments()
        self.opinions = Opinions()
        self.labels_given = 0  # that went up to the attribute unit
        self.labels_learnt = 0  # of which it said what they changed
        self.last_learnt: BatchLearnt | None = None

    @property
    def schema(self) -> Schema:
        """The linkage schema."""
        return self._schema

    @property
    def open_tasks(self) -> int:
        """Tasks that were neither decided nor sent back."""
        return len(self._tasks.open)

    @property
    def stage(self) -> StageStatus:
        """Where the project stands here, and what it waits for."""
        waiting, budget = len(self.waiting()), self._schema.protocol.review.budget
        if waiting:
            return StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, self.labels_given, budget)
        if self.open_tasks:
            answered = sum(map(self._tasks.answered, self._tasks.open.values()))
            return StageStatus(StageKind.ANSWERING, Awaited.OWNERS, CountedKind.TASKS, answered, self.open_tasks)
        if self.labels_given >= budget:
            return StageStatus(StageKind.FINISHED, Awaited.NOBODY)
        return StageStatus(StageKind.EXPECTING, Awaited.ATTRIBUTE_UNIT, CountedKind.LABELS, self.labels_given, budget)

    @property
    def openings_left(self) -> int:
        """How many more steps of attributes may be opened in this project, whoever asks and by whichever way."""
        return max(0, OPENINGS_PER_PAIR * (len(self._tasks) + self.opinions.asked) - self.assigned.openings)

    @property
    def further_left(self) -> int:
        """How often reviewers may still ask owners for one more attribute of a pair in this project."""
        return max(0, self._most_further - self.assigned.further)

    def unfinished(self) -> str:
        """How many tasks are open, in words; empty if none is."""
        count = self.open_tasks
        return f"tasks are not decided ({count}), and the attribute unit waits for them" if count else ""

    # Messages

    def admit(self, envelope: Envelope) -> Envelope:
        """Check a message; of values, keep those that are shown at least in part."""
        check_incoming(envelope)
        if envelope.sender.role is Role.OWNER and envelope.sender not in self._owners:
            raise refused(envelope, "not an owner of this project")
        match envelope.message:
            case ReviewTask() as message:
                self._tasks.check_task(envelope, message)
            case AttributeValues() as message:
                task_ids = self._tasks.check_answer(envelope, message.task_ids)
                shown = tuple(map(self._tasks.kept, [envelope] * len(task_ids), task_ids, message.values))
                return Envelope(envelope.sender, envelope.recipient, AttributeValues(message.task_ids, shown))
            case Refusal() as message:
                self._tasks.check_answer(envelope, message.ids)
            case BatchLearnt() as message:
                if self.labels_learnt + message.labels > self.labels_given:
                    raise refused(envelope, "more labels than were given")
            case _:
                raise refused(envelope, "not for the review unit")
        return envelope

    def apply(self, event: Envelope | Decision) -> None:
        """Take in one entry of the log."""
        if isinstance(event, Envelope):
            self._take(event)
            return
        match event:
            case Opened() | OpenedByNobody():
                self.assigned.openings += 1
                stages = (self.assigned.gold.get(event.task_id) or self._tasks.open[event.task_id]).stages
                name = self._schema.names[event.attribute]
                # An opening cannot be taken back.
                stages[name] = max(Stage(event.stage), stages.get(name, Stage.MASKED))
            case Declined():
                self._close(entries(event.task_ids, ID))
            case Decided() | DecidedByNobody():
                self._handed_in(event, [Then.FINAL] * len(event))
            case HandedIn():
                self._handed_in(event, [Then(each) for each in event.then])
            case RoleNoted():
                self._role_noted(event)
            case FurtherAsked() if event.task_id in self._tasks.open:
                self._tasks.ask(event.task_id, event.wish_id, self._schema.names[event.attribute])
                self.assigned.apply(event)
            case Decision():
                self.assigned.apply(event)

    def _handed_in(self, event: Decided | DecidedByNobody | HandedIn, then: list[Then]) -> None:
        given = [None if g == UNSURE else bool(g) for g in event.g]
        sure = np.frombuffer(event.p, "<f8").tolist()
        final: dict[bytes, bool | None] = {}
        for task_id, match, p, follows in zip(entries(event.task_ids, ID), given, sure, then, strict=True):
            if follows is Then.FINAL:
                final[task_id] = match
                self._verdicts[task_id] = GivenVerdict(match, p, event.reviewer)
            else:
                self.opinions.add(task_id, Opinion(event.reviewer, match, p), follows)
                self._tasks.open[task_id].stages = {}  # the next person begins with a masked pair
                self.assigned.forget([task_id])
        self._close(list(final), list(final.values()))

    def _role_noted(self, event: RoleNoted) -> None:
        self.opinions.note_role(event.reviewer, lead=bool(event.lead))
        held = [task_id for task_id, hold in self.assigned.holds.items() if hold.reviewer == event.reviewer]
        real = [task_id for task_id in held if task_id in self._tasks.open]
        self.assigned.forget([task_id for task_id in real if not self.opinions.may_decide(task_id, event.reviewer)])

    def _close(self, task_ids: list[bytes], given: list[bool | None] | None = None) -> None:
        real = [task_id for task_id in task_ids if task_id not in self.assigned.gold]
        for task_id in real:
            self._tasks.close(task_id)
        for task_id, match in zip(task_ids, given or [None] * len(task_ids), strict=True):
            if task_id not in self.assigned.gold:
                self.labels_given += match is not None
                self.opinions.close(task_id, match)
        self.assigned.forget(task_ids)

    def _take(self, envelope: Envelope) -> None:
        match envelope.message:
            case ReviewTask() as message:
                self._tasks.add(message)
            case AttributeValues() as message:
                for task_id, values in zip(entries(message.task_ids, ID), message.values, strict=True):
                    self._tasks.answer(envelope.sender, task_id, values)
            case Erased() as message:
                for task_id in entries(message.ids, ID):
                    self._tasks.answer(envelope.sender, task_id, {})
            case Refusal() as message:
                for task_id in entries(message.ids, ID):
                    self._tasks.answer(envelope.sender, task_id, None)
            case BatchLearnt() as message:
                self.labels_learnt += message.labels
                self.last_learnt = message

    def stub(self, message: Message) -> Erased | None:
        """Values are erased as soon as their task is closed."""
        return Erased(message.task_ids) if isinstance(message, AttributeValues) else None

    def done_with(self, message: Erased) -> bool:
        """Whether all these tasks are closed."""
        return all(task_id in self._tasks.closed for task_id in entries(message.ids, ID))

    def decide(self, now: float) -> Step | None:
        """Tasks that an owner refused go back, once both have answered; labels of whoever stays away are handed in."""
        declined = self._tasks.declined()
        if declined:
            task_ids = b"".join(declined)
            return Step(Declined(task_ids), (self._send(Refusal(task_ids)),))
        away = self.assigned.away(now)
        return None if away is None else self.hand_in(reviewer=away.decode())

    # People

    def pending(self) -> tuple[ReviewablePair, ...]:
        """The pairs that a person can decide now, in the order in which they were asked for."""
        return tuple(pair for task_id in self.waiting() if (pair := self._tasks.pair(task_id)))

    def pair(self, task_id: bytes) -> ReviewablePair | None:
        """One pair that a person can decide now, a made-up one too; None if there is none of that id."""
        gold = self.assigned.gold.get(task_id)
        return self._tasks.pair(task_id) if gold is None else made_up(self._schema, gold.number).pair_for(task_id)

    def waiting(self) -> tuple[bytes, ...]:
        """The ids of the real pairs that a person can decide now, in the order in which they were asked for."""
        return self._tasks.waiting()

    def waiting_for(self, reviewer: bytes) -> tuple[bytes, ...]:
        """Of the pairs that wait those that this person may decide, in the order in which they should."""
        return tuple(self.opinions.for_person(self.waiting(), reviewer))

    def stages(self, task_id: bytes) -> dict[str, Stage]:
        """How far the attributes of an open task are opened."""
        return dict((self.assigned.gold.get(task_id) or self._tasks.open[task_id]).stages)

    def decided(self, task_id: bytes) -> GivenVerdict | None:
        """The verdict that was given on a task; None if there is none."""
        return self._verdicts.get(task_id)

    def has_said(self, task_id: bytes, said: Opinion) -> bool:
        """Whether this person gave this label before, final or not."""
        final = self._verdicts.get(task_id)
        as_final = final is not None and Opinion(final.reviewer, final.match, final.p) == said
        return as_final or said in self.opinions.on(task_id)

    @property
    def verdicts(self) -> Iterable[GivenVerdict]:
        """Every verdict so far."""
        return self._verdicts.values()

    def opening(self, task_id: bytes, attribute: str, stage: Stage, *, reviewer: str) -> Step:
        """The decision to show a reviewer more of an attribute; `reviewer` is the id by which the log knows them."""
        self._check_pending([task_id])
        self._check_theirs([task_id], reviewer.encode())
        if not self.openings_left:
            raise Conflict("the openings of this project are used up")
        return Step(Opened(task_id, self._schema.names.index(attribute), int(stage), reviewer.encode()))

    def may_ask(self, task_id: bytes) -> tuple[str, ...]:
        """The attributes of a waiting pair, a made-up one too, that owners may still be asked for."""
        pair = self.pair(task_id)
        if pair is None or not self.further_left:
            return ()
        asked = self._tasks.asked_further(task_id)
        return tuple(name for name in pair.kept_back if name not in asked)

    def asking(self, task_id: bytes, attribute: str, *, reviewer: str) -> Step:
        """The decision to ask the owners for one more attribute; the pair waits for their answers."""
        self._check_pending([task_id])
        self._check_theirs([task_id], reviewer.encode())
        if attribute not in self.may_ask(task_id):
            raise Conflict("owners cannot be asked for this attribute (any more)")
        wish_id = self._chance(f"further attribute {self.assigned.further}").entropy(ID)
        decision = FurtherAsked(task_id, wish_id, self._schema.names.index(attribute), reviewer.encode())
        if task_id in self.assigned.gold:
            return Step(decision)  # nobody in it exists, so there is nobody to ask
        marks = bytes(name == attribute for name in self._schema.names)
        return Step(decision, (self._send(FurtherWish(len(marks), task_id, wish_id, marks)),))

    def hand_in(self, *, reviewer: str) -> Step | None:
        """The decision to hand in all that a reviewer decided; None if there is nothing."""
        drafts = self.assigned.drafts
        given = [
            Verdict(task_id, drafts[task_id].match, drafts[task_id].p)
            for task_id in self.assigned.drafted(reviewer.encode())
            if task_id in self.assigned.gold
            or (task_id in self._tasks.open and self.opinions.may_decide(task_id, reviewer.encode()))
        ]
        return self.judge(given, reviewer=reviewer) if given else None

    def judge(self, verdicts: Iterable[Verdict], *, reviewer: str) -> Step:
        """
        The decision to hand a reviewer's labels in.

        Final ones go up, an unsure one as a refusal, and their values are erased; of others somebody else is asked.
        `reviewer` is the id by which the log knows them. It goes to nobody else.
        """
        given, name = list(verdicts), reviewer.encode()
        self._check_pending([verdict.task_id for verdict in given])
        self._check_theirs([verdict.task_id for verdict in given], name)
        then = [self._then(verdict, name) for verdict in given]
        final = [
            verdict
            for verdict, follows in zip(given, then, strict=True)
            if follows is Then.FINAL and verdict.task_id not in self.assigned.gold
        ]
        columns = (
            b"".join(verdict.task_id for verdict in given),
            bytes(UNSURE if verdict.match is None else int(verdict.match) for verdict in given),
            np.array([verdict.p for verdict in given], "<f8").tobytes(),
        )
        decision = HandedIn(*columns, bytes(then), name) if any(then) else Decided(*columns, name)
        return Step(decision, self._labels(final, name))

    def _then(self, verdict: Verdict, reviewer: bytes) -> Then:
        """What follows from a label; lots are drawn for the first one on a pair."""
        task_id = verdict.task_id
        if task_id in self.assigned.gold:
            return Then.FINAL
        if not is_used(self.assigned.error(reviewer)):
            return Then.UNUSED
        luck = self._chance(f"second opinion {task_id.hex()}").rng.random() if self._terms.any else 1.0
        wanted = self._terms.wanted(verdict.match, verdict.p, luck)
        return self.opinions.then(task_id, Opinion(reviewer, verdict.match, verdict.p), wanted=wanted)

    def _labels(self, final: Sequence[Verdict], reviewer: bytes) -> tuple[Envelope, ...]:
        """What goes up of final labels."""
        decided = [verdict for verdict in final if verdict.match is not None]
        unsure = [verdict.task_id for verdict in final if verdict.match is None]
        out: list[Message] = []
        if decided:
            sure = [
                self.opinions.agreed(verdict.task_id, Opinion(reviewer, verdict.match, verdict.p), self.assigned.error)
                for verdict in decided
            ]
            word = Outcomes(np.array([bool(verdict.match) for verdict in decided]), np.array(sure))
            column = b"".join(verdict.task_id for verdict in decided)
            out.append(ReviewLabel(column, *outcome_columns(word)))
        if unsure:
            out.append(Refusal(b"".join(unsure)))
        return tuple(map(self._send, out))

    def _check_pending(self, task_ids: Sequence[bytes]) -> None:
        """A slip in a display must not invent labels, and a decision in the log must always apply."""
        waiting = {*self.waiting(), *self.assigned.gold}
        if len(set(task_ids)) != len(task_ids) or not waiting.issuperset(task_ids):
            raise LocalProtocolError("a task that does not wait for a verdict, or twice the same")

    def _check_theirs(self, task_ids: Sequence[bytes], reviewer: bytes) -> None:
        """Two people at a pair would spend two labels on it; one person at it twice would agree with themselves."""
        if any(self.assigned.held_by_another(task_id, reviewer) for task_id in task_ids):
            raise NotYours("somebody else works on this pair")
        if not all(self.opinions.may_decide(task_id, reviewer) for task_id in task_ids):
            raise NotYours("somebody else decides about this pair")

    def _send(self, message: Message) -> Envelope:
        return Envelope(REVIEW_UNIT, ATTRIBUTE_UNIT, message)
