"""
The owner's machine.

It shows that it shares key and parameters with the others, uploads its records encoded as a whole, and then answers or
refuses wishes: attribute encodings under the pair's key go to the attribute unit, values for a masked display to the
review unit. Every disclosure is charged to the ledger before it is sent. It learns no outcome; at the end it gets a
link id for each of its records, and answers nothing any more.

Whatever units say, it holds them to what the project file allows, and what it remembers of a linkage lasts as long as
that: an upload that is of no use is begun anew in the same log, and not at all once a wish has come.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.errors import SettingError
from unveil.protocol.flows import Envelope, check_incoming, refused
from unveil.protocol.machine import Decision, KeepsAll, NoLongWork, NothingKept, Step
from unveil.protocol.messages import (
    ID,
    Agreement,
    AttributeEncodings,
    AttributeValues,
    AttributeWish,
    EncodingWish,
    Fingerprint,
    LinkTable,
    Message,
    RecordEncodings,
    Refusal,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.records import Records
from unveil.roles.chance import Chance
from unveil.roles.columns import byte_matrix, entries
from unveil.roles.handles import Handles
from unveil.roles.owner.budget import narrowed_caps
from unveil.roles.owner.combinations import Combinations
from unveil.roles.owner.decisions import (
    KINDS,
    MISSING,
    VALUE,
    Answered,
    Approved,
    BegunAnew,
    Prepared,
    Presented,
    Uploaded,
)
from unveil.roles.owner.frequency import all_frequency_classes
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER, Ledger
from unveil.roles.owner.lengths import short_enough
from unveil.roles.owner.links import Links
from unveil.roles.owner.policy import Grant, Policy
from unveil.roles.owner.wishes import Wish, Wishes
from unveil.schema import Schema
from unveil.schema.most_asked import MostAsked

PART = 4 << 20  # bytes of one part of an upload, or of one message of encodings: units take no message of any length
_MOST_ANEW = 9  # times that an upload is begun anew: each shows the records once more
_PATIENCE = 1000  # words on a fingerprint, each of which is kept; two owners' mistakes lead to 200 at most


# Wishes are never forgotten: a key_pair must not be served twice.
class Owner(KeepsAll, NoLongWork, NothingKept):
    """DO. `ledger` tells what left; `link_ids` is the result, one 16-byte id per record, empty until it has come."""

    decisions: ClassVar[Mapping[str, type[Decision]]] = KINDS

    def __init__(
        self,
        address: Address,
        records: Records,
        schema: Schema,
        encoder: Encoder,
        *,
        policy: Policy | None = None,
        chance: Chance,
    ) -> None:
        self.address = address
        self.ledger = Ledger(len(records), len(schema.attributes))
        self.agreed: bool | None = None  # whether all owners share key and parameters; None: not known yet
        self.uploaded = False
        self._records, self._schema, self._encoder, self._chance = records, schema, encoder, chance
        fitted = (policy or Policy()).fitted(schema.names, len(records))
        caps = narrowed_caps(fitted.caps, MostAsked.of(schema.protocol), len(schema.attributes))
        self._policy = replace(fitted, caps=caps)
        self._combinations = Combinations(records, schema.names) if self._policy.smallest_k > 1 else None
        self._handles: Handles | None = None
        self._upload_id = b""
        self._changed = False  # whether the handles stand for other records than there are now
        self._anew = 0  # how often the upload was begun anew
        self._fingerprint = encoder.presented()
        self._presented = b""  # the fingerprint that the record unit knows
        self._told = 0  # how often the record unit said whether owners agree
        self._wishes = Wishes(schema)
        self._links = Links()
        self._classes = all_frequency_classes(records, schema)
        self._present = np.stack([~records.columns[name].missing() for name in schema.names], axis=1)
        self._short = short_enough(records, schema.names)

    def __repr__(self) -> str:
        return f"Owner({self.address}, <{len(self._records)} records>)"

    @property
    def link_ids(self) -> list[bytes]:
        """One link id per record, in the order of the records; empty until all have come."""
        return self._links.ids

    @property
    def upload_id(self) -> bytes:
        """What tells this upload from every other, of this owner and of others; empty before there are handles."""
        return self._upload_id

    def check_data(self) -> None:
        """SettingError if the data is not what the handles stand for."""
        if self._changed:
            raise SettingError(
                "the data has changed since the linkage began: handles would stand for other records",
                hint="put the data back as it was; other data need a project of another name",
            )

    def unfinished(self) -> str:
        """Whether the links are still to come, in words."""
        return "" if self.link_ids else "the links have not come yet"

    # Messages

    def admit(self, envelope: Envelope) -> Envelope:
        """Check a message; it is kept as it is."""
        check_incoming(envelope)
        self.check_data()
        if self._links.begun and isinstance(envelope.message, EncodingWish | AttributeWish):
            raise refused(envelope, "the links have come, and nothing is answered any more")
        match envelope.message:
            case Agreement() as message:
                if self.agreed:
                    raise refused(envelope, "the owners have agreed before")
                if message.fingerprint != self._presented:
                    # Word on a key or schema that was mended meanwhile; the right one will come.
                    raise refused(envelope, "about another fingerprint than was shown last")
                if self._told >= _PATIENCE:
                    raise refused(envelope, f"more than {_PATIENCE} words on whether owners agree")
            case EncodingWish() as message:
                self._wishes.check_encodings(envelope, message, self._handles)
                if self.upload_id not in entries(message.uploads, ID):
                    raise refused(envelope, "a wish that is not about this owner's upload")
            case AttributeWish() as message:
                self._wishes.check_values(envelope, message)
            case LinkTable() as message:
                self._links.check(envelope, message, self._handles)
            case _:
                raise refused(envelope, "not for an owner")
        return envelope

    def apply(self, event: Envelope | Decision) -> None:
        """Take in one entry of the log."""
        match event:
            case Envelope():
                self._take(event.message)
            case Prepared():
                self._prepared(event)
            case Presented():
                self._presented, self.agreed = event.fingerprint, None
            case Uploaded():
                self.uploaded = True
            case BegunAnew():
                self._handles, self._upload_id, self._changed, self._anew = None, b"", False, self._anew + 1
                self._presented, self.agreed, self.uploaded = b"", None, False
            case Approved():
                self._wishes.approve(event)
            case Answered():
                self._answered(event)

    def _take(self, message: Message) -> None:
        match message:
            case Agreement():
                self.agreed, self._told = bool(message.agree), self._told + 1
            case EncodingWish() | AttributeWish():
                self.check_data()
                self._wishes.add(message, self._handles)
            case LinkTable():
                self.check_data()
                assert self._handles is not None
                self._links.add(message, self._handles)

    def decide(self, now: float) -> Step | None:
        """The next decision that is due."""
        self.check_data()
        if self._handles is None:
            return self._prepare()
        if self._presented != self._fingerprint:
            return self._introduce()
        if self.agreed and not self.uploaded:
            return self._upload()
        wish = None if self._links.begun else self._wishes.due(self._policy.needs_approval)
        return None if wish is None else self._answer(wish, now)

    # Encodings go out

    def _prepare(self) -> Step:
        """Random handles for the records."""
        handles = self._chance(f"handles{self._again()}").handles(len(self._records))
        return Step(Prepared(self._records.digest(), handles))

    def _prepared(self, decision: Prepared) -> None:
        self._changed = decision.digest != self._records.digest()
        self._handles = Handles(decision.handles)
        # Handles are random and drawn anew for every upload.
        self._upload_id = hashlib.sha256(b"unveil upload 1" + decision.handles).digest()[:ID]

    def begin_anew(self) -> Step:
        """The decision to leave an upload behind that is of no use; never after a wish, whatever a unit says."""
        if self._wishes.any or self._links.begun:
            # Whoever could make an owner forget what it answered could ask for it again, and for more.
            raise SettingError(
                "the units have asked about this upload already, so nothing can be begun anew",
                hint="ask whoever runs the record unit; another linkage needs a project of another name",
            )
        if self._anew >= _MOST_ANEW:
            raise SettingError(
                f"this linkage was begun anew {_MOST_ANEW} times, which is all",
                hint="agree on a project of another name",
            )
        return Step(BegunAnew())

    def _again(self) -> str:
        """Names what is drawn for an upload that was begun anew: other numbers than for the one before."""
        return f" {self._anew}" if self._anew else ""

    def _introduce(self) -> Step:
        """The fingerprint, which shows whether all owners share key and parameters."""
        if self.agreed:
            # Filters under another key are like nobody's: every link would be lost in silence.
            raise SettingError(
                "the key or the parameters have changed since the owners agreed on them",
                hint="put the key file and the project file back as they were",
            )
        return Step(Presented(self._fingerprint), (self._send(RECORD_UNIT, Fingerprint(self._fingerprint)),))

    def _upload(self) -> Step:
        parts = list(self._parts())
        return Step(Uploaded(len(parts)), tuple(self._send(RECORD_UNIT, part) for part in parts))

    def _parts(self) -> Iterator[RecordEncodings]:
        """
        Every record, encoded as a whole, in the order of the handles.

        A file may be sorted by a name, and its order would tell the initial of nearly everybody. Handles are random and
        in the log, so a restart keeps the order, and whoever gets the upload can see that it has no other.
        """
        assert self._handles is not None
        filters = self._encoder.record_level(self._records, rng=self._chance(f"upload{self._again()}").coins)
        blocking = self._encoder.blocking_keys(self._records)
        size = max(1, PART // (ID + filters.shape[1] * 8 + blocking.shape[1] * blocking.shape[2]))
        parts = max(1, -(-len(self._records) // size))
        for part in range(parts):
            some = self._handles.order[part * size : (part + 1) * size]
            yield RecordEncodings(
                upload=self.upload_id,
                part=part,
                parts=parts,
                m=self._encoder.m,
                blocking_keys=len(self._schema.blocking),
                handles=self._handles.pick(some),
                filters=np.ascontiguousarray(filters[some], dtype="<u8").tobytes(),
                blocking=blocking[some].tobytes(),
            )

    # Wishes are answered

    def waiting(self) -> list[Wish]:
        """Wishes that wait for a person's approval."""
        return [] if self._links.begun else self._wishes.waiting(self._policy.needs_approval)

    def approval(self, wish: Wish, granted: Sequence[bool]) -> Step:
        """The decision that lets these entries of a waiting wish go, as far as the policy allows, or refuses them."""
        return Step(Approved(wish.layer, b"".join(wish.ids), bytes(granted)))

    def _answer(self, wish: Wish, now: float) -> Step:
        """Grant what policy and people allow, refuse the rest."""
        asked, missing = self._present[wish.rows], None
        if wish.layer == REVIEW_LAYER:
            # The review unit takes no long value: sent, it would be refused, and hold up all that waits behind it.
            asked, missing = wish.asked & self._short[wish.rows], ~self._present[wish.rows]
        grant = self._policy.grants(
            wish.layer,
            wish.rows,
            asked,
            ledger=self.ledger,
            now=now,
            # Out of luck, whatever the rate: what people turned down must not use up a cap either.
            luck=np.where(wish.approved, self._luck(wish), 1.0),
            missing=missing,
            combinations=self._combinations,
        )
        decision = Answered(
            wish.layer,
            len(self._schema.attributes),
            struct.pack("<d", now),
            b"".join(wish.ids),
            grant.rows.astype(np.uint8).tobytes(),
            (VALUE * grant.attributes + MISSING * grant.missing).astype(np.uint8).tobytes(),
        )
        build = self._values if wish.layer == REVIEW_LAYER else self._encodings
        return Step(decision, tuple(build(wish, grant)))

    def _luck(self, wish: Wish) -> NDArray[np.float64]:
        """
        One draw per wish where only a share is answered: by record, so that asking again changes nothing.

        The units choose the ids of pairs, and an owner does not know the other record: by id or by pair, a unit could
        ask about the same record until it is lucky.
        """
        rate = self._policy.response_rate_a if wish.layer == ATTRIBUTE_LAYER else self._policy.response_rate_c
        if rate in (0.0, 1.0):
            return np.zeros(len(wish.rows))
        assert self._handles is not None
        return self._encoder.lots(wish.layer, entries(self._handles.pick(wish.rows), ID))

    def _answered(self, decision: Answered) -> None:
        """Charge the ledger."""
        granted = np.flatnonzero(np.frombuffer(decision.granted, np.uint8))
        wish = self._wishes.close(entries(decision.ids, ID), decision.layer, granted.tolist())
        given = byte_matrix(decision.given, decision.attributes)[granted]
        now = struct.unpack("<d", decision.time)[0]
        ids = [wish.ids[i] for i in granted]
        self.ledger.charge(decision.layer, wish.rows[granted], given == VALUE, now, ids)
        if decision.layer == REVIEW_LAYER:
            self.ledger.note_missing(wish.rows[granted], given == MISSING)

    def _encodings(self, wish: Wish, grant: Grant) -> Iterator[Envelope]:
        yield from self._refusals(ATTRIBUTE_UNIT, wish, grant)
        granted = np.flatnonzero(grant.rows)
        width = len(self._schema.attributes)
        size = max(1, PART // (ID + width * (self._schema.layer_a.m // 8 + 1)))
        for start in range(0, len(granted), size):
            yield self._send(ATTRIBUTE_UNIT, self._encoded(wish, grant, granted[start : start + size]))

    def _encoded(self, wish: Wish, grant: Grant, some: NDArray[np.int64]) -> AttributeEncodings:
        """These entries of a wish, encoded as far as they are granted."""
        rows = wish.rows[some]
        run = wish.run if self._encoder.bound else b""
        filters = self._encoder.pair_level(self._records, rows, [wish.key_pairs[i] for i in some], run=run)
        # What does not go looks as a missing value looks.
        filters[~grant.attributes[some]] = 0
        classes = np.where(grant.attributes[some], self._classes[rows], 0).astype(np.uint8)
        return AttributeEncodings(
            attributes=len(self._schema.attributes),
            m=self._schema.layer_a.m,
            pair_ids=b"".join(wish.ids[i] for i in some),
            filters=np.ascontiguousarray(filters, dtype="<u8").tobytes(),
            classes=classes.tobytes(),
        )

    def _values(self, wish: Wish, grant: Grant) -> Iterator[Envelope]:
        """One message for each task, so that the review unit can erase each as soon as it is decided."""
        yield from self._refusals(REVIEW_UNIT, wish, grant)
        for i in np.flatnonzero(grant.rows):
            values = self._value_of(int(wish.rows[i]), grant.attributes[i] | grant.missing[i])
            yield self._send(REVIEW_UNIT, AttributeValues(wish.ids[i], (values,)))

    def _value_of(self, row: int, sent: NDArray[np.bool_]) -> dict[str, str]:
        columns = self._records.columns
        return {name: columns[name][row] for name, wanted in zip(self._schema.names, sent, strict=True) if wanted}

    def _refusals(self, unit: Address, wish: Wish, grant: Grant) -> Iterator[Envelope]:
        refused_ids = [wish.ids[i] for i in np.flatnonzero(~grant.rows)]
        if refused_ids:
            yield self._send(unit, Refusal(b"".join(refused_ids)))

    def _send(self, recipient: Address, message: Message) -> Envelope:
        return Envelope(self.address, recipient, message)
