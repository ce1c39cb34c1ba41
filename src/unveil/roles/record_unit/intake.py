"""
How encodings come in: first the owners' fingerprints, which must agree, then their uploads, which are screened.

Implausible records are kept out of the comparison, so that a careless or poisoned upload cannot spoil others' links.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unveil.protocol.flows import Envelope, refused
from unveil.protocol.machine import Step
from unveil.protocol.messages import Agreement, Fingerprint, RecordEncodings
from unveil.protocol.roles import RECORD_UNIT, Address
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.roles.record_unit.decisions import Judged, Screened
from unveil.roles.record_unit.upload import Upload
from unveil.schema import Schema
from unveil.screening.screen import WORDS, Reason, Screen, screen

_PATIENCE = 100  # fingerprints that one owner may show: each is kept, so their number is bounded
# Uploads that one owner may begin. All are kept until the project is closed, and each may be as long as the project
# allows; ten are enough for wrong files and lost folders, for every further one takes a person's work.
UPLOADS = 10


@dataclass(frozen=True, slots=True)
class SetAsideUpload:
    """An upload that is not looked at again: why, how many records it held, and how many the owner may still begin."""

    why: str
    records: int
    uploads_left: int


@dataclass(frozen=True, slots=True)
class KeptOut:
    """What screening kept out of an owner's last upload: records by reason, or all of it."""

    reasons: Mapping[str, int]
    set_aside: SetAsideUpload | None = None


class Intake:
    """Uploads by owner, and by owner what was kept out of the last one that was screened."""

    def __init__(
        self, schema: Schema, owners: tuple[Address, ...], *, most_records: int, screening: Screen = screen
    ) -> None:
        self.uploads: dict[Address, Upload] = {}
        self.kept_out: dict[Address, KeptOut] = {}
        self.agreed: bool | None = None  # None: not compared yet
        self.asked = False  # whether owners were asked about these uploads: then they are the last ones
        self._schema, self._owners, self._most_records = schema, owners, most_records
        self._screening = screening
        self._fingerprints: dict[Address, bytes] = {}
        self._shown: dict[Address, int] = {}  # how often an owner has shown one
        self._begun: dict[Address, int] = {}  # uploads of an owner, also those that were set aside or given up
        self._unanswered: set[Address] = set()  # owners who have shown one and were not answered

    @property
    def complete(self) -> bool:
        """Whether every owner's upload has been screened."""
        return all(owner in self.uploads and self.uploads[owner].rows is not None for owner in self._owners)

    @property
    def stage(self) -> StageStatus:
        """How many owners have shown fingerprints that agree, and then how many uploads were screened."""
        if not self.agreed:
            shown = len(self._fingerprints)
            return StageStatus(StageKind.AGREEING, Awaited.OWNERS, CountedKind.FINGERPRINTS, shown, len(self._owners))
        usable = sum(upload.rows is not None for upload in self.uploads.values())
        return StageStatus(StageKind.UPLOADING, Awaited.OWNERS, CountedKind.UPLOADS, usable, len(self._owners))

    def check(self, envelope: Envelope) -> None:
        """Refuse what cannot be taken."""
        if envelope.sender not in self._owners:
            raise refused(envelope, "not an owner of this project")
        if self.asked:
            # An owner that begins anew has forgotten, or been made to forget, what it answered.
            raise refused(envelope, "owners were asked about the uploads, so none is begun anew")
        match envelope.message:
            case Fingerprint() as message:
                # An owner that starts anew shows its fingerprint again; another one would change what was agreed.
                if self.agreed and message.fingerprint != self._fingerprints[envelope.sender]:
                    raise refused(envelope, "the owners have agreed on other keys or parameters before")
                if self._shown.get(envelope.sender, 0) >= _PATIENCE:
                    raise refused(envelope, f"more than {_PATIENCE} fingerprints")
            case RecordEncodings() as message:
                self._check_part(envelope, message)

    def _check_part(self, envelope: Envelope, message: RecordEncodings) -> None:
        if not self.agreed:
            raise refused(envelope, "the owners' keys or parameters do not agree, or were not compared yet")
        if message.m != self._schema.layer_r.length:
            raise refused(envelope, f"filters of {message.m} bits; the schema makes {self._schema.layer_r.length}")
        if message.blocking_keys != len(self._schema.blocking):
            raise refused(envelope, "the number of blocking keys differs from the schema's")
        upload = self.uploads.get(envelope.sender)
        if upload is None and not self.uploads_left(envelope.sender):
            raise refused(envelope, f"more than {UPLOADS} uploads")
        if upload is not None and upload.parts != message.parts:
            raise refused(envelope, "the number of parts has changed")
        if upload is not None and upload.upload_id != message.upload:
            raise refused(envelope, "a part of another upload")
        if upload is not None and upload.has(message.part):
            raise refused(envelope, "this part was uploaded before")
        if len(message) + (len(upload) if upload else 0) > self._most_records:
            raise refused(envelope, f"more than {self._most_records} records")

    def take(self, envelope: Envelope) -> None:
        """Take in a fingerprint or a part of an upload."""
        match envelope.message:
            case Fingerprint() as message:
                self._fingerprints[envelope.sender] = message.fingerprint
                self._shown[envelope.sender] = self._shown.get(envelope.sender, 0) + 1
                self._unanswered.add(envelope.sender)
                upload = self.uploads.get(envelope.sender)
                if upload is not None and not upload.complete:
                    # The owner starts anew; the parts of its last attempt belong to other handles.
                    del self.uploads[envelope.sender]
            case RecordEncodings() as message:
                if envelope.sender not in self.uploads:
                    self.uploads[envelope.sender] = Upload(message.parts, message.upload)
                    self.kept_out.pop(envelope.sender, None)  # what was said of the last one is said no more
                    self._begun[envelope.sender] = self._begun.get(envelope.sender, 0) + 1
                self.uploads[envelope.sender].add(message)

    def uploads_left(self, owner: Address) -> int:
        """How many uploads the owner may still begin."""
        return UPLOADS - self._begun.get(owner, 0)

    def decide(self) -> Step | None:
        """The next decision that is due."""
        if len(self._fingerprints) == len(self._owners) and self._unanswered:
            return self._judge()
        for owner, upload in self.uploads.items():
            if upload.complete and upload.rows is None:
                return self._screen(owner, upload)
        return None

    def _judge(self) -> Step:
        """Whether the owners share key and parameters. They are told before anything is uploaded."""
        agree = int(len(set(self._fingerprints.values())) == 1)
        owners = sorted(self._unanswered) if self.agreed else self._owners
        answers = [Envelope(RECORD_UNIT, owner, Agreement(agree, self._fingerprints[owner])) for owner in owners]
        return Step(Judged(agree), tuple(answers))

    def judged(self, decision: Judged) -> None:
        """The fingerprints were compared."""
        self.agreed = bool(decision.agree)
        self._unanswered.clear()

    def _screen(self, owner: Address, upload: Upload) -> Step:
        assert upload.encoded is not None
        assert upload.handles is not None
        found = self._screening(upload.encoded.filters, upload.encoded.keys)
        whole = found.whole if upload.handles.unique else "two records have the same handle"
        rows = np.flatnonzero(found.rows)
        decision = Screened(
            self._owners.index(owner),
            (whole or "").encode(),
            rows.astype("<i8").tobytes(),
            found.reasons[rows].tobytes(),
        )
        return Step(decision)

    def screened(self, decision: Screened) -> None:
        """Keep these records out, or the whole upload."""
        owner = self._owners[decision.owner]
        counts = np.bincount(np.frombuffer(decision.reasons, np.uint8), minlength=max(Reason) + 1).tolist()
        reasons = {words: counts[reason] for reason, words in WORDS.items() if counts[reason]}
        if decision.whole:
            # The owner may send another upload; this one is not looked at again.
            records = len(self.uploads.pop(owner))
            self.kept_out[owner] = KeptOut(
                reasons, SetAsideUpload(decision.whole.decode(), records, self.uploads_left(owner))
            )
            return
        self.kept_out[owner] = KeptOut(reasons)
        self.uploads[owner].screened(np.frombuffer(decision.rows, "<i8").astype(np.int64))
