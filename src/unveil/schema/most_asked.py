"""
What a project asks of an owner at most: it follows from the protocol settings, which all parties share.

The record unit asks by these formulas, and every owner holds it to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

from unveil.schema.protocol import ProtocolSettings

WISHES: Final = 100  # entries of one wish; with decoys, of every wish
LEAST_ANSWERED: Final = 0.25  # owners who refuse nearly everything are not asked for more than four times as much
_WITH_ATTRIBUTES: Final = 2
_WITH_REVIEW: Final = 3


def batch_size(planned: int, answered: float) -> int:
    """Pairs to draw so that about as many as planned are answered, going by the share that was answered so far."""
    return ceil(planned / max(LEAST_ANSWERED, answered))


def with_decoys(size: int, share: float) -> int:
    """Pairs to wish for when that many are hidden among a share of decoys: as many as fill whole wishes."""
    if not (share and size):
        return size
    return -(-ceil(size / (1 - share)) // WISHES) * WISHES


def most_strangers(protocol: ProtocolSettings, batch: int) -> int:
    """Pairs of strangers that a batch may hold at most; what is refused makes them no more."""
    return protocol.strangers * protocol.batches[batch] if protocol.evenness else 0


@dataclass(frozen=True, slots=True)
class MostAsked:
    """
    The most that the protocol asks for, whatever is refused.

    `batches` are the pairs of each batch, decoys among them; `record_pairs` those that one record may be in; `reviews`
    the pairs whose values are asked for; `further` how often reviewers may ask for one more attribute of such a pair.
    """

    batches: tuple[int, ...]
    record_pairs: int
    reviews: int
    further: int = 0

    @classmethod
    def of(cls, protocol: ProtocolSettings) -> MostAsked:
        """
        The most that these settings allow.

        What is refused makes later batches larger. A refused review costs no label, so others take its place: rounds ·
        iterations times, budget / batches at once. No pair is reviewed twice.
        """
        if protocol.layers < _WITH_ATTRIBUTES:
            return cls((), protocol.pairs_per_record, 0)
        sizes = [batch_size(size, 0.0) if earlier else size for earlier, size in enumerate(protocol.batches)]
        batches = tuple(
            with_decoys(size, protocol.decoys) + most_strangers(protocol, batch) for batch, size in enumerate(sizes)
        )
        review, reviews, further = protocol.review, 0, 0
        if protocol.layers >= _WITH_REVIEW and review.budget:
            reviews = len(batches) * review.rounds * max(1, review.budget // review.batches)
            further = int(protocol.further_attributes * review.budget)
        return cls(batches, protocol.pairs_per_record, min(reviews, sum(batches)), further)

    @property
    def pairs(self) -> int:
        """Pairs in all."""
        return sum(self.batches)
