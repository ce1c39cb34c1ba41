"""What the attribute unit decides, as its log keeps it: similarities, tasks and reports. No encoding is among it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unveil.protocol.machine import Decision
from unveil.protocol.messages import ID, POSITION, REAL


@dataclass(frozen=True, slots=True, repr=False)
class ComparedBefore(Decision):
    """The same in a log of an earlier release, which did not note what chance alone brings about."""

    KIND = "Compared"
    KEY = "pair_ids"
    attributes: int
    pair_ids: bytes
    similarity: bytes
    agreement: bytes

    def widths(self) -> Mapping[str, int]:
        """A similarity and an agreement class for each attribute."""
        return {"pair_ids": ID, "similarity": self.attributes * REAL, "agreement": self.attributes}

    @property
    def chance(self) -> bytes:
        """No bound."""
        return bytes(len(self.similarity))


@dataclass(frozen=True, slots=True, repr=False)
class Compared(Decision):
    """The pairs of a batch that both owners answered, how alike their attributes are, and how alike by chance."""

    KIND = "ComparedWithChance"
    KEY = "pair_ids"
    attributes: int
    pair_ids: bytes
    similarity: bytes
    agreement: bytes
    chance: bytes

    def widths(self) -> Mapping[str, int]:
        """A similarity, an agreement class and a bound for each attribute."""
        real = self.attributes * REAL
        return {"pair_ids": ID, "similarity": real, "agreement": self.attributes, "chance": real}


@dataclass(frozen=True, slots=True, repr=False)
class ReviewsAsked(Decision):
    """The pairs that reviewers are asked about."""

    KIND = "Asked"
    KEY = "task_ids"
    WIDTHS = {"task_ids": ID, "positions": POSITION}
    task_ids: bytes
    positions: bytes


@dataclass(frozen=True, slots=True, repr=False)
class Reported(Decision):
    """What the record unit is told at the end of a batch: pairs by position, g and p."""

    g: bytes
    p: bytes
    positions: bytes


@dataclass(frozen=True, slots=True, repr=False)
class FurtherPassed(Decision):
    """Wishes of reviewers for one more attribute were passed on to the owners."""

    KEY = "wish_ids"
    WIDTHS = {"wish_ids": ID}
    wish_ids: bytes


KINDS: Mapping[str, type[Decision]] = {
    kind.kind(): kind for kind in (Compared, ReviewsAsked, Reported, FurtherPassed, ComparedBefore)
}
