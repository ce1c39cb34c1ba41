"""What an engine must offer. Engines compute, roles decide: every engine agrees bit for bit with the reference."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.collected import Room, collected
from unveil.linkage.full_blocks import bar_of_full_blocks, kept_of_full_blocks
from unveil.linkage.neighbours import mutual_nearest, neighbour_floor, united
from unveil.linkage.pairs import Comparison, Pairs, Rows, Tail
from unveil.linkage.strangers import all_are_compared, tail_in_blocks, tail_of
from unveil.linkage.strangers_by_keys import by_keys
from unveil.schema import ProtocolSettings

#: How alike two filters are; `engines.measure` holds the formulas.
Measure = Literal["dice", "jaccard", "hamming"]

#: Is told now and then how many comparisons are done, and last how many there were in all (nothing if there were none).
Progress = Callable[[int], None]

#: Is given the share of a comparison that is done, from 0 to 1, never less than before. It may raise, which ends it.
OnShare = Callable[[float], None]

#: What finding the blocks takes of comparing by blocking keys: a third to a half, going by 100,000 records a side.
_BLOCKS = 0.4
#: What comparing all pairs takes where the candidates of keys are compared besides, going by 50,000 records a side.
_ALL_BESIDE_KEYS = 0.8
#: Up to where comparing the candidates of large registers takes it, before strangers at home are.
_ALL_IN_BLOCKS = 0.8


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


def _nobody(_share: float) -> None:
    """Takes shares that nobody wants to know."""


class Compare(Protocol):
    """Compares two owners' records; whoever hands one in may keep results by what they were computed from."""

    def __call__(self, left: Encoded, right: Encoded, /, *, share: OnShare = _nobody) -> Comparison:
        """The comparison; `share` follows how far it is."""
        ...


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Whether nearest neighbours among all pairs are candidates: the k nearest, where pairs are not too many."""

    k: int = 0
    most_compared: int = 0

    @classmethod
    def of(cls, protocol: ProtocolSettings) -> Neighbours:
        """As the owners agreed."""
        return cls(protocol.neighbours, protocol.most_compared)

    def sought(self, a: Encoded, b: Encoded) -> bool:
        """Whether they are for these records: without keys, always, since all pairs are compared then anyway."""
        pairs = len(a.filters) * len(b.filters)
        return self.k > 0 and pairs > 0 and (pairs <= self.most_compared or not a.keys.shape[1])

    def given_up(self, a: Encoded, b: Encoded) -> bool:
        """Whether they are not, for the sole reason that these are too many."""
        return self.k > 0 and len(a.filters) * len(b.filters) > self.most_compared and not self.sought(a, b)


#: No neighbours.
KEYS_ALONE: Final = Neighbours()


def comparing(
    engine: Engine,
    *,
    floor: float,
    max_block: int,
    neighbours: Neighbours = KEYS_ALONE,
    progress: Progress | None = None,
    room: Room | None = None,
) -> Compare:
    """
    The comparison of candidates above the floor: by blocking keys, and each record's nearest neighbours if sought.

    Where there is neither, all pairs above the floor are candidates. `room` is where columns lie that are too long for
    memory; which pairs there are, and their bits, do not depend on it.
    """
    where = _Where(floor, max_block, progress, room)

    def compare(a: Encoded, b: Encoded, /, *, share: OnShare = _nobody) -> Comparison:
        if neighbours.sought(a, b):
            return _compare_both(engine, (a, b), neighbours.k, where, share)
        if neighbours.given_up(a, b):
            return _compare_full_blocks(engine, a, b, floor=floor, max_block=max_block, progress=progress, share=share)
        if a.keys.shape[1]:
            return compare_blocks(
                engine, a, b, floor=floor, max_block=max_block, progress=progress, share=share, room=room
            )
        count = _Count(len(a.filters) * len(b.filters), progress, share)
        pairs = collected(engine.all_pairs(a.filters, b.filters, floor=floor, progress=count), room)
        share(1.0)
        return Comparison(pairs, count.most)

    return compare


@dataclass(frozen=True, slots=True)
class _Where:
    """From where on pairs are kept, in which blocks, who is told, and where they lie."""

    floor: float
    max_block: int
    progress: Progress | None
    room: Room | None


def _compare_both(engine: Engine, sides: tuple[Encoded, Encoded], k: int, where: _Where, share: OnShare) -> Comparison:
    """Nearest neighbours among all pairs, and the candidates of the keys; progress counts the former."""
    a, b = sides
    part = _ALL_BESIDE_KEYS if a.keys.shape[1] else 1.0
    count = _Count(len(a.filters) * len(b.filters), where.progress, lambda done: share(part * done))
    lowest = max(where.floor, neighbour_floor(a.filters, b.filters))
    alike = collected(engine.all_pairs(a.filters, b.filters, floor=lowest, progress=count), where.room)
    near = mutual_nearest(alike, k)
    found = Pairs(alike.left[near], alike.right[near], alike.similarity[near])
    keyed = compare_blocks(
        engine,
        a,
        b,
        floor=where.floor,
        max_block=where.max_block,
        share=lambda done: share(part + (1 - part) * done),
        room=where.room,
        two_keys_do=True,
    )
    tail = _tail(engine, sides, alike, keyed.pairs, floor=lowest, max_block=where.max_block)
    pairs, near = united(keyed.pairs, found)
    share(1.0)
    return Comparison(pairs, count.most, keyed.skipped_blocks, near, tail)


def compare_blocks(
    engine: Engine,
    a: Encoded,
    b: Encoded,
    *,
    floor: float,
    max_block: int,
    progress: Progress | None = None,
    share: OnShare = _nobody,
    room: Room | None = None,
    two_keys_do: bool = False,
) -> Comparison:
    """
    The candidate pairs at or above the floor; with `two_keys_do` those below it, too, that agree on two keys.

    Whose salted fields differ is no more alike than a stranger; two keys that agree tell all the same.
    """
    keys = a.keys.shape[1]
    if not keys:
        share(1.0)
        return Comparison(Pairs.concatenate([]), 0)
    blocks = Blocks.of(a.keys, b.keys, max_block=max_block, progress=lambda done: share(_BLOCKS * (done / keys)))
    count = _Count(blocks.most_candidates, progress, lambda done: share(_BLOCKS + (1 - _BLOCKS) * done))
    lowest = 0.0 if two_keys_do else floor
    found = engine.block_pairs(a.filters, b.filters, blocks, floor=lowest, progress=count)
    if two_keys_do:
        found = (part.where((part.similarity >= floor) | blocks.agree_twice(part.left, part.right)) for part in found)
    pairs = collected(found, room)
    share(1.0)
    return Comparison(pairs, count.done, blocks.skipped)


def _compare_full_blocks(
    engine: Engine,
    a: Encoded,
    b: Encoded,
    *,
    floor: float,
    max_block: int,
    progress: Progress | None,
    share: OnShare,
) -> Comparison:
    """Of the candidate pairs of large registers those that are kept for a reason of their own, and how strangers do."""
    keys = a.keys.shape[1]
    blocks = Blocks.of(a.keys, b.keys, max_block=max_block, progress=lambda done: share(_BLOCKS * (done / keys)))
    sides = a.filters, b.filters
    bar = bar_of_full_blocks(engine, *sides, blocks, floor=floor)
    count = _Count(blocks.most_candidates, progress, lambda done: share(_BLOCKS + (_ALL_IN_BLOCKS - _BLOCKS) * done))
    found = engine.block_pairs(*sides, blocks, floor=floor, progress=count)
    pairs = kept_of_full_blocks(engine, *sides, blocks, found, bar=bar)
    share(_ALL_IN_BLOCKS)
    tail = tail_in_blocks(engine.block_pairs, *sides, blocks, pairs.similarity[pairs.similarity >= bar], floor=bar)
    tail = replace(tail, by_keys=by_keys(engine.block_pairs, *sides, blocks, tail.middle))
    share(1.0)
    return Comparison(pairs, count.done, blocks.skipped, tail=tail)


def _tail(
    engine: Engine, sides: tuple[Encoded, Encoded], alike: Pairs, keyed: Pairs, *, floor: float, max_block: int
) -> Tail:
    """How often strangers are how alike: of all pairs, or where these are too many of those that share a key."""
    (a, b), filters = sides, (sides[0].filters, sides[1].filters)
    if not a.keys.shape[1]:
        return tail_of(engine.all_pairs, *filters, alike.similarity, floor=floor)
    blocks = Blocks.of(a.keys, b.keys, max_block=max_block)
    if all_are_compared(*filters):
        tail = tail_of(engine.all_pairs, *filters, alike.similarity, floor=floor)
    else:
        sharing = keyed.similarity[keyed.similarity >= floor]
        tail = tail_in_blocks(engine.block_pairs, *filters, blocks, sharing, floor=floor)
    return replace(tail, by_keys=by_keys(engine.block_pairs, *filters, blocks, tail.middle))


class _Count:
    """Counts comparisons, of which there are at most so many, and tells their number and their share."""

    def __init__(self, most: int, progress: Progress | None, share: OnShare) -> None:
        self.most, self.done = most, 0
        self._progress, self._share = progress, share
        share(0.0)

    def __call__(self, done: int) -> None:
        self.done = done
        if self._progress is not None:
            self._progress(done)
        self._share(done / self.most if self.most else 1.0)
