"""What an engine must offer. Engines compute, roles decide: every engine agrees bit for bit with the reference."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.pairs import Comparison, Pairs, Rows

#: How alike two filters are; `engines.measure` holds the formulas.
Measure = Literal["dice", "jaccard", "hamming"]

#: Is told now and then how many comparisons are done, and last how many there were in all (nothing if there were none).
Progress = Callable[[int], None]


class Engine(Protocol):
    """Answers which pairs there are and how similar they are. The order of the pairs is the engine's own."""

    @property
    def name(self) -> str:
        """Name of the engine as the user writes it."""
        ...

    def similarities(
        self, a: Bits, b: Bits, left: Rows, right: Rows, *, measure: Measure = "dice"
    ) -> NDArray[np.float64]:
        """Similarity of each given pair of rows."""
        ...

    def all_pairs(
        self, a: Bits, b: Bits, *, floor: float, measure: Measure = "dice", progress: Progress | None = None
    ) -> Iterator[Pairs]:
        """Every pair at or above the floor, streamed; memory is bounded by what is kept."""
        ...

    def block_pairs(
        self,
        a: Bits,
        b: Bits,
        blocks: Blocks,
        *,
        floor: float,
        measure: Measure = "dice",
        progress: Progress | None = None,
    ) -> Iterator[Pairs]:
        """Every candidate pair of the blocks at or above the floor, once, streamed; progress counts candidates."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Encoded:
    """One owner's records as the record unit holds them: filters, and hashed blocking keys (n, K, 16)."""

    filters: Bits
    keys: NDArray[np.uint8]

    def __repr__(self) -> str:
        return f"Encoded(<{len(self.filters)} records>)"


def digest(*sides: Encoded) -> str:
    """A hash of the records that are compared."""
    hashed = hashlib.blake2b(digest_size=32)
    for side in sides:
        hashed.update(f"{len(side.filters)},{side.filters.m},{side.keys.shape[1]};".encode())
        hashed.update(np.ascontiguousarray(side.filters.words).data)
        hashed.update(np.ascontiguousarray(side.keys).data)
    return hashed.hexdigest()


#: Compares two owners' records; whoever hands one in may remember results by what they were computed from.
Compare = Callable[[Encoded, Encoded], Comparison]


def comparing(engine: Engine, *, floor: float, max_block: int, progress: Progress | None = None) -> Compare:
    """The comparison of candidates by blocking keys, or of all pairs where there are no keys, above the floor."""

    def compare(a: Encoded, b: Encoded) -> Comparison:
        if a.keys.shape[1]:
            return compare_blocks(engine, a, b, floor=floor, max_block=max_block, progress=progress)
        pairs = Pairs.concatenate(engine.all_pairs(a.filters, b.filters, floor=floor, progress=progress))
        return Comparison(pairs.sorted(), len(a.filters) * len(b.filters))

    return compare


def compare_blocks(
    engine: Engine, a: Encoded, b: Encoded, *, floor: float, max_block: int, progress: Progress | None = None
) -> Comparison:
    """The candidate pairs at or above the floor."""
    blocks = Blocks.of(a.keys, b.keys, max_block=max_block)
    compared = 0

    def count(done: int) -> None:
        nonlocal compared
        compared = done
        if progress is not None:
            progress(done)

    pairs = Pairs.concatenate(engine.block_pairs(a.filters, b.filters, blocks, floor=floor, progress=count))
    return Comparison(pairs.sorted(), compared, blocks.skipped)
