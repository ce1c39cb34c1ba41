"""
The attribute unit's machine.

For each batch that the record unit announces it waits for the owners' answers, computes one similarity per attribute,
classifies with M_A, and then asks reviewers about a few uncertain pairs, learning after each of their batches. What is
new or changed is reported upward. It never sees a value, key_do, a record-level encoding or a record handle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.attribute_unit.answers import Answers
from unveil.linkage.attributes import agreement_classes, attribute_similarities
from unveil.linkage.bits import word_count
from unveil.linkage.columns import byte_matrix, entries, outcome_columns, outcomes
from unveil.linkage.layer import Layer
from unveil.linkage.logistic import LogisticModel
from unveil.linkage.noise import estimated_error
from unveil.linkage.outcome import Model, Outcomes, Reals
from unveil.linkage.request import SHOWN, learnt_bounds, states
from unveil.protocol.flows import Envelope, check_incoming, refused
from unveil.protocol.messages import (
    ID,
    AttributeEncodings,
    AttributeWish,
    Bootstrap,
    Labels,
    Message,
    Refusal,
    ReviewLabel,
    ReviewTask,
    WishlistPull,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address, Role
from unveil.schema import Schema

Entropy = Callable[[int], bytes]
#: What the model is told about each pair: from attribute similarities, agreement classes, and the word from above.
Features = Callable[[Reals, NDArray[np.uint8], Outcomes], Reals]
_SURE = 0.98


@dataclass(slots=True)
class _Batch:
    """The batch of the record unit that is being worked on."""

    pair_ids: list[bytes]
    thought: Outcomes
    rounds: int = 0
    compared: bool = False


class AttributeUnit:
    """L_A. `layer` holds its pairs, in the order of `pair_ids`; `similarity` their attribute similarities."""

    def __init__(
        self,
        schema: Schema,
        owners: tuple[Address, Address],
        *,
        rng: np.random.Generator,
        entropy: Entropy,
        model: Model,
        features: Features,
    ) -> None:
        protocol = schema.protocol
        paper = protocol.models == "paper"
        self.layer = Layer(
            model,
            protocol,
            # A model with prior knowledge reads the weight as a probability: doubled, doubt would turn into certainty.
            clerical_weight=protocol.clerical_weight_a if paper else 1.0,
            asks_people=True,
            heeds_above=paper,
        )
        self._features = features
        self.pair_ids: list[bytes] = []
        self.similarity: Reals = np.empty((0, len(schema.attributes)))
        self.agreement: NDArray[np.uint8] = np.empty((0, len(schema.attributes)), np.uint8)
        self.spent = 0
        self.tasks: dict[bytes, int] = {}  # task id -> position in the layer
        self._schema, self._protocol, self._owners = schema, protocol, owners
        self._rng, self._entropy = rng, entropy
        self._answers = Answers(owners)
        self._wishlists: dict[Address, deque[tuple[bytes, bytes, bytes]]] = {owner: deque() for owner in owners}
        self._batch: _Batch | None = None
        self._open_tasks: dict[bytes, int] = {}
        self._labels: dict[int, tuple[bool, float]] = {}

    def receive(self, envelope: Envelope) -> list[Envelope]:
        """Take one message; return what is to be sent because of it."""
        check_incoming(envelope)
        if envelope.sender.role is Role.OWNER and envelope.sender not in self._owners:
            raise refused(envelope, "not an owner of this project")
        match envelope.message:
            case Bootstrap() as message:
                return self._announced(envelope, message)
            case AttributeEncodings() as message:
                return self._answered(envelope, message)
            case Refusal() as message if envelope.sender.role is Role.OWNER:
                return self._declined(envelope, message)
            case WishlistPull() as message:
                return self._wishes(envelope, message)
            case ReviewLabel() as message:
                return self._reviewed(envelope, message)
            case Refusal() as message:
                return self._not_reviewed(envelope, message)
        raise refused(envelope, "not for the attribute unit")

    # A batch comes in

    def _announced(self, envelope: Envelope, message: Bootstrap) -> list[Envelope]:
        if self._batch is not None:
            raise refused(envelope, "the last batch is not finished")
        try:
            thought = outcomes(message.g, message.p)
        except ValueError as error:
            raise refused(envelope, str(error)) from None
        pair_ids = entries(message.pair_ids, ID)
        if len(set(pair_ids)) != len(pair_ids) or any(self._answers.closed(pair_id) for pair_id in pair_ids):
            raise refused(envelope, "a pair that was announced before")
        self._batch = _Batch(pair_ids, thought)
        return self._compare_when_complete()

    def _answered(self, envelope: Envelope, message: AttributeEncodings) -> list[Envelope]:
        width = len(self._schema.attributes)
        if (message.attributes, message.m) != (width, self._schema.layer_a.m):
            raise refused(envelope, "attributes or filter length differ from the schema's")
        words = word_count(message.m)
        filters = np.frombuffer(message.filters, "<u8").reshape(-1, width, words)
        classes = byte_matrix(message.classes, width)
        if classes.size and classes.max() > 1 + len(self._protocol.frequency.bounds):
            raise refused(envelope, "an unknown frequency class")
        pair_ids = self._unanswered(envelope, message.pair_ids)
        for i, pair_id in enumerate(pair_ids):
            self._answers.give(envelope.sender, pair_id, filters[i], classes[i])
        return self._compare_when_complete()

    def _declined(self, envelope: Envelope, message: Refusal) -> list[Envelope]:
        for pair_id in self._unanswered(envelope, message.ids):
            self._answers.refuse(envelope.sender, pair_id)
        return self._compare_when_complete()

    def _unanswered(self, envelope: Envelope, column: bytes) -> list[bytes]:
        pair_ids = entries(column, ID)
        twice = len(set(pair_ids)) != len(pair_ids)
        if twice or any(self._answers.has(envelope.sender, pair_id) for pair_id in pair_ids):
            raise refused(envelope, "a second answer for the same pair")
        return pair_ids

    def _compare_when_complete(self) -> list[Envelope]:
        """Once every owner has answered: similarities, features, M_A's first word, first review batch."""
        batch = self._batch
        if batch is None or batch.compared or not self._answers.complete(batch.pair_ids):
            return []
        batch.compared = True
        both, filters, classes = self._answers.pop(batch.pair_ids)
        if both:
            similarity = attribute_similarities(filters[0], filters[1])
            agreement = agreement_classes(similarity, classes[0], classes[1])
            self.similarity = np.concatenate([self.similarity, similarity])
            self.agreement = np.concatenate([self.agreement, agreement])
            self.pair_ids += [batch.pair_ids[i] for i in both]
            told = Outcomes(batch.thought.g[both], batch.thought.p[both])
            self.layer.add(self._features(similarity, agreement, told), told)
        if len(self.layer):
            if not self.layer.model.ready:
                self.layer.learn()  # bootstrap from what M_R thinks
            self.layer.classify()
        return self._next_review()

    # Reviewers are asked

    def _next_review(self) -> list[Envelope]:
        """Ask about the next batch of tasks, or report when this iteration's reviews are through."""
        batch, review = self._batch, self._protocol.review
        assert batch is not None
        left = review.budget - self.spent
        if self._protocol.layers == 3 and batch.rounds < review.rounds and left > 0:  # noqa: PLR2004 - with review
            batch.rounds += 1
            size = min(left, max(1, review.budget // review.batches))
            chosen = self._draw(size)
            if len(chosen):
                return self._ask(chosen)
        return self._report()

    def _draw(self, size: int) -> NDArray[np.int64]:
        """Pairs to review: uncertain ones, and a few that the model is sure of, to learn how often reviewers err."""
        controls = round(self._protocol.controls * size)
        chosen = self.layer.select(size - controls, self._rng)
        sure = np.flatnonzero(~self.layer.asked & (self.layer.p > _SURE))
        some = self._rng.permutation(sure)[:controls]
        self.layer.asked[some] = True
        if not len(some):
            return chosen
        # In random order: reviewers must not learn where the easy ones stand.
        return self._rng.permutation(np.concatenate([chosen, some]))

    def _ask(self, chosen: NDArray[np.int64]) -> list[Envelope]:
        width = len(self._schema.attributes)
        task_ids = entries(self._entropy(ID * len(chosen)), ID)
        state = states(self.similarity[chosen], self._bounds())
        asked = (state == SHOWN).astype(np.uint8)
        self._open_tasks = dict(zip(task_ids, chosen.tolist(), strict=True))
        self.tasks.update(self._open_tasks)
        wishes = [
            (self.pair_ids[position], task_id, asked[i].tobytes())
            for i, (task_id, position) in enumerate(self._open_tasks.items())
        ]
        for owner in self._owners:
            self._wishlists[owner].extend(wishes[i] for i in self._rng.permutation(len(wishes)))
        classes = self.agreement[chosen].tobytes()
        task = ReviewTask(width, b"".join(task_ids), state.astype(np.uint8).tobytes(), classes)
        return [self._send(REVIEW_UNIT, task)]

    def _bounds(self) -> NDArray[np.float64]:
        """For each attribute the similarity up to which its values are not asked for."""
        review = self._protocol.review
        if review.learn_lower is None:
            return np.full(self.similarity.shape[1], review.lower)
        return learnt_bounds(self.similarity, self.layer.g, lower=review.lower, quantile=review.learn_lower)

    def _wishes(self, envelope: Envelope, message: WishlistPull) -> list[Envelope]:
        wishlist = self._wishlists[envelope.sender]
        wishes = [wishlist.popleft() for _ in range(min(message.limit, len(wishlist)))]
        if not wishes:
            return []
        pair_ids, task_ids, asked = (b"".join(part) for part in zip(*wishes, strict=True))
        return [self._send(envelope.sender, AttributeWish(len(self._schema.attributes), pair_ids, task_ids, asked))]

    def _reviewed(self, envelope: Envelope, message: ReviewLabel) -> list[Envelope]:
        task_ids = self._open(envelope, message.task_ids)
        try:
            labels = outcomes(message.g, message.p)
        except ValueError as error:
            raise refused(envelope, str(error)) from None
        for task_id, g, p in zip(task_ids, labels.g.tolist(), labels.p.tolist(), strict=True):
            self._labels[self._open_tasks.pop(task_id)] = (g, p)
        return self._learn_when_reviewed()

    def _not_reviewed(self, envelope: Envelope, message: Refusal) -> list[Envelope]:
        for task_id in self._open(envelope, message.ids):
            del self._open_tasks[task_id]
        return self._learn_when_reviewed()

    def _open(self, envelope: Envelope, column: bytes) -> list[bytes]:
        task_ids = entries(column, ID)
        if len(set(task_ids)) != len(task_ids) or any(task_id not in self._open_tasks for task_id in task_ids):
            raise refused(envelope, "a task that is not open")
        return task_ids

    def _learn_when_reviewed(self) -> list[Envelope]:
        """Once no task is open: take the labels, let the forest grow, classify anew."""
        if self._open_tasks:
            return []
        if self._labels:
            positions = np.array(sorted(self._labels), np.int64)
            g = np.array([self._labels[i][0] for i in positions.tolist()], bool)
            p = np.array([self._labels[i][1] for i in positions.tolist()])
            self.layer.take(positions, Outcomes(g, p))
            self.spent += len(positions)
            self._labels = {}
            self._judge_reviewers()
            self.layer.learn()
            self.layer.classify()
        return self._next_review()

    def _judge_reviewers(self) -> None:
        """Estimate how often reviewers err from all labels so far; a forest takes every label as it is."""
        model = self.layer.model
        if not isinstance(model, LogisticModel):
            return
        labelled = np.flatnonzero(self.layer.labelled)
        labels = Outcomes(self.layer.label_g[labelled], self.layer.label_p[labelled])
        odds = model.prior.log_odds(self.layer.features[labelled])
        error = estimated_error(odds, labels, inertia=model.inertia)
        self.layer.model, self.layer.reviewer_error = replace(model, error=error), error

    def _report(self) -> list[Envelope]:
        """Tell the record unit what is new or has changed."""
        changed = self.layer.changes(once=self._protocol.report_once)
        self._batch = None
        word = Outcomes(self.layer.g[changed], self.layer.p[changed])
        pair_ids = b"".join(self.pair_ids[i] for i in changed.tolist())
        return [self._send(RECORD_UNIT, Labels(pair_ids, *outcome_columns(word)))]

    def _send(self, recipient: Address, message: Message) -> Envelope:
        return Envelope(ATTRIBUTE_UNIT, recipient, message)
