"""
What the project allows a unit to ask of this owner, held against what was asked so far.

The numbers follow from the project file, which the owner has agreed to; no unit is trusted to keep within them, and no
policy can widen them. A wish beyond them is no wish that an honest unit sends, so it is not taken at all. Only what one
record is in too often is answered, by a refusal: the record unit does not count that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from unveil.protocol.flows import Envelope, refused
from unveil.protocol.messages import AttributeWish, EncodingWish, FurtherWish
from unveil.roles.owner.allowance import Caps
from unveil.schema import Schema
from unveil.schema.most_asked import MostAsked


class Budget:
    """Counts what was wished for, granted or not, against the most that the project's settings lead to."""

    def __init__(self, schema: Schema) -> None:
        self._most = MostAsked.of(schema.protocol)
        self._pairs: Counter[int] = Counter()  # by batch
        self._reviews = 0
        self._further = 0

    def check_encodings(self, envelope: Envelope, message: EncodingWish) -> None:
        """Refuse a batch that the project does not have, and pairs beyond those of their batch."""
        batches = self._most.batches
        if message.batch >= len(batches):
            raise refused(envelope, f"batch {message.batch + 1}, but the project has {len(batches)}")
        most = batches[message.batch]
        if self._pairs[message.batch] + len(message) > most:
            raise refused(envelope, f"more than the {most} pairs that the project allows in batch {message.batch + 1}")

    def check_values(self, envelope: Envelope, message: AttributeWish) -> None:
        """Refuse reviews beyond those of the project."""
        if self._reviews + len(message) > self._most.reviews:
            raise refused(envelope, f"more than the {self._most.reviews} reviews that the project allows")

    def check_further(self, envelope: Envelope, message: FurtherWish) -> None:
        """Refuse wishes of reviewers for one more attribute beyond those of the project."""
        if self._further + len(message) > self._most.further:
            raise refused(envelope, f"more than the {self._most.further} further attributes that the project allows")

    def add(self, message: EncodingWish | AttributeWish | FurtherWish) -> None:
        """Count a wish."""
        match message:
            case EncodingWish():
                self._pairs[message.batch] += len(message)
            case AttributeWish():
                self._reviews += len(message)
            case FurtherWish():
                self._further += len(message)


def narrowed_caps(caps: Caps, most: MostAsked, attributes: int) -> Caps:
    """A policy's caps, none of them above the most that the project asks for."""
    return replace(
        caps,
        record_pairs=_lower(caps.record_pairs, most.record_pairs),
        record_reviews=_lower(caps.record_reviews, most.record_pairs),
        project_pairs=_lower(caps.project_pairs, most.pairs),
        project_values=_lower(caps.project_values, most.reviews * attributes + most.further),
    )


def _lower(cap: int | None, most: int) -> int:
    return most if cap is None else min(cap, most)
