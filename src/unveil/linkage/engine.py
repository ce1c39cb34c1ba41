"""What an engine must offer. Engines compute, roles decide: every engine agrees bit for bit with the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.pairs import Comparison, Pairs, Rows


class Engine(Protocol):
    """Answers which pairs there are and how similar they are (Dice)."""

    @property
    def name(self) -> str:
        """Name of the engine as the user writes it."""
        ...

    def similarities(self, a: Bits, b: Bits, left: Rows, right: Rows) -> NDArray[np.float64]:
        """Similarity of each given pair of rows."""
        ...

    def all_pairs(self, a: Bits, b: Bits, *, floor: float) -> Iterator[Pairs]:
        """Every pair at or above the floor, streamed; memory is bounded by what is kept."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Encoded:
    """One owner's records as the record unit holds them: filters, and hashed blocking keys (n, K, 16)."""

    filters: Bits
    keys: NDArray[np.uint8]

    def __repr__(self) -> str:
        return f"Encoded(<{len(self.filters)} records>)"


#: Compares two owners' records; whoever hands one in may remember results by what they were computed from.
Compare = Callable[[Encoded, Encoded], Comparison]


def comparing(engine: Engine, *, floor: float, max_block: int) -> Compare:
    """The comparison of candidates by blocking keys, or of all pairs where there are no keys, above the floor."""

    def compare(a: Encoded, b: Encoded) -> Comparison:
        if a.keys.shape[1]:
            return compare_blocks(engine, a, b, floor=floor, max_block=max_block)
        pairs = Pairs.concatenate(engine.all_pairs(a.filters, b.filters, floor=floor))
        return Comparison(pairs.sorted(), len(a.filters) * len(b.filters))

    return compare


def compare_blocks(engine: Engine, a: Encoded, b: Encoded, *, floor: float, max_block: int) -> Comparison:
    """The candidate pairs at or above the floor."""
    blocks = Blocks.of(a.keys, b.keys, max_block=max_block)
    kept, compared = [], 0
    for left, right in blocks.candidates():
        similarity = engine.similarities(a.filters, b.filters, left, right)
        keep = similarity >= floor
        compared += len(left)
        kept.append(Pairs(left[keep], right[keep], similarity[keep]))
    return Comparison(Pairs.concatenate(kept).sorted(), compared, blocks.skipped)
