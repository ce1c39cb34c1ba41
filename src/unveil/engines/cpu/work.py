"""
What the CPU kernels work on: plain tuples of numbers and addresses, made from arrays that Python keeps alive.

A comparison is cut into pieces: ranges of positions on the left against ranges on the right, all pairs of which are
candidates. Positions are places in a side's order, in which the rows of one piece stand together by number of ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.engines.cpu.vectors import LANES, ROWS
from unveil.linkage.pairs import Pairs

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

#: A side, a rule or a room as a kernel takes it in: without its name.
Plain = tuple[int, ...]

#: Packed right rows that are compared with every left row of a piece before the next are packed; they stay in L2.
CHUNK_BYTES: Final = 1 << 17

#: Fields of a task's state: how far it has come. A full buffer stops it anywhere; the same state lets it go on.
PIECE: Final = 0  # piece at work
FRESH: Final = 1  # 1 until the piece is begun
CHUNK: Final = 2  # first right position of the chunk at work
LEFT: Final = 3  # left position at work
RIGHT: Final = 4  # groups of a chunk that are done for it, or the right position at work in a small piece
FULL: Final = 5  # 1 if the buffer had no room left
COMPARED: Final = 6  # candidates so far
FOUND: Final = 7  # hits in the buffer
FIELDS: Final = 8


class Side(NamedTuple):
    """One owner's filters in the order in which they are compared. All but the last two are addresses."""

    filters: int  # uint64, row after row
    rows: int  # int32: row at each position
    ones: int  # int32: number of ones at each position
    codes: int  # int32: blocking codes that were compared before, key after key, by position
    keys: int  # how many such keys
    positions: int


class Rule(NamedTuple):
    """When a pair is kept and how similar it then is."""

    need: int  # address, int32: common ones needed, by the sum of both sides' ones
    measure: int  # index in MEASURES
    m: int
    words: int
    prefix: int  # words after which most pairs are known to fail: an even number, or all
    chunk: int  # right rows that are packed at a time


class Scratch(NamedTuple):
    """Where a thread's own scratch memory and its hits lie."""

    groups: int  # uint64: packed right rows
    quad: int  # uint64: packed left rows
    rest: int  # int64: what each row of the quad brings before the prefix, and what it takes off behind it
    start: int  # int64: where the sums of each row start
    counts: int  # int64: common ones of a quad and a group, above what each row needs
    left: int  # int32: hits
    right: int  # int32
    similarity: int  # float64
    capacity: int  # hits that fit


@dataclass(frozen=True, slots=True)
class Ordered:
    """A side together with the arrays that it points into."""

    side: Side
    arrays: tuple[NDArray[np.generic], ...]

    @classmethod
    def of(cls, filters: NDArray[np.uint64], rows: Int32s, ones: Int32s, codes: Int32s) -> Ordered:
        """Filters in the order of rows; all arrays contiguous."""
        arrays = (filters, rows, ones, codes)
        places = [array.ctypes.data for array in (filters, rows, ones, codes)]
        return cls(Side(places[0], places[1], places[2], places[3], len(codes), len(ones)), arrays)


@dataclass(frozen=True, slots=True)
class Buffers:
    """A task's scratch memory and hits."""

    room: Scratch
    scratch: tuple[NDArray[np.uint64], ...]
    left: Int32s
    right: Int32s
    similarity: NDArray[np.float64]

    @classmethod
    def of(cls, rule: Rule, capacity: int) -> Buffers:
        """Room for so many hits; pages of memory come when they are written to."""
        words = rule.words
        even = words + words % 2  # rows are packed two words by two
        sizes = (rule.chunk * (even + 2), ROWS * even, 2 * ROWS, ROWS, ROWS * LANES)
        scratch = tuple(_aligned(size) for size in sizes)
        left, right, similarity = np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity)
        groups, quad, rest, start, counts = (array.ctypes.data for array in scratch)
        hits = left.ctypes.data, right.ctypes.data, similarity.ctypes.data
        room = Scratch(groups, quad, rest, start, counts, hits[0], hits[1], hits[2], capacity)
        return cls(room, scratch, left, right, similarity)

    def hits(self, found: int) -> Pairs:
        """The first so many hits, in arrays of their own."""
        return Pairs(self.left[:found].copy(), self.right[:found].copy(), self.similarity[:found].copy())


def _aligned(size: int) -> NDArray[np.uint64]:
    """Zeroed words that begin on a cache line, so that no vector straddles two."""
    whole = np.zeros(size + 8, np.uint64)
    skip = (-whole.ctypes.data // 8) % 8
    return whole[skip : skip + size]


def chunk_rows(words: int) -> int:
    """Right rows of a chunk: whole groups."""
    return max(LANES, CHUNK_BYTES // (8 * words) // LANES * LANES)
