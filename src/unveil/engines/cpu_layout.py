"""How a comparison is laid out: rows in order, pieces, and tasks of about equal work."""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.engines.cpu_compile import inner, kernel
from unveil.engines.cpu_vectors import ROWS
from unveil.engines.cpu_work import Int32s, Int64s
from unveil.linkage.blocking import Blocks

#: Right rows of a piece; with at most LEFT_MOST left rows it takes some 20 ms, so progress and threads stay lively.
RIGHT_STEP: Final = 8192
LEFT_MOST: Final = 4096
_LEFT_LEAST: Final = 256
_PIECE_COST: Final = 64  # what a piece costs beside its comparisons, in comparisons
_TASK_MOST: Final = 1 << 25
_TASK_LEAST: Final = 1 << 17
_BY_INSERTION: Final = 24


def left_step(rows: int, threads: int) -> int:
    """Left rows of a piece: few enough to share out among the threads, many enough to repay packing the right rows."""
    share = -(-rows // (4 * threads))
    return min(LEFT_MOST, max(_LEFT_LEAST, -(-share // ROWS) * ROWS))


def grid(left: int, right: int, step: int) -> Int64s:
    """Pieces that cover all pairs of so many rows."""
    tops, sides = np.arange(0, left, step), np.arange(0, right, RIGHT_STEP)
    top, side = (part.ravel() for part in np.meshgrid(tops, sides, indexing="ij"))
    return np.stack([top, np.minimum(top + step, left), side, np.minimum(side + RIGHT_STEP, right)], axis=1)


def dense_codes(blocks: Blocks) -> tuple[Int32s, Int32s]:
    """The blocks' codes of both sides, (keys, rows), small enough to sort by counting; negative where omitted."""
    left, right = blocks.left, blocks.right
    rows = len(left) + len(right)
    if max(left.max(initial=0), right.max(initial=0)) > 4 * rows:
        values, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
        codes = codes.reshape(rows, -1) - np.searchsorted(values, 0)
        left, right = codes[: len(left)], codes[len(left) :]
    return np.ascontiguousarray(left.T, np.int32), np.ascontiguousarray(right.T, np.int32)


def tasks(pieces: Int64s, threads: int) -> list[tuple[int, int]]:
    """Ranges of pieces of about the same work, several for each thread."""
    work = np.cumsum((pieces[:, 1] - pieces[:, 0]) * (pieces[:, 3] - pieces[:, 2]) + _PIECE_COST)
    if not len(work):
        return []
    size = min(_TASK_MOST, max(_TASK_LEAST, int(work[-1]) // (8 * threads)))
    cuts = np.searchsorted(work, np.arange(size, int(work[-1]), size)) + 1
    stops = np.unique(np.append(cuts[cuts < len(work)], len(work))).tolist()
    return list(zip([0, *stops[:-1]], stops, strict=True))


@kernel
def arrange(codes: Int32s, ones: Int32s, size: int) -> tuple[Int32s, Int32s, Int32s]:
    """
    The rows with a code below `size`, by code; their numbers of ones; and where each code's rows begin.

    Counting sorts all the way. Rows of one code also stand by number of ones, unless they are too few for a tile.
    """
    starts = np.zeros(size + 1, np.int32)
    for row in range(len(codes)):
        if codes[row] >= 0:
            starts[codes[row] + 1] += 1
    for code in range(size):
        starts[code + 1] += starts[code]
    place = starts.copy()
    rows, ordered = np.empty(starts[size], np.int32), np.empty(starts[size], np.int32)
    for row in range(len(codes)):
        if codes[row] >= 0:
            at = place[codes[row]]
            rows[at], ordered[at] = row, ones[row]
            place[codes[row]] = at + 1
    for code in range(size):
        if starts[code + 1] - starts[code] >= ROWS:
            _by_ones(rows[starts[code] : starts[code + 1]], ordered[starts[code] : starts[code + 1]])
    return rows, ordered, starts


@inner
def _by_ones(rows: Int32s, ones: Int32s) -> None:
    """Sort rows by number of ones: a few by insertion, many by counting."""
    if len(rows) <= _BY_INSERTION:
        for at in range(1, len(rows)):
            row, one = rows[at], ones[at]
            while at > 0 and ones[at - 1] > one:
                rows[at], ones[at] = rows[at - 1], ones[at - 1]
                at -= 1  # noqa: PLW2901 - the place that the row moves down to
            rows[at], ones[at] = row, one
        return
    place = np.zeros(ones.max() + 2, np.int32)
    for one in ones:
        place[one + 1] += 1
    for value in range(1, len(place)):
        place[value] += place[value - 1]
    unsorted, keys = rows.copy(), ones.copy()
    for at in range(len(keys)):
        target = place[keys[at]]
        rows[target], ones[target] = unsorted[at], keys[at]
        place[keys[at]] = target + 1


@kernel
def join(left: Int32s, right: Int32s, step: int, pieces: Int64s) -> int:
    """
    Pieces of the blocks, given where each code's rows begin on both sides; large blocks are cut. How many there are.

    As many are written as `pieces` has room for, so a first call without room tells how much to make.
    """
    found = 0
    for code in range(len(left) - 1):
        if left[code] == left[code + 1] or right[code] == right[code + 1]:
            continue
        for top in range(left[code], left[code + 1], step):
            for side in range(right[code], right[code + 1], RIGHT_STEP):
                if found < len(pieces):
                    pieces[found, 0], pieces[found, 1] = top, min(top + step, left[code + 1])
                    pieces[found, 2], pieces[found, 3] = side, min(side + RIGHT_STEP, right[code + 1])
                found += 1
    return found
