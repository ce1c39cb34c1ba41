"""
Where a project stands at a unit and what it waits for: one value for pages, status commands, gauges and logs.

Nobody parses a sentence: stage, whom it waits for and how much of it is there are fields, and the English sentence is
made here for whoever has no table of sentences of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class StageKind(StrEnum):
    """What a project is at, at one unit."""

    AGREEING = "agreeing"  #: owners show fingerprints of key and parameters
    UPLOADING = "uploading"  #: owners send their records, encoded
    COMPARING = "comparing"  #: the record unit compares them
    LEARNING = "learning"  #: the record unit asks about pairs and learns from the labels
    EXPECTING = "expecting"  #: a unit below has nothing to do until the one above asks
    ANSWERING = "answering"  #: owners answer wishes for encodings or values
    REVIEWING = "reviewing"  #: people decide about pairs
    FINISHED = "finished"  #: the links are out, or the unit's part is done


class Awaited(StrEnum):
    """Who has to do something before it goes on."""

    NOBODY = "nobody"
    OWNERS = "owners"
    REVIEWERS = "reviewers"
    RECORD_UNIT = "record unit"
    ATTRIBUTE_UNIT = "attribute unit"
    REVIEW_UNIT = "review unit"


class CountedKind(StrEnum):
    """What is counted until it goes on."""

    FINGERPRINTS = "fingerprints"
    UPLOADS = "uploads"
    BATCHES = "batches"
    PAIRS = "pairs"
    TASKS = "tasks"
    LABELS = "labels"


@dataclass(frozen=True, slots=True)
class StageStatus:
    """
    A stage, whom it waits for, and how much of what is there: `done` of `of`.

    The counts are None where there are none, and for those who may not know them.
    """

    kind: StageKind
    awaited: Awaited
    counted: CountedKind | None = None
    done: int | None = None
    of: int | None = None

    @property
    def has_figures(self) -> bool:
        """Whether it tells how far what is waited for is."""
        return None not in (self.counted, self.done, self.of)

    @property
    def sentence(self) -> str:
        """Stage and whom it waits for, such as "pairs are reviewed; waits for reviewers, 37 of 100 labels"."""
        if self.awaited is Awaited.NOBODY:
            return _AT[self.kind]
        how_far = f", {self.done:,} of {self.of:,} {self.counted}" if self.has_figures else ""
        return f"{_AT[self.kind]}; waits for {_WHOM[self.awaited]}{how_far}"

    def without_figures(self) -> StageStatus:
        """The same for those who may know no more than whom it waits for."""
        return StageStatus(self.kind, self.awaited)

    def as_json(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return {
            "kind": self.kind.value,
            "waits_for": self.awaited.value,
            "counted": None if self.counted is None else self.counted.value,
            "done": self.done,
            "of": self.of,
            "sentence": self.sentence,
        }


_AT: Final[Mapping[StageKind, str]] = {
    StageKind.AGREEING: "owners agree on key and parameters",
    StageKind.UPLOADING: "records are uploaded",
    StageKind.COMPARING: "records are compared",
    StageKind.LEARNING: "pairs are asked about",
    StageKind.EXPECTING: "nothing to do here",
    StageKind.ANSWERING: "wishes are answered",
    StageKind.REVIEWING: "pairs are reviewed",
    StageKind.FINISHED: "finished",
}
_WHOM: Final[Mapping[Awaited, str]] = {
    each: each.value if each in {Awaited.OWNERS, Awaited.REVIEWERS, Awaited.NOBODY} else f"the {each.value}"
    for each in Awaited
}


def linkage_stage(at: Mapping[str, StageStatus]) -> StageStatus | None:
    """
    Where the whole linkage stands, by what units say; None if the record unit says nothing.

    A unit that waits for another is followed to that one, unless what it was sent has not arrived there yet.
    """
    found = at.get(Awaited.RECORD_UNIT)
    for below in (Awaited.ATTRIBUTE_UNIT, Awaited.REVIEW_UNIT):
        next_one = at.get(below)
        asks_below = found is not None and (
            found.awaited is below or (found.awaited is Awaited.REVIEWERS and below is Awaited.REVIEW_UNIT)
        )
        if not asks_below or next_one is None or next_one.kind in {StageKind.EXPECTING, StageKind.FINISHED}:
            break
        found = next_one
    return found
