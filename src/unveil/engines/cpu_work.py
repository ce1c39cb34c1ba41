"""
What the CPU kernels work on, as plain tuples of arrays and numbers that Numba can read.

A comparison is cut into pieces: ranges of positions on the left against ranges on the right, all pairs of which are
candidates. Positions are places in `Side.rows`, in which the rows of one piece stand together by number of ones.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.engines.cpu_vectors import LANES, ROWS

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

#: Packed right rows that are compared with every left row of a piece before the next are packed; they stay in L2.
CHUNK_BYTES: Final = 1 << 17

#: Fields of a task's state: how far it has come. A full buffer stops it anywhere; the same state lets it go on.
PIECE: Final = 0  # piece at work
FRESH: Final = 1  # 1 until the piece is begun
CHUNK: Final = 2  # first right position of the chunk at work
LEFT: Final = 3  # left position at work
RIGHT: Final = 4  # groups (of a chunk) or right rows (of a small piece) that are done for it
FULL: Final = 5  # 1 if the buffer had no room left
COMPARED: Final = 6  # candidates so far
FIELDS: Final = 7


class Side(NamedTuple):
    """One owner's filters in the order in which they are compared."""

    filters: int  # address of the words; row r begins words·8·r bytes on
    rows: Int32s  # row at each position
    ones: Int32s  # number of ones at each position
    codes: Int32s  # blocking codes that were compared before, (keys, positions)


class Rule(NamedTuple):
    """When a pair is kept and how similar it then is."""

    need: Int32s  # common ones needed, by the sum of both sides' ones
    measure: int  # index in MEASURES
    m: int
    words: int
    prefix: int  # words after which most pairs are known to fail


class Hits(NamedTuple):
    """Pairs found, in arrays of fixed length."""

    left: Int32s
    right: Int32s
    similarity: NDArray[np.float64]

    @classmethod
    def of(cls, capacity: int) -> Hits:
        """Room for so many pairs; the pages of memory come when they are written to."""
        return cls(np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity))


class Room(NamedTuple):
    """A thread's own scratch memory, and where it lies."""

    groups: NDArray[np.uint64]
    groups_at: int
    quad: NDArray[np.uint64]
    quad_at: int
    rest: Int64s  # ones of each row of the quad after the prefix
    partial: Int64s  # where sums over the prefix start
    partial_at: int
    entire: Int64s  # where sums over all words start
    entire_at: int
    counts: Int64s
    counts_at: int
    marks: NDArray[np.uint8]

    @classmethod
    def of(cls, words: int, chunk: int, right: int) -> Room:
        """Scratch for chunks of so many right rows, and pieces of so many."""
        groups = aligned(-(-chunk // LANES) * LANES * words)
        quad = aligned(words * ROWS)
        partial, entire, counts = (aligned(size).view(np.int64) for size in (ROWS, ROWS, ROWS * LANES))
        return cls(
            groups, groups.ctypes.data, quad, quad.ctypes.data, np.zeros(ROWS, np.int64),
            partial, partial.ctypes.data, entire, entire.ctypes.data, counts, counts.ctypes.data,
            np.zeros(right, np.uint8),
        )  # fmt: skip


def aligned(size: int) -> NDArray[np.uint64]:
    """Zeroed words that begin on a cache line, so that no vector straddles two."""
    whole = np.zeros(size + 8, np.uint64)
    skip = (-whole.ctypes.data // 8) % 8
    return whole[skip : skip + size]


def chunk_rows(words: int) -> int:
    """Right rows of a chunk."""
    return max(LANES, CHUNK_BYTES // (8 * words) // LANES * LANES)
