"""How a comparison is laid out: rows in order, pieces, and tasks of about equal work."""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.engines.cpu_compile import kernel
from unveil.engines.cpu_vectors import ROWS
from unveil.engines.cpu_work import Int32s, Int64s
from unveil.linkage.blocking import Blocks

#: Right rows of a piece; with at most LEFT_MOST left rows a piece takes some 20 ms, so progress and threads stay lively.
RIGHT_STEP: Final = 8192
LEFT_MOST: Final = 4096
_LEFT_LEAST: Final = 256
_PIECE_COST: Final = 64  # what a piece costs beside its comparisons, in comparisons
_TASK_MOST: Final = 1 << 25
_TASK_LEAST: Final = 1 << 17


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
def arrange(codes: Int32s, ones: Int32s) -> Int32s:
    """The rows with a code, by code, then by number of ones, then as they came: two counting sorts."""
    kept = 0
    for row in range(len(codes)):
        kept += codes[row] >= 0
    by_ones, rows = np.empty(kept, np.int32), np.empty(kept, np.int32)
    place = np.zeros(ones.max() + 2 if len(ones) else 2, np.int64)
    starts = np.zeros(codes.max() + 2 if len(codes) else 2, np.int64)
    for row in range(len(codes)):
        if codes[row] >= 0:
            place[ones[row] + 1] += 1
            starts[codes[row] + 1] += 1
    for value in range(1, len(place)):
        place[value] += place[value - 1]
    for value in range(1, len(starts)):
        starts[value] += starts[value - 1]
    for row in range(len(codes)):
        if codes[row] >= 0:
            by_ones[place[ones[row]]] = row
            place[ones[row]] += 1
    for at in range(kept):
        row = by_ones[at]
        rows[starts[codes[row]]] = row
        starts[codes[row]] += 1
    return rows


@kernel
def join(left: Int32s, right: Int32s, step: int, pieces: Int64s) -> int:
    """
    Pieces of the blocks that two sorted columns of codes share, large blocks cut; how many there are.

    As many are written as `pieces` has room for, so a first call without room tells how much to make.
    """
    found, i, j = 0, 0, 0
    while i < len(left) and j < len(right):
        if left[i] != right[j]:
            if left[i] < right[j]:
                i += 1
            else:
                j += 1
            continue
        i_stop, j_stop = i, j
        while i_stop < len(left) and left[i_stop] == left[i]:
            i_stop += 1
        while j_stop < len(right) and right[j_stop] == right[j]:
            j_stop += 1
        for top in range(i, i_stop, step):
            for side in range(j, j_stop, RIGHT_STEP):
                if found < len(pieces):
                    pieces[found, 0], pieces[found, 1] = top, min(top + step, i_stop)
                    pieces[found, 2], pieces[found, 3] = side, min(side + RIGHT_STEP, j_stop)
                found += 1
        i, j = i_stop, j_stop
    return found
