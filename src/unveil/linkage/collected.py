"""
Pairs as they are found, collected and put in order: in memory as far as a room says, and beyond that where it says.

What an engine finds comes in any order and in any number. Up to a number of pairs they are held and sorted as one.
Beyond it they are laid down as they come, dealt out by the rows of the left side into buckets that fit in memory, and
each bucket is sorted by itself: the same pairs in the same order, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from unveil.linkage.pairs import Pairs

#: Bytes of a pair: two rows and a similarity. Sorting takes as much again, twice.
PAIR_BYTES: Final = 16
_WORKING: Final = 4


class Room(Protocol):
    """Where columns lie that are too long for memory."""

    @property
    def memory(self) -> int:
        """Bytes that the columns of pairs may take in memory, before they lie here."""
        ...

    def empty(self, count: int, kind: DTypeLike) -> NDArray[Any]:
        """A column of that length, whose values are yet to be written."""
        ...


def collected(parts: Iterable[Pairs], room: Room | None = None) -> Pairs:
    """All parts as one, sorted by left, then right row; no pair is there twice."""
    held: list[Pairs] = []
    count, stream = 0, iter(parts)
    for part in stream:
        held.append(part)
        count += len(part)
        if room is not None and count * PAIR_BYTES > room.memory:
            step = max(1, room.memory // PAIR_BYTES // _WORKING)
            return _sorted(list(_laid(held, stream, room, step)), room, step)
    return Pairs.concatenate(held).sorted()


def _laid(held: list[Pairs], stream: Iterator[Pairs], room: Room, step: int) -> Iterator[Pairs]:
    """The parts, `step` pairs or a part at a time, in the room. What is laid down is no longer held."""
    yield _moved(held, room)
    held.clear()
    count = 0
    for part in stream:
        held.append(part)
        count += len(part)
        if count >= step:
            yield _moved(held, room)
            held.clear()
            count = 0
    if held:
        yield _moved(held, room)


def _moved(held: list[Pairs], room: Room) -> Pairs:
    """These parts as one, in the room."""
    here = Pairs.concatenate(held)
    there = _columns(len(here), room)
    _write(there, slice(None), here)
    return there


def _sorted(blocks: list[Pairs], room: Room, step: int) -> Pairs:
    """The pairs of all blocks in order: dealt out to buckets of whole rows of about `step` pairs, each sorted alone."""
    rows = 1 + max(int(block.left.max(initial=-1)) for block in blocks)
    of_row = np.zeros(rows, np.int64)
    for block in blocks:
        for some in _steps(len(block), step):
            of_row += np.bincount(block.left[some], minlength=rows)
    bucket = (np.cumsum(of_row) - of_row) // step  # by where a row's pairs begin
    starts = np.concatenate([[0], np.cumsum(np.bincount(bucket, of_row).astype(np.int64))])
    out, free = _columns(int(starts[-1]), room), starts.copy()
    while blocks:
        block = blocks.pop(0)
        for some in _steps(len(block), step):
            _deal(Pairs(block.left[some], block.right[some], block.similarity[some]), bucket, free, out)
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        some = slice(start, stop)
        _write(out, some, Pairs(out.left[some], out.right[some], out.similarity[some]).sorted())
    return out


def _deal(some: Pairs, bucket: NDArray[np.int64], free: NDArray[np.int64], out: Pairs) -> None:
    """Put these pairs where there is room in the bucket of their left row; `free` is where each bucket has some."""
    whose = bucket[some.left]
    order = np.argsort(whose, kind="stable")
    numbers, first = np.unique(whose[order], return_index=True)
    for number, start, stop in zip(numbers.tolist(), first.tolist(), [*first[1:].tolist(), len(order)], strict=True):
        at, these = int(free[number]), order[start:stop]
        _write(out, slice(at, at + len(these)), Pairs(some.left[these], some.right[these], some.similarity[these]))
        free[number] += len(these)


def _steps(count: int, step: int) -> Iterator[slice]:
    for start in range(0, count, step):
        yield slice(start, start + step)


def _columns(count: int, room: Room) -> Pairs:
    return Pairs(room.empty(count, np.int32), room.empty(count, np.int32), room.empty(count, np.float64))


def _write(out: Pairs, at: slice, pairs: Pairs) -> None:
    out.left[at], out.right[at], out.similarity[at] = pairs.left, pairs.right, pairs.similarity
