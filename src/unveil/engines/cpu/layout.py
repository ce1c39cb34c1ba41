"""How a comparison is laid out: rows in order, pieces, and tasks of about equal work."""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.engines.cpu.compile import in_place, inner, kernel
from unveil.engines.cpu.memory import get32, put32
from unveil.engines.cpu.vectors import ROWS
from unveil.engines.cpu.work import Int32s, Int64s
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


def grid(left: int, right: int, step: int) -> Int32s:
    """Pieces that cover all pairs of so many rows."""
    tops, sides = np.arange(0, left, step), np.arange(0, right, RIGHT_STEP)
    top, side = (part.ravel() for part in np.meshgrid(tops, sides, indexing="ij"))
    stops = np.minimum(top + step, left), np.minimum(side + RIGHT_STEP, right)
    return np.stack([top, stops[0], side, stops[1]], axis=1).astype(np.int32)


def dense_codes(blocks: Blocks) -> tuple[Int64s, Int64s, int]:
    """The blocks' codes of both sides, (rows, keys), negative where omitted; and one above the largest code."""
    left, right = (np.ascontiguousarray(side, np.int64) for side in (blocks.left, blocks.right))
    most = max(int(left.max(initial=-1)), int(right.max(initial=-1)))
    rows = len(left) + len(right)
    # Codes are sorted by counting, so they may not be much larger than the rows are many.
    if most > 4 * rows:
        values, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
        codes = codes.reshape(rows, -1) - np.searchsorted(values, 0)
        left, right, most = codes[: len(left)], codes[len(left) :], int(codes.max())
    return left, right, most + 1


def tasks(pieces: Int32s, work: int, threads: int) -> list[tuple[int, int]]:
    """Ranges of pieces of about the same work, several for each thread, given the work of all."""
    if not work:
        return []
    size = min(_TASK_MOST, max(_TASK_LEAST, work // (8 * threads)))
    stops = np.empty(work // size + 1, np.int64)
    stops = stops[: cut(pieces, size, stops)].tolist()
    return list(zip([0, *stops[:-1]], stops, strict=True))


@in_place
def _work(pieces: int, piece: int) -> int:
    """What a piece costs, in comparisons, given the address of the pieces."""
    rows = get32(pieces, 4 * piece + 1) - get32(pieces, 4 * piece)
    return rows * (get32(pieces, 4 * piece + 3) - get32(pieces, 4 * piece + 2)) + _PIECE_COST


@kernel
def weigh(pieces: Int32s) -> tuple[int, int]:
    """The work of all pieces; and the piece with most of it."""
    place, total, most, largest = pieces.ctypes.data, 0, 0, 0
    for piece in range(len(pieces)):
        work = _work(place, piece)
        total += work
        if work > most:
            most, largest = work, piece
    return total, largest


@kernel
def cut(pieces: Int32s, size: int, stops: Int64s) -> int:
    """Write where to stop so that each range of pieces is the first to reach another `size` of work; how many."""
    place, found, total = pieces.ctypes.data, 0, 0
    for piece in range(len(pieces)):
        total += _work(place, piece)
        if total >= size or piece == len(pieces) - 1:
            stops[found] = piece + 1
            found, total = found + 1, 0
    return found


@kernel
def arrange(codes: Int64s, key: int, ones: Int32s, size: int) -> tuple[Int32s, Int32s, Int32s]:
    """
    The rows with a code below `size` for the key, by code; their numbers of ones; and where each code's rows begin.

    Counting sorts all the way. Rows of one code also stand by number of ones, unless they are too few for a tile.
    """
    # Where code c goes next is kept at c + 1: once all rows are placed, that is where code c + 1 begins.
    starts = np.zeros(size + 2, np.int32)
    for row in range(len(codes)):
        if codes[row, key] >= 0:
            starts[codes[row, key] + 2] += 1
    for code in range(2, size + 2):
        starts[code] += starts[code - 1]
    rows, ordered = np.empty(starts[size + 1], np.int32), np.empty(starts[size + 1], np.int32)
    for row in range(len(codes)):
        code = codes[row, key]
        if code >= 0:
            at = starts[code + 1]
            starts[code + 1] = at + 1
            rows[at] = row
    for at in range(len(rows)):
        ordered[at] = ones[rows[at]]
    for code in range(size):
        if starts[code + 1] - starts[code] >= ROWS:
            _by_ones(rows[starts[code] : starts[code + 1]], ordered[starts[code] : starts[code + 1]])
    return rows, ordered, starts[: size + 1]


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
def join(left: Int32s, right: Int32s, step: int, pieces: Int32s) -> int:
    """
    Pieces of the blocks, given where each code's rows begin on both sides; large blocks are cut. How many there are.

    As many are written as `pieces` has room for, so a first call without room tells how much to make.
    """
    found, place, most = 0, pieces.ctypes.data, len(pieces)
    for code in range(len(left) - 1):
        top, bottom, start, stop = left[code], left[code + 1], right[code], right[code + 1]
        if top == bottom or start == stop:
            continue
        # Most blocks are one piece; ranges with a step would divide for each of them.
        if bottom - top <= step and stop - start <= RIGHT_STEP:
            if found < most:
                _write(place, found, top, bottom, start, stop)
            found += 1
            continue
        for first in range(top, bottom, step):
            for side in range(start, stop, RIGHT_STEP):
                if found < most:
                    _write(place, found, first, min(first + step, bottom), side, min(side + RIGHT_STEP, stop))
                found += 1
    return found


@in_place
def _write(pieces: int, piece: int, top: int, bottom: int, start: int, stop: int) -> None:
    """Write a piece, given the address of all."""
    put32(pieces, 4 * piece, top)
    put32(pieces, 4 * piece + 1, bottom)
    put32(pieces, 4 * piece + 2, start)
    put32(pieces, 4 * piece + 3, stop)
