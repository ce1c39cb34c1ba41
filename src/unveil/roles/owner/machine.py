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
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.errors import SettingError
from unveil.joining.terms import BY_OWNERS, JoinTerms
from unveil.protocol.flows import Envelope, check_incoming, refused
from unveil.protocol.machine import Decision, KeepsAll, NoLongWork, NothingKept, Step
from unveil.protocol.messages import (
    ID,
    Agreement,
    AttributeWish,
    EncodingWish,
    Fingerprint,
    FurtherWish,
    JoinTable,
    LinkQuality,
    LinkTable,
    Message,
    RecordEncodings,
)
from unveil.protocol.roles import RECORD_UNIT, Address
from unveil.records import Records
from unveil.roles.chance import Chance
from unveil.roles.columns import byte_matrix, entries
from unveil.roles.handles import Handles
from unveil.roles.owner.answers import Answers
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
from unveil.roles.owner.ledger import REVIEW_LAYER, Ledger
from unveil.roles.owner.links import Links
from unveil.roles.owner.policy import Grant, Policy
from unveil.roles.owner.sealed_links import SealedLinks
from unveil.roles.owner.wishes import Wish, Wishes
from unveil.schema import Schema

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
        joining: JoinTerms = BY_OWNERS,
    ) -> None:
        self.address = address
        self.ledger = Ledger(len(records), len(schema.attributes))
        self.agreed: bool | None = None  # whether all owners share key and parameters; None: not known yet
        self.uploaded = False
        self._records, self._schema, self._encoder, self._chance = records, schema, encoder, chance
        self._answers = Answers(records, schema, encoder, policy)
        self._handles: Handles | None = None
        self._upload_id = b""
        self._changed = False  # whether the handles stand for other records than there are now
        self._anew = 0  # how often the upload was begun anew
        self._fingerprint = encoder.presented()
        self._presented = b""  # the fingerprint that the record unit knows
        self._told = 0  # how often the record unit said whether owners agree
        self._wishes = Wishes(schema)
        self._links = Links(len(records), joining)

    def __repr__(self) -> str:
        return f"Owner({self.address}, <{len(self._records)} records>)"

    @property
    def link_ids(self) -> list[bytes]:
        """One link id per record, in the order of the records; empty until all have come."""
        return self._links.ids

    @property
    def linked(self) -> bool:
        """Whether all has come that the record unit sends at the end."""
        return self._links.complete

    @property
    def sealed_links(self) -> SealedLinks:
        """What belongs together, sealed for whoever may join."""
        return self._links.sealed

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
        return "" if self.linked else "the links have not come yet"

    # Messages

    def admit(self, envelope: Envelope) -> Envelope:
        """Check a message; it is kept as it is."""
        check_incoming(envelope)
        self.check_data()
        if self._links.begun and isinstance(envelope.message, EncodingWish | AttributeWish | FurtherWish):
            raise refused(envelope, "the links have come, and nothing is answered any more")
        match envelope.message:
            case Agreement() as message:
                self._check_agreement(envelope, message)
            case EncodingWish() as message:
                self._wishes.check_encodings(envelope, message, self._handles)
                if self.upload_id not in entries(message.uploads, ID):
                    raise refused(envelope, "a wish that is not about this owner's upload")
            case AttributeWish() as message:
                self._wishes.check_values(envelope, message)
            case FurtherWish() as message:
                self._wishes.check_further(envelope, message)
            case LinkTable() | JoinTable() | LinkQuality() as message:
                self._links.check(envelope, message, self._handles)
            case _:
                raise refused(envelope, "not for an owner")
        return envelope

    def _check_agreement(self, envelope: Envelope, message: Agreement) -> None:
        if self.agreed:
            raise refused(envelope, "the owners have agreed before")
        if message.fingerprint != self._presented:
            # Word on a key or schema that was mended meanwhile; the right one will come.
            raise refused(envelope, "about another fingerprint than was shown last")
        if self._told >= _PATIENCE:
            raise refused(envelope, f"more than {_PATIENCE} words on whether owners agree")

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
            case EncodingWish() | AttributeWish() | FurtherWish():
                self.check_data()
                self._wishes.add(message, self._handles, self.upload_id)
            case LinkTable() | JoinTable() | LinkQuality():
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
        wish = None if self._links.begun else self._wishes.due(self._words)
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
        return [] if self._links.begun else self._wishes.waiting(self._words)

    def approval(self, wish: Wish, granted: Sequence[bool]) -> Step:
        """The decision that lets these entries of a waiting wish go, as far as the policy allows, or refuses them."""
        return Step(Approved(wish.layer, b"".join(wish.ids), bytes(granted)))

    @property
    def signs(self) -> int:
        """How many signs are sent of each attribute; 0 where it is a filter."""
        return self._schema.layer_a.signs

    def frequency_class(self, row: int, attribute: int) -> int:
        """How frequent a record's value is among the owner's own: 1 frequent to 3 rare, 0 not told."""
        return self._answers.frequency_class(row, attribute)

    def would_grant(
        self, wish: Wish, now: float, *, policy: Policy | None = None, ledger: Ledger | None = None
    ) -> Grant:
        """How much of a wish would go now, or under another policy after another ledger; nothing is decided by it."""
        assert self._handles is not None, "nobody wishes for records without handles"
        fitted = None if policy is None else self._answers.fitted(policy)
        return self._answers.granted(wish, now, ledger=ledger or self.ledger, handles=self._handles, policy=fitted)

    def words(self, wish: Wish, *, policy: Policy, ledger: Ledger) -> NDArray[np.int8]:
        """What another policy would say of each entry after another ledger: that it waits, goes, or is refused."""
        return self._answers.words(wish, ledger=ledger, policy=self._answers.fitted(policy))

    def _words(self, wish: Wish) -> NDArray[np.int8]:
        return self._answers.words(wish, ledger=self.ledger)

    def would_send(self, wish: Wish, now: float) -> list[tuple[Address, Message]]:
        """Exactly what would leave for it now, and to whom; nothing is decided by it."""
        return list(self._messages(wish, self.would_grant(wish, now)))

    def _messages(self, wish: Wish, grant: Grant) -> Iterator[tuple[Address, Message]]:
        assert self._handles is not None  # a wish names them
        return self._answers.messages(wish, grant, part=PART, handles=self._handles)

    def would_share(self, wish: Wish, grant: Grant) -> list[int]:
        """For each entry of a wish, how many records share all that its layer knows of that one after this grant."""
        told = grant.attributes | grant.missing
        rows = wish.rows.tolist()
        known = [self.ledger.known_of(wish.layer, row) | some for row, some in zip(rows, told, strict=True)]
        return [self._answers.combinations.count(row, some) for row, some in zip(rows, known, strict=True)]

    @property
    def policy(self) -> Policy:
        """The policy in force, as it applies to these records within the project."""
        return self._answers.policy

    def obey(self, policy: Policy) -> None:
        """From the next decision on this policy holds; SettingError if it does not fit the data."""
        self._answers.obey(policy)

    def _answer(self, wish: Wish, now: float) -> Step:
        """Grant what policy and people allow, refuse the rest."""
        grant = self.would_grant(wish, now)
        decision = Answered(
            wish.layer,
            len(self._schema.attributes),
            struct.pack("<d", now),
            b"".join(wish.ids),
            grant.rows.astype(np.uint8).tobytes(),
            (VALUE * grant.attributes + MISSING * grant.missing).astype(np.uint8).tobytes(),
        )
        return Step(decision, tuple(self._send(unit, message) for unit, message in self._messages(wish, grant)))

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

    def _send(self, recipient: Address, message: Message) -> Envelope:
        return Envelope(self.address, recipient, message)
