"""
The attribute unit's machine.

For each batch that the record unit announces it waits for the owners' answers, computes one similarity per attribute,
classifies with M_A, and then asks reviewers about a few uncertain pairs, learning after each of their batches. What is
new or changed is reported upward. It never sees a value, key_do, a record-level encoding or a record handle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.attributes import compared
from unveil.linkage.bits import word_count
from unveil.linkage.layer import Layer, Positions
from unveil.linkage.model import AttributeEvidence, Model
from unveil.linkage.outcome import Outcomes, Reals
from unveil.linkage.shown import SHOWN, learnt_bounds, states
from unveil.protocol.data_warnings import DataWarning
from unveil.protocol.flows import Envelope, check_incoming, refused, too_early
from unveil.protocol.machine import Decision, Erased, NoLongWork, NothingKept, Step
from unveil.protocol.messages import (
    ID,
    AttributeEncodings,
    Bootstrap,
    FurtherWish,
    Labels,
    Message,
    Refusal,
    ReviewLabel,
    ReviewTask,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address, Role
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.roles.attribute_unit.answers import PairAnswers
from unveil.roles.attribute_unit.batch import Batch
from unveil.roles.attribute_unit.data_warnings import attribute_warnings
from unveil.roles.attribute_unit.decisions import KINDS, Compared, ComparedBefore, FurtherPassed, Reported, ReviewsAsked
from unveil.roles.attribute_unit.learnt import LearntBatch
from unveil.roles.attribute_unit.wishes import FurtherWishes, value_wishes
from unveil.roles.chance import Chance, Draw
from unveil.roles.columns import byte_matrix, entries, outcome_columns, outcomes
from unveil.schema import Schema
from unveil.schema.most_asked import MostAsked

_SURE = 0.98


class AttributeUnit(NoLongWork, NothingKept):
    """L_A. `layer` holds its pairs, in the order of `pair_ids`; `similarity` their attribute similarities."""

    decisions: ClassVar[Mapping[str, type[Decision]]] = KINDS
    address = ATTRIBUTE_UNIT

    def __init__(
        self,
        schema: Schema,
        owners: tuple[Address, Address],
        *,
        chance: Chance,
        model: Model,
        features: AttributeEvidence,
    ) -> None:
        protocol = schema.protocol
        paper = protocol.models == "paper"
        self.layer = Layer(
            model,
            protocol,
            # A model with prior knowledge reads the weight as a probability: doubled, doubt would turn into certainty.
            clerical_weight=protocol.clerical_weight_a if paper else 1.0,
            asks_people=True,
            learns_from_above=paper,
        )
        self._features = features
        self.pair_ids: list[bytes] = []
        self.similarity: Reals = np.empty((0, len(schema.attributes)))
        self.agreement: NDArray[np.uint8] = np.empty((0, len(schema.attributes)), np.uint8)
        self._by_chance: Reals = np.empty((0, len(schema.attributes)))  # similarity that unrelated values may reach
        self.spent = 0
        self.tasks: dict[bytes, int] = {}  # task id -> position in the layer
        self._schema, self._protocol, self._owners, self._chance = schema, protocol, owners, chance
        self.answers = PairAnswers(owners)
        self.further = FurtherWishes(MostAsked.of(protocol).further)
        self._batch: Batch | None = None
        self._open_tasks: dict[bytes, int] = {}
        self._labels: dict[int, tuple[bool, float]] = {}
        self._batches, self._reviews = 0, 0  # announced so far, and asked of reviewers
        self._learnt = LearntBatch()

    # Messages

    def unfinished(self) -> str:
        """Whether a batch was announced whose labels were not reported yet, in words."""
        if self._batch is None:
            return ""
        return "the attribute unit is at work on a batch, and the record unit waits for it"

    @property
    def finished(self) -> bool:
        """Whether the last batch was reported."""
        return self._batch is None and self._batches == len(self._protocol.batches)

    @property
    def stage(self) -> StageStatus:
        """Where the project stands here, and what it waits for."""
        batch, batches = self._batch, len(self._protocol.batches)
        if batch is None:
            if self.finished:
                return StageStatus(StageKind.FINISHED, Awaited.NOBODY)
            return StageStatus(StageKind.EXPECTING, Awaited.RECORD_UNIT, CountedKind.BATCHES, self._batches, batches)
        if self._open_tasks:
            given, budget = self.spent + len(self._labels), self._protocol.review.budget
            return StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, given, budget)
        answered = len(batch.pair_ids) if batch.compared else self.answers.answered(batch.pair_ids)
        awaited = Awaited.OWNERS if answered < len(batch.pair_ids) else Awaited.ATTRIBUTE_UNIT
        return StageStatus(StageKind.ANSWERING, awaited, CountedKind.PAIRS, answered, len(batch.pair_ids))

    def data_warnings(self) -> tuple[DataWarning, ...]:
        """Attributes that look as if one owner wrote them in another form, by the pairs compared so far."""
        layer = self.layer
        return tuple(
            attribute_warnings(self._schema.names, self.similarity, layer.outcomes, layer.model.attributes_heard)
        )

    def admit(self, envelope: Envelope) -> Envelope:
        """Check a message; it is kept as it is."""
        check_incoming(envelope)
        if envelope.sender.role is Role.OWNER and envelope.sender not in self._owners:
            raise refused(envelope, "not an owner of this project")
        match envelope.message:
            case Bootstrap() as message:
                self._check_announced(envelope, message)
            case AttributeEncodings() as message:
                self._check_answered(envelope, message)
            case Refusal() as message if envelope.sender.role is Role.OWNER:
                self._check_unanswered(envelope, message.ids)
            case FurtherWish() as message:
                self.further.check(envelope, message, self._open_tasks, self.similarity)
            case ReviewLabel() as message:
                self._check_open(envelope, message.task_ids)
                _checked_outcomes(envelope, message.g, message.p)
            case Refusal() as message:
                self._check_open(envelope, message.ids)
            case _:
                raise refused(envelope, "not for the attribute unit")
        return envelope

    def apply(self, event: Envelope | Decision) -> None:
        """Take in one entry of the log."""
        if isinstance(event, Envelope):
            self._take(event)
            return
        match event:
            case Compared() | ComparedBefore():
                self._compared(event)
            case ReviewsAsked():
                self._asked(event)
            case FurtherPassed():
                self.further.passed()
            case Reported():
                word = outcomes(event.g, event.p)
                self.layer.reported(np.frombuffer(event.positions, "<i8"), word)
                self._learnt.told()
                self._batch = None

    def _take(self, envelope: Envelope) -> None:
        match envelope.message:
            case Bootstrap() as message:
                self._batch = Batch(entries(message.pair_ids, ID), message.strangers, outcomes(message.g, message.p))
                self._batches += 1
            case AttributeEncodings() as message:
                self._answered(envelope.sender, message)
            case Erased() as message:
                for pair_id in entries(message.ids, ID):
                    self.answers.erased(envelope.sender, pair_id)
            case Refusal() as message if envelope.sender.role is Role.OWNER:
                for pair_id in entries(message.ids, ID):
                    self.answers.refuse(envelope.sender, pair_id)
            case FurtherWish() as message:
                self.further.add(message)
            case ReviewLabel() | Refusal() as message:
                self._reviewed(message)

    def stub(self, message: Message) -> Erased | None:
        """Encodings are erased once they were compared; that the pairs were answered stays."""
        return Erased(message.pair_ids) if isinstance(message, AttributeEncodings) else None

    def done_with(self, message: Erased) -> bool:
        """Whether all these pairs were compared."""
        return all(self.answers.closed(pair_id) for pair_id in entries(message.ids, ID))

    def decide(self, now: float) -> Step | None:
        """The next decision that is due."""
        del now
        if (further := self.further.due(self._owners)) is not None:
            return further
        batch = self._batch
        if batch is None or self._open_tasks:
            return None
        if not batch.compared:
            return self._compare(batch) if self.answers.complete(batch.pair_ids) else None
        return self._ask(batch) or self._report()

    # A batch comes in

    def _check_announced(self, envelope: Envelope, message: Bootstrap) -> None:
        if self._batch is not None:
            raise too_early(envelope, "the last batch is not finished")
        if self._batches == len(self._protocol.batches):
            # Empty ones are finished at once, so their number must have an end.
            raise refused(envelope, "more batches than the schema has")
        _checked_outcomes(envelope, message.g, message.p)
        if max(message.strangers, default=0) > 1:
            raise refused(envelope, "strangers are marked by 0 or 1")
        pair_ids = entries(message.pair_ids, ID)
        if len(set(pair_ids)) != len(pair_ids) or any(self.answers.closed(pair_id) for pair_id in pair_ids):
            raise refused(envelope, "a pair that was announced before")

    def _check_answered(self, envelope: Envelope, message: AttributeEncodings) -> None:
        width = len(self._schema.attributes)
        layer = self._schema.layer_a
        if (message.attributes, message.m) != (width, layer.length):
            raise refused(envelope, "attributes or filter length differ from the schema's")
        classes = byte_matrix(message.classes, width)
        # Beside signs, classes are hidden in bytes that may have any value.
        if not layer.signs and classes.size and classes.max() > 1 + len(self._protocol.frequency.bounds):
            raise refused(envelope, "an unknown frequency class")
        self._check_unanswered(envelope, message.pair_ids)

    def _check_unanswered(self, envelope: Envelope, column: bytes) -> None:
        pair_ids = entries(column, ID)
        twice = len(set(pair_ids)) != len(pair_ids)
        if twice or any(self.answers.has(envelope.sender, pair_id) for pair_id in pair_ids):
            raise refused(envelope, "a second answer for the same pair")
        if self._batch is None or not self._batch.expected.issuperset(pair_ids):
            # Kept, such answers could fill the unit without bound.
            raise too_early(envelope, "a pair that was not announced yet")

    def _answered(self, owner: Address, message: AttributeEncodings) -> None:
        width = len(self._schema.attributes)
        filters = np.frombuffer(message.filters, "<u8").reshape(-1, width, word_count(message.m))
        classes = byte_matrix(message.classes, width)
        for i, pair_id in enumerate(entries(message.pair_ids, ID)):
            self.answers.give(owner, pair_id, filters[i], classes[i])

    def _compare(self, batch: Batch) -> Step:
        """Once every owner has answered: one similarity per attribute."""
        width = len(self._schema.attributes)
        # Of strangers nothing can be learnt about the pairs that are asked about, nor is anything reported.
        asked = [pair_id for pair_id, stranger in zip(batch.pair_ids, batch.strangers, strict=True) if not stranger]
        both, filters, classes = self.answers.both(asked)
        if not both:
            return Step(Compared(width, b"", b"", b"", b""))
        found = compared(filters[0], filters[1], (classes[0], classes[1]), self._schema.layer_a)
        pair_ids = b"".join(asked[i] for i in both)
        similarity, chance = (each.astype("<f8").tobytes() for each in (found.similarity, found.chance))
        columns = (similarity, found.agreement.tobytes(), chance)
        return Step(Compared(width, pair_ids, *columns))

    def _compared(self, decision: Compared | ComparedBefore) -> None:
        """Take in similarities: features, and M_A's first word."""
        batch = self._batch
        assert batch is not None
        batch.compared = True
        self.answers.close(batch.pair_ids)
        pair_ids = entries(decision.pair_ids, ID)
        if pair_ids:
            width = decision.attributes
            similarity = np.frombuffer(decision.similarity, "<f8").reshape(-1, width).astype(np.float64)
            agreement = byte_matrix(decision.agreement, width)
            self.similarity = np.concatenate([self.similarity, similarity])
            self.agreement = np.concatenate([self.agreement, agreement])
            self._by_chance = np.concatenate(
                [self._by_chance, np.frombuffer(decision.chance, "<f8").reshape(-1, width)]
            )
            self.pair_ids += pair_ids
            place = {pair_id: i for i, pair_id in enumerate(batch.pair_ids)}
            both = [place[pair_id] for pair_id in pair_ids]
            above = Outcomes(batch.thought.g[both], batch.thought.p[both])
            self.layer.add(self._features(similarity, agreement, above), above)
        if len(self.layer):
            if not self.layer.model.ready:
                self.layer.learn()  # bootstrap from what M_R thinks
            self.layer.settle()
            self.layer.classify()

    # Reviewers are asked

    def _ask(self, batch: Batch) -> Step | None:
        """The next batch of tasks; None when this iteration's reviews are through."""
        review = self._protocol.review
        left = review.budget - self.spent
        if self._protocol.layers < 3 or batch.rounds == review.rounds or left <= 0:  # noqa: PLR2004 - with review
            return None
        draw = self._chance(f"review {self._reviews}")
        chosen = self._draw(min(left, max(1, review.budget // review.batches)), draw)
        return self._tasks(chosen, draw) if len(chosen) else None

    def _draw(self, size: int, draw: Draw) -> Positions:
        """Pairs to review: uncertain ones, and a few that both layers are sure of, to learn how often reviewers err."""
        controls = round(self._protocol.controls * size)
        chosen = self.layer.select(size - controls, draw.rng)
        some = self.layer.agreed(max(_SURE, self._protocol.p_t), controls, draw.rng)
        if not len(some):
            return chosen
        # In random order: reviewers must not learn where the easy ones stand.
        return draw.rng.permutation(np.concatenate([chosen, some]))

    def _tasks(self, chosen: Positions, draw: Draw) -> Step:
        width = len(self._schema.attributes)
        task_ids = entries(draw.entropy(ID * len(chosen)), ID)
        state = states(self.similarity[chosen], self._bounds(chosen))
        asked = state == SHOWN
        if self._protocol.decoys:
            # Names alone would tell an owner which attributes are alike. What decoys bring, the review unit drops.
            asked |= draw.rng.random(asked.shape) < self._protocol.decoys
        marks = [row.tobytes() for row in asked.astype(np.uint8)]
        pair_ids = [self.pair_ids[position] for position in chosen.tolist()]
        classes = self.agreement[chosen].tobytes()
        task = ReviewTask(width, b"".join(task_ids), state.astype(np.uint8).tobytes(), classes)
        messages = [*self._tell_learnt(), self._send(REVIEW_UNIT, task)]
        messages += value_wishes(self._owners, (pair_ids, task_ids, marks), width=width, draw=draw)
        return Step(ReviewsAsked(b"".join(task_ids), chosen.astype("<i8").tobytes()), tuple(messages))

    def _asked(self, decision: ReviewsAsked) -> None:
        assert self._batch is not None
        self._learnt.asked(self.layer)
        self._batch.rounds += 1
        self._reviews += 1
        positions = np.frombuffer(decision.positions, "<i8")
        self.layer.ask(positions)
        self._open_tasks = dict(zip(entries(decision.task_ids, ID), positions.tolist(), strict=True))
        self.tasks.update(self._open_tasks)

    def _bounds(self, chosen: Positions) -> NDArray[np.float64]:
        """For each of these pairs and each attribute the similarity up to which its values are not asked for."""
        review = self._protocol.review
        if review.learn_lower is None:  # as published: one bound for all
            return np.full((len(chosen), self.similarity.shape[1]), review.lower)
        learnt = learnt_bounds(self.similarity, self.layer.g, lower=review.lower, quantile=review.learn_lower)
        return np.maximum(learnt, self._by_chance[chosen])

    def _check_open(self, envelope: Envelope, column: bytes) -> None:
        task_ids = entries(column, ID)
        if len(set(task_ids)) != len(task_ids) or any(task_id not in self._open_tasks for task_id in task_ids):
            raise refused(envelope, "a task that is not open")

    def _reviewed(self, message: ReviewLabel | Refusal) -> None:
        if isinstance(message, Refusal):
            for task_id in entries(message.ids, ID):
                del self._open_tasks[task_id]
        else:
            labels = outcomes(message.g, message.p)
            for task_id, g, p in zip(entries(message.task_ids, ID), labels.g.tolist(), labels.p.tolist(), strict=True):
                self._labels[self._open_tasks.pop(task_id)] = (g, p)
        self._learn_when_reviewed()

    def _learn_when_reviewed(self) -> None:
        """Once no task is open: take the labels, let the forest grow, classify anew."""
        if not self._open_tasks and self._labels:
            positions = np.array(sorted(self._labels), np.int64)
            g = np.array([self._labels[i][0] for i in positions.tolist()], bool)
            p = np.array([self._labels[i][1] for i in positions.tolist()])
            self.layer.take(positions, Outcomes(g, p))
            self.spent += len(positions)
            self._learnt.learnt(len(positions))
            self._labels = {}
            self.layer.judge_reviewers()
            self.layer.learn()
            self.layer.classify()

    def _report(self) -> Step:
        """Tell the record unit what is new or has changed."""
        changed = self.layer.changes(once=self._protocol.report_once)
        g, p = outcome_columns(Outcomes(self.layer.g[changed], self.layer.p[changed]))
        pair_ids = b"".join(self.pair_ids[i] for i in changed.tolist())
        decision = Reported(g, p, changed.astype("<i8").tobytes())
        messages = [*self._tell_learnt(), self._send(RECORD_UNIT, Labels(pair_ids, g, p))]
        if self.answers.asked:
            messages.append(self._send(RECORD_UNIT, self.answers.told(self._batches - 1)))
        return Step(decision, tuple(messages))

    def _tell_learnt(self) -> list[Envelope]:
        """Reviewers are told once what the labels of their last batch changed."""
        message = self._learnt.message(self.layer)
        return [] if message is None else [self._send(REVIEW_UNIT, message)]

    def _send(self, recipient: Address, message: Message) -> Envelope:
        return Envelope(ATTRIBUTE_UNIT, recipient, message)


def _checked_outcomes(envelope: Envelope, g: bytes, p: bytes) -> None:
    try:
        outcomes(g, p)
    except ValueError as error:
        raise refused(envelope, str(error)) from None
