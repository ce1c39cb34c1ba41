"""How far an owner is, read from its log alone: neither data nor key is needed for it, and no lock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from unveil.protocol import codec, frames
from unveil.protocol.messages import (
    Agreement,
    AttributeWish,
    EncodingWish,
    FurtherWish,
    JoinTable,
    LinkQuality,
    LinkTable,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT
from unveil.roles.owner.decisions import KINDS, VALUE, Answered, BegunAnew, Prepared, Presented, Uploaded
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.storage.log.log import ProjectLog

#: The unit that what is sent to a layer goes to.
UNIT_OF_LAYER: Final = {ATTRIBUTE_LAYER: str(ATTRIBUTE_UNIT), REVIEW_LAYER: str(REVIEW_UNIT)}


@dataclass(slots=True)
class LayerWishes:
    """Wishes of one layer, counted in pairs or tasks."""

    received: int = 0
    answered: int = 0
    refused: int = 0
    values: int = 0

    @property
    def open(self) -> int:
        """Wishes that nothing was said to yet."""
        return self.received - self.answered - self.refused


@dataclass(frozen=True, slots=True)
class WishProgress:
    """What became of a unit's wishes so far, in pairs or tasks, and how many values went there."""

    received: int
    answered: int
    refused: int
    waiting: int
    values: int


@dataclass(slots=True)
class OwnerProgress:
    """What a log says so far; `read` takes in what was added since."""

    records: int | None = None  # None: no handles were drawn yet
    digest: bytes = b""  # of the data that the handles stand for
    fingerprint: bytes = b""  # the one that the record unit was shown last
    agreed: bool | None = None
    parts: int | None = None  # of the upload; None: nothing was encoded yet
    wishes: dict[int, LayerWishes] = field(default_factory=lambda: {layer: LayerWishes() for layer in UNIT_OF_LAYER})
    links: int = 0  # parts of the link table
    links_expected: int | None = None
    sealed: int = 0  # parts of what is sealed for whoever may join
    sealed_expected: int | None = None
    quality: LinkQuality | None = None  # what owners are told of the links, which comes before them
    _seq: int = 0

    @property
    def linked(self) -> bool:
        """Whether the whole link table has come, and all that is sealed."""
        return (self.links, self.sealed) == (self.links_expected, self.sealed_expected)

    def read(self, log: ProjectLog) -> OwnerProgress:
        """Take in new entries."""
        for entry in log.entries(after=self._seq):
            self._seq = entry.seq
            if entry.body is None:
                continue
            if entry.kind == "decision":
                self._decision(entry.body)
            else:
                self._message(entry.body)
        return self

    def wishes_by_unit(self) -> dict[str, WishProgress]:
        """What became of each unit's wishes."""
        layers = {unit: self.wishes[layer] for layer, unit in UNIT_OF_LAYER.items()}
        return {
            unit: WishProgress(each.received, each.answered, each.refused, each.open, each.values)
            for unit, each in layers.items()
        }

    def is_done(self, log: ProjectLog) -> bool:
        """Whether the links have come and nothing is left to be sent."""
        return self.linked and not log.outgoing(limit=1)

    def acknowledged(self, log: ProjectLog) -> int:
        """How many parts of the upload are at the record unit."""
        if self.parts is None:
            return 0
        if self.wishes[ATTRIBUTE_LAYER].received:  # nobody wishes for anything before all parts have arrived
            return self.parts
        # And until then the parts are all that is sent, after the fingerprint.
        return self.parts - min(self.parts, log.counts()["waiting"])

    def _decision(self, body: bytes) -> None:
        match frames.read(body, KINDS):
            case Prepared() as decision:
                self.records, self.digest = len(decision), decision.digest
            case Presented() as decision:
                self.fingerprint, self.agreed = decision.fingerprint, None
            case Uploaded() as decision:
                self.parts = decision.parts
            case BegunAnew():
                self.records, self.digest, self.parts = None, b"", None
                self.fingerprint, self.agreed = b"", None
            case Answered() as decision:
                wishes, granted = self.wishes[decision.layer], sum(decision.granted)
                wishes.answered += granted
                wishes.refused += len(decision) - granted
                wishes.values += decision.given.count(VALUE)

    def _message(self, body: bytes) -> None:
        match codec.decode(body):
            case Agreement() as message:
                self.agreed = bool(message.agree)
            case EncodingWish() as message:
                self.wishes[ATTRIBUTE_LAYER].received += len(message)
            case AttributeWish() | FurtherWish() as message:
                self.wishes[REVIEW_LAYER].received += len(message)
            case LinkTable() as message:
                self.links, self.links_expected = self.links + 1, message.parts
            case JoinTable() as message:
                self.sealed, self.sealed_expected = self.sealed + 1, message.parts
            case LinkQuality() as message:
                self.quality = message
