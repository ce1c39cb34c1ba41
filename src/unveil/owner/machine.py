"""
The owner's machine.

It uploads its records encoded as a whole, then pulls wishlists and answers or refuses: attribute encodings under the
pair's key go to the attribute unit, values for a masked display to the review unit. Every disclosure is charged to the
ledger before it is sent. It learns no outcome; at the end it gets a link id for each of its records.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.linkage.columns import byte_matrix, entries
from unveil.linkage.handles import Handles
from unveil.owner.frequency import all_frequency_classes
from unveil.owner.ledger import Ledger
from unveil.owner.policy import ATTRIBUTE, REVIEW, Policy
from unveil.protocol.flows import Envelope, check_incoming, refused
from unveil.protocol.messages import (
    ID,
    KEY_PAIR,
    AttributeEncodings,
    AttributeValues,
    AttributeWish,
    EncodingWish,
    LinkTable,
    Message,
    RecordEncodings,
    Refusal,
    WishlistPull,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.records import Records
from unveil.schema import Schema

Entropy = Callable[[int], bytes]
PULL_LIMIT = 1000


class Owner:
    """DO. `ledger` tells what left; `link_ids` is the result, one 16-byte id per record, empty until it has come."""

    def __init__(
        self,
        address: Address,
        records: Records,
        schema: Schema,
        encoder: Encoder,
        *,
        policy: Policy | None = None,
        rng: np.random.Generator,
        entropy: Entropy,
    ) -> None:
        self.address = address
        self.ledger = Ledger(len(records), len(schema.attributes))
        self.link_ids: list[bytes] = []
        self._records, self._schema, self._encoder = records, schema, encoder
        self._policy, self._rng = policy or Policy(), rng
        self._handles = Handles(entropy(ID * len(records)))
        self._served: set[bytes] = set()  # every key_pair ever answered
        self._pairs: dict[bytes, int] = {}  # pair id -> row
        self._tasks: set[bytes] = set()  # every task id ever answered
        self._classes = all_frequency_classes(records, schema)
        self._present = np.stack([~records.columns[name].missing() for name in schema.names], axis=1)

    def __repr__(self) -> str:
        return f"Owner({self.address}, <{len(self._records)} records>)"

    def begin(self) -> list[Envelope]:
        """The first message: every record, encoded as a whole."""
        filters = self._encoder.record_level(self._records, rng=self._rng)
        blocking = self._encoder.blocking_keys(self._records)
        message = RecordEncodings(
            fingerprint=self._encoder.fingerprint(),
            m=self._encoder.m,
            blocking_keys=len(self._schema.blocking),
            handles=self._handles.column,
            filters=np.ascontiguousarray(filters, dtype="<u8").tobytes(),
            blocking=blocking.tobytes(),
        )
        return [self._send(RECORD_UNIT, message)]

    def poll(self) -> list[Envelope]:
        """Ask both units what they wish for. Owners open no port: they always ask first."""
        return [self._send(unit, WishlistPull(PULL_LIMIT)) for unit in (RECORD_UNIT, ATTRIBUTE_UNIT)]

    def receive(self, envelope: Envelope) -> list[Envelope]:
        """Take one message; return what is to be sent because of it."""
        check_incoming(envelope)
        match envelope.message:
            case EncodingWish() as message:
                return self._encode(envelope, message)
            case AttributeWish() as message:
                return self._show(envelope, message)
            case LinkTable() as message:
                return self._linked(envelope, message)
        raise refused(envelope, "not for an owner")

    def _encode(self, envelope: Envelope, message: EncodingWish) -> list[Envelope]:
        """Answer wishes for attribute encodings that the policy grants, refuse the rest."""
        rows = self._handles.rows(message.handles)
        key_pairs = entries(message.key_pairs, KEY_PAIR)
        pair_ids = entries(message.pair_ids, ID)
        if (rows < 0).any():
            raise refused(envelope, "a wish for a record that this owner does not hold")
        # A key used twice would turn keyed filters into plain ones; only the owner can refuse that.
        if len(set(key_pairs)) != len(key_pairs) or not self._served.isdisjoint(key_pairs):
            raise refused(envelope, "a key_pair that was used before")
        if len(set(pair_ids)) != len(pair_ids) or any(pair_id in self._pairs for pair_id in pair_ids):
            raise refused(envelope, "a pair that was wished for before")
        self._served.update(key_pairs)
        self._pairs.update(zip(pair_ids, rows.tolist(), strict=True))
        granted = self._policy.grants(rows, ATTRIBUTE, self._rng)
        out = self._refusals(ATTRIBUTE_UNIT, pair_ids, granted)
        if granted.any():
            some = np.flatnonzero(granted)
            self.ledger.charge(ATTRIBUTE, rows[some], self._present[rows[some]])
            filters = self._encoder.pair_level(self._records, rows[some], [key_pairs[i] for i in some])
            answer = AttributeEncodings(
                attributes=len(self._schema.attributes),
                m=self._schema.layer_a.m,
                pair_ids=b"".join(pair_ids[i] for i in some),
                filters=np.ascontiguousarray(filters, dtype="<u8").tobytes(),
                classes=self._classes[rows[some]].tobytes(),
            )
            out.append(self._send(ATTRIBUTE_UNIT, answer))
        return out

    def _show(self, envelope: Envelope, message: AttributeWish) -> list[Envelope]:
        """Send the values asked for and granted to the review unit, refuse the rest."""
        names = self._schema.names
        if message.attributes != len(names):
            raise refused(envelope, "attributes outside the schema")
        pair_ids, task_ids = entries(message.pair_ids, ID), entries(message.task_ids, ID)
        if any(pair_id not in self._pairs for pair_id in pair_ids):
            raise refused(envelope, "a wish for a pair that this owner was never asked about")
        if len(set(task_ids)) != len(task_ids) or not self._tasks.isdisjoint(task_ids):
            raise refused(envelope, "a task that was wished for before")
        self._tasks.update(task_ids)
        rows = np.array([self._pairs[pair_id] for pair_id in pair_ids], np.int64)
        allowed = np.array([name not in self._policy.never for name in names])
        asked = byte_matrix(message.asked, len(names)).astype(bool) & allowed
        granted = self._policy.grants(rows, REVIEW, self._rng)
        out = self._refusals(REVIEW_UNIT, task_ids, granted)
        if granted.any():
            some = np.flatnonzero(granted)
            sent = asked[some] & self._present[rows[some]]
            self.ledger.charge(REVIEW, rows[some], sent)
            values = tuple(self._values(rows[i], asked[i]) for i in some)
            out.append(self._send(REVIEW_UNIT, AttributeValues(b"".join(task_ids[i] for i in some), values)))
        return out

    def _values(self, row: int, asked: NDArray[np.bool_]) -> dict[str, str]:
        columns = self._records.columns
        return {name: columns[name][row] for name, wanted in zip(self._schema.names, asked, strict=True) if wanted}

    def _refusals(self, unit: Address, ids: list[bytes], granted: NDArray[np.bool_]) -> list[Envelope]:
        refused_ids = [ids[i] for i in np.flatnonzero(~granted)]
        return [self._send(unit, Refusal(b"".join(refused_ids)))] if refused_ids else []

    def _linked(self, envelope: Envelope, message: LinkTable) -> list[Envelope]:
        if self.link_ids:
            raise refused(envelope, "a second link table")
        rows = self._handles.rows(message.handles)
        if len(rows) != len(self._records) or len(np.unique(rows)) != len(rows) or (rows < 0).any():
            raise refused(envelope, "not a link id for each record")
        link_ids = entries(message.link_ids, ID)
        self.link_ids = [link_ids[i] for i in np.argsort(rows)]
        return []

    def _send(self, recipient: Address, message: Message) -> Envelope:
        return Envelope(self.address, recipient, message)
