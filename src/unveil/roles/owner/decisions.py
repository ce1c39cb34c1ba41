"""What an owner decides, as its log keeps it: the handles of its records, and what it granted to whom, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unveil.protocol.machine import Decision
from unveil.protocol.messages import ID, REAL


@dataclass(frozen=True, slots=True, repr=False)
class Prepared(Decision):
    """A random handle for every record, and a digest of the records that they stand for."""

    KEY = "handles"
    WIDTHS = {"handles": ID}
    digest: bytes
    handles: bytes


@dataclass(frozen=True, slots=True, repr=False)
class Presented(Decision):
    """The fingerprint that was shown to the record unit; after a disagreement, another one."""

    fingerprint: bytes


@dataclass(frozen=True, slots=True, repr=False)
class BegunAnew(Decision):
    """The upload is of no use and nothing was asked about it: the records, as they are now, get new handles."""


@dataclass(frozen=True, slots=True, repr=False)
class Uploaded(Decision):
    """The records were encoded as a whole and sent."""

    parts: int


@dataclass(frozen=True, slots=True, repr=False)
class Answered(Decision):
    """
    A wish was answered: which pairs or tasks were granted (1) and which attributes go. The ledger's entry.

    In `given` 1 is a value that goes, 2 that reviewers are told of its being missing.
    """

    KEY = "ids"
    layer: int
    attributes: int
    time: bytes
    ids: bytes
    granted: bytes
    given: bytes

    def __post_init__(self) -> None:
        Decision.__post_init__(self)
        if len(self.time) != REAL:
            raise ValueError("time is one number")

    def widths(self) -> Mapping[str, int]:
        """A mark for each entry, and one for each of its attributes."""
        return {"ids": ID, "granted": 1, "given": self.attributes}


@dataclass(frozen=True, slots=True, repr=False)
class Approved(Decision):
    """A person's word on pairs or tasks that waited for it: 1 granted, as far as the policy allows, 0 refused."""

    KEY = "ids"
    WIDTHS = {"ids": ID, "granted": 1}
    layer: int
    ids: bytes
    granted: bytes


#: Marks in `Answered.given`.
VALUE, MISSING = 1, 2

KINDS: Mapping[str, type[Decision]] = {
    kind.kind(): kind for kind in (Prepared, Presented, BegunAnew, Uploaded, Answered, Approved)
}
