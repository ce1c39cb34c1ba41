"""
The record unit's machine.

It waits for both owners' encodings, compares them, and then goes through its iterations: draw uncertain pairs, put
wishes on the owners' wishlists, tell the attribute unit which pairs to expect, take its labels, move the threshold,
classify anew. At the end every owner gets a link table. It never sees an attribute, a value or key_do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from unveil.errors import ProtocolError
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import KEY_BYTES, Blocks
from unveil.linkage.clusters import components, symmetric_best
from unveil.linkage.columns import byte_matrix, entries, outcome_columns, outcomes
from unveil.linkage.engine import Compare, Encoded
from unveil.linkage.estimate import Candidates, Estimate, estimated_quality
from unveil.linkage.handles import Handles
from unveil.linkage.layer import Layer, Positions
from unveil.linkage.logistic import LogisticModel
from unveil.linkage.noise import log_odds
from unveil.linkage.outcome import Flags, Model, Outcomes, Reals
from unveil.linkage.pairs import Comparison, Pairs
from unveil.linkage.threshold import ThresholdModel
from unveil.protocol.flows import Envelope, check_incoming, refused
from unveil.protocol.messages import (
    ID,
    KEY_PAIR,
    Bootstrap,
    EncodingWish,
    Labels,
    LinkTable,
    Message,
    RecordEncodings,
    WishlistPull,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address
from unveil.schema import Protocol, Schema

Entropy = Callable[[int], bytes]
#: What the model is told about each pair, from what this unit holds anyway.
Features = Callable[[Pairs, Encoded, Encoded], Reals]


def similarity_alone(pairs: Pairs, _left: Encoded, _right: Encoded) -> Reals:
    """The similarity, which is all that a threshold looks at."""
    return pairs.similarity


@dataclass(frozen=True, slots=True, repr=False)
class _Wish:
    """One entry of an owner's wishlist."""

    pair_id: bytes
    handle: bytes
    key_pair: bytes


class RecordUnit:
    """L_R. `layer` holds its pairs and their outcomes; `comparison` what the engine found."""

    def __init__(
        self,
        schema: Schema,
        owners: tuple[Address, Address],
        *,
        compare: Compare,
        rng: np.random.Generator,
        entropy: Entropy,
        model: Model,
        features: Features = similarity_alone,
        assessor: tuple[LogisticModel, Features] | None = None,
        response_rate: float = 1.0,
    ) -> None:
        protocol = schema.protocol
        self.layer = Layer(model, protocol, clerical_weight=protocol.clerical_weight_r)
        self.comparison: Comparison | None = None
        self.finished = False
        self._schema, self._protocol, self._owners = schema, protocol, owners
        self._comparing, self._rng, self._entropy = compare, rng, entropy
        self._features, self._assessor, self._response_rate = features, assessor, response_rate
        self._uploads: dict[Address, RecordEncodings] = {}
        self._handles: dict[Address, Handles] = {}
        self._wishlists: dict[Address, deque[_Wish]] = {owner: deque() for owner in owners}
        self._pairs: dict[bytes, int] = {}  # pair id -> position in the layer
        self._iteration = 0

    @property
    def t(self) -> float:
        """The current threshold; of a model without one, the similarity that as many pairs reach as are matches now."""
        if isinstance(self.layer.model, ThresholdModel):
            return self.layer.model.t
        assert self.comparison is not None
        ordered = np.sort(self.comparison.pairs.similarity)
        return float(ordered[-max(1, int(self.layer.g.sum()))].round(2)) if len(ordered) else 1.0

    @property
    def requested_pairs(self) -> int:
        """How many pairs the attribute unit was told about so far."""
        return len(self._pairs)

    def uncertain_band(self) -> tuple[float, float]:
        """Between which similarities decisions are uncertain; without a threshold, for nine in ten of such pairs."""
        model = self.layer.model
        if isinstance(model, ThresholdModel):
            return model.band(self._protocol.p_t)
        assert self.comparison is not None
        p_t = Protocol().p_t
        uncertain = self.comparison.pairs.similarity[model.predict(self.layer.features).p < p_t]
        if not len(uncertain):
            return self.t, self.t
        low, high = np.quantile(uncertain, [0.05, 0.95]).tolist()
        return low, high

    def position_of(self, pair_id: bytes) -> int:
        """Position in the layer of a pair that was asked about."""
        return self._pairs[pair_id]

    def receive(self, envelope: Envelope) -> list[Envelope]:
        """Take one message; return what is to be sent because of it."""
        check_incoming(envelope)
        match envelope.message:
            case RecordEncodings() as message:
                return self._upload(envelope, message)
            case WishlistPull() as message:
                return self._wishes(envelope, message)
            case Labels() as message:
                return self._labels(envelope, message)
        raise refused(envelope, "not for the record unit")

    # Encodings come in

    def _upload(self, envelope: Envelope, message: RecordEncodings) -> list[Envelope]:
        sender = envelope.sender
        if sender not in self._owners:
            raise refused(envelope, "not an owner of this project")
        if sender in self._uploads:
            raise refused(envelope, "this owner has uploaded before")
        if message.blocking_keys != len(self._schema.blocking):
            raise refused(envelope, "the number of blocking keys differs from the schema's")
        for other in self._uploads.values():
            if (other.fingerprint, other.m) != (message.fingerprint, message.m):
                raise refused(envelope, "key or parameters differ from the other owner's")
        try:
            self._handles[sender] = Handles(message.handles)
        except ValueError as error:
            raise refused(envelope, str(error)) from None
        self._uploads[sender] = message
        if len(self._uploads) < len(self._owners):
            return []
        self._compare()
        return self._next_iteration()

    def _compare(self) -> None:
        """Find and classify the candidate pairs."""
        left, right = (self._encoded(self._uploads[owner]) for owner in self._owners)
        self.comparison = self._comparing(left, right)
        evidence = self._features(self.comparison.pairs, left, right)
        self.layer.add(evidence)
        self.layer.classify()

    @staticmethod
    def _encoded(upload: RecordEncodings) -> Encoded:
        count = upload.blocking_keys
        keys = (
            byte_matrix(upload.blocking, count, KEY_BYTES) if count else np.empty((len(upload), 0, KEY_BYTES), np.uint8)
        )
        return Encoded(Bits.from_bytes(upload.filters, upload.m), keys)

    # Iterations

    def _next_iteration(self) -> list[Envelope]:
        """Ask about the next batch, or finish when the plan is through."""
        if self._protocol.layers == 1 or self._iteration == len(self._protocol.batches):
            return self._finish()
        size = ceil(self._protocol.batches[self._iteration] / self._response_rate)
        self._iteration += 1
        chosen = self.layer.select(size, self._rng)
        pair_ids = entries(self._entropy(ID * len(chosen)), ID)
        self._put_on_wishlists(chosen, pair_ids)
        self._pairs.update(zip(pair_ids, chosen.tolist(), strict=True))
        thought = Outcomes(self.layer.g[chosen], self.layer.p[chosen])
        return [self._send(ATTRIBUTE_UNIT, Bootstrap(b"".join(pair_ids), *outcome_columns(thought)))]

    def _put_on_wishlists(self, chosen: Positions, pair_ids: Sequence[bytes]) -> None:
        assert self.comparison is not None
        # key_pair is fresh for every pair, so at most two records share these hash functions
        # and no frequency table can form at the attribute unit.
        key_pairs = entries(self._entropy(KEY_PAIR * len(chosen)), KEY_PAIR)
        pairs = self.comparison.pairs
        for owner, rows in zip(self._owners, (pairs.left, pairs.right), strict=True):
            handles = entries(self._handles[owner].pick(rows[chosen]), ID)
            wishes = [_Wish(*parts) for parts in zip(pair_ids, handles, key_pairs, strict=True)]
            # The order must not tell which pairs are close to the threshold.
            shuffled = [wishes[i] for i in self._rng.permutation(len(wishes))]
            self._wishlists[owner].extend(shuffled)

    def _wishes(self, envelope: Envelope, message: WishlistPull) -> list[Envelope]:
        if envelope.sender not in self._owners:
            raise refused(envelope, "not an owner of this project")
        wishlist = self._wishlists[envelope.sender]
        wishes = [wishlist.popleft() for _ in range(min(message.limit, len(wishlist)))]
        if not wishes:
            return []
        wish = EncodingWish(
            b"".join(wish.pair_id for wish in wishes),
            b"".join(wish.handle for wish in wishes),
            b"".join(wish.key_pair for wish in wishes),
        )
        return [self._send(envelope.sender, wish)]

    def _labels(self, envelope: Envelope, message: Labels) -> list[Envelope]:
        """Take the labels of an iteration, learn, classify anew, go on."""
        if self.finished or self._iteration == 0:
            raise refused(envelope, "no labels were asked for")
        try:
            positions = np.array([self._pairs[pair] for pair in entries(message.pair_ids, ID)], np.int64)
            labels = outcomes(message.g, message.p)
        except KeyError:
            raise refused(envelope, "a label for a pair that was not asked about") from None
        except ValueError as error:
            raise refused(envelope, str(error)) from None
        if len(np.unique(positions)) != len(positions):
            raise refused(envelope, "two labels for the same pair")
        self.layer.take(positions, labels)
        self.layer.learn()
        self.layer.classify()
        return self._next_iteration()

    # The end

    def matches(self) -> Flags:
        """Which pairs are matches now; with the one-to-one step only those that are each other's best."""
        if self.comparison is None:
            raise ProtocolError("nothing was compared yet")
        matched = self.layer.g.copy()
        if self._protocol.one_to_one:
            pairs = self.comparison.pairs
            at = np.flatnonzero(matched)
            matched[at] = symmetric_best(pairs.left[at], pairs.right[at], pairs.similarity[at])
        return matched

    def estimate(self) -> Estimate | None:
        """What the unit itself can tell about the quality of its links; None without a model that gives odds."""
        if self.comparison is None or self._assessor is None:
            return None
        left, right = (self._encoded(self._uploads[owner]) for owner in self._owners)
        layer, pairs = self.layer, self.comparison.pairs
        model, features = self._assessor
        evidence = features(pairs, left, right)
        opened = np.flatnonzero(layer.labelled)
        taught = model
        if isinstance(layer.model, LogisticModel):  # other models' p are no probabilities to learn from
            taught = model.updated(evidence[opened], layer.label_g[opened], layer.label_p[opened])
        odds = taught.log_odds(evidence)
        odds[opened] = log_odds(Outcomes(layer.label_g[opened], layer.label_p[opened]))
        blocks = Blocks.of(left.keys, right.keys, max_block=self._protocol.max_block)
        first, others = (blocks.agree(pairs.left, pairs.right, some) for some in (slice(0, 1), slice(1, None)))
        trusted = isinstance(layer.model, LogisticModel) and len(opened) > 0 and taught.plausible
        candidates = Candidates(odds, layer.labelled, self.matches(), first, others)
        return estimated_quality(candidates, trusted=trusted)

    def _finish(self) -> list[Envelope]:
        """A link id for every record: the same for records that are linked, directly or through others."""
        assert self.comparison is not None
        self.finished = True
        pairs, matched = self.comparison.pairs, self.matches()
        sizes = (len(self._handles[self._owners[0]]), len(self._handles[self._owners[1]]))
        numbers = components(pairs.left[matched], pairs.right[matched], sizes)
        count = 1 + max((int(part.max()) for part in numbers if len(part)), default=-1)
        ids = np.frombuffer(self._entropy(ID * count), np.uint8).reshape(-1, ID)
        return [
            self._send(owner, LinkTable(self._handles[owner].column, ids[part].tobytes()))
            for owner, part in zip(self._owners, numbers, strict=True)
        ]

    def _send(self, recipient: Address, message: Message) -> Envelope:
        return Envelope(RECORD_UNIT, recipient, message)
