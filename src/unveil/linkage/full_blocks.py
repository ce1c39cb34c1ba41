"""
Candidates of large registers: of a block that a common value fills, a pair is kept only for a reason of its own.

Candidates of blocking keys grow with the square of the registers, matches do not: common values fill blocks with people
who have nothing else to do with each other. So, where candidates are too many, a pair stays if its records agree on two
keys, or on a rare value; if it is among the two most alike of either record, against which a record's best partner is
measured; or if it is so alike that no more pairs are than there are records. What is left grows with the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import Pairs, Rows

_BY_LIKENESS: Final = 0.5  # pairs, for each record, that are kept for being alike alone
_BY_RARITY: Final = 0.5  # pairs, for each record, that are kept for agreeing on a rare value
_SAMPLE: Final = 1_000_000  # candidates that tell how alike the pairs of full blocks are
_FINE: Final = 31  # bits of a similarity by which pairs of a record are told apart; see `neighbours.mutual_nearest`
_NOBODY: Final = -1


class ComparesBlocks(Protocol):
    """What an engine must offer for this."""

    def block_pairs(self, a: Bits, b: Bits, blocks: Blocks, *, floor: float) -> Iterator[Pairs]:
        """Every candidate pair of the blocks at or above the floor, once."""
        ...

    def similarities(self, a: Bits, b: Bits, left: Rows, right: Rows) -> Reals:
        """Similarity of each given pair of rows."""
        ...


def bar_of_full_blocks(engine: ComparesBlocks, a: Bits, b: Bits, blocks: Blocks, *, floor: float) -> float:
    """How alike two records must be that share one common value and nothing else; the floor where pairs are few."""
    wanted, most = _BY_LIKENESS * (len(a) + len(b)), blocks.most_candidates
    if most <= wanted:
        return floor
    share = min(1.0, _SAMPLE / most)
    rows = np.sort(np.random.default_rng(0).permutation(len(a))[: max(1, int(share * len(a)))])
    sample, of_sample = Bits(a.words[rows], a.m), Blocks(blocks.left[rows], blocks.right, 0)
    alike = np.concatenate(
        [np.empty(0), *(part.similarity for part in engine.block_pairs(sample, b, of_sample, floor=floor))]
    )
    beyond = len(alike) - int(wanted * len(rows) / len(a))
    return float(np.partition(alike, beyond)[beyond]) if 0 < beyond < len(alike) else floor


def kept_of_full_blocks(
    engine: ComparesBlocks, a: Bits, b: Bits, blocks: Blocks, found: Iterable[Pairs], *, bar: float
) -> Pairs:
    """The candidates that stay, sorted. `found` are all at or above the floor, streamed: no more is held than stays."""
    nearest, alike = (Nearest(len(a)), Nearest(len(b))), []
    for part in found:
        nearest[0].look(part.left, part.right, part.similarity)
        nearest[1].look(part.right, part.left, part.similarity)
        stays = part.similarity >= bar
        alike.append(numbers(part.left[stays], part.right[stays]))
    rare = blocks.with_second_keys(_BY_RARITY * (len(a) + len(b)))
    # However unlike: whose salted fields differ is no more alike than a stranger.
    alike.extend(numbers(part.left, part.right) for part in engine.block_pairs(a, b, rare, floor=0.0))
    (left, its), (theirs, right) = nearest[0].pairs(), nearest[1].pairs()[::-1]
    every = np.unique(np.concatenate([*alike, numbers(left, its), numbers(theirs, right)]))
    rows = (every >> 32).astype(np.int32), (every & 0xFFFFFFFF).astype(np.int32)
    return Pairs(*rows, engine.similarities(a, b, *rows))


class Nearest:
    """The two pairs of each record that are most alike, of all that were looked at, in whatever order they came."""

    def __init__(self, records: int) -> None:
        self._first, self._second = (np.full(records, _NOBODY, np.int64) for _ in range(2))

    def look(self, rows: Rows, others: Rows, similarity: Reals) -> None:
        """Look at further pairs, none of which was looked at before."""
        # Similarity and the other record as one number: of equals, the same ones are taken in whatever order they come.
        pair = (similarity * (1 << _FINE)).astype(np.int64) << 32 | others
        before = self._first.copy()
        np.maximum.at(self._first, rows, pair)
        moved = before != self._first
        self._second[moved] = np.maximum(self._second[moved], before[moved])
        behind: Flags = pair < self._first[rows]
        np.maximum.at(self._second, rows[behind], pair[behind])

    def pairs(self) -> tuple[Rows, Rows]:
        """Rows of these records, and of the other ones."""
        rows = [np.flatnonzero(kept != _NOBODY) for kept in (self._first, self._second)]
        others = [kept[some] & 0xFFFFFFFF for kept, some in zip((self._first, self._second), rows, strict=True)]
        return np.concatenate(rows).astype(np.int32), np.concatenate(others).astype(np.int32)


def numbers(left: Rows, right: Rows) -> NDArray[np.int64]:
    """Each pair as one number, in the order of left, then right row."""
    return left.astype(np.int64) << 32 | right
