"""Which rows are compared in which task: small blocks together, large ones cut into tiles. No task is large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.pairs import Rows

#: Rows of a side in a task, and pairs of it: of blocks put together both may come to twice as many, never more.
ROWS: Final = 1 << 15
PAIRS: Final = 1 << 28

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Assigned:
    """Rows of one side by task; a row may be in several, and in one task once."""

    task: NDArray[np.int32]
    row: Rows


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """Tasks that together compare every pair once, as far as one key makes it a candidate."""

    left: Assigned
    right: Assigned

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return int(self.left.task.max(initial=-1)) + 1


def all_pairs_plan(left: int, right: int, *, rows: int = ROWS) -> TaskPlan:
    """Every row of the left with every row of the right, in tiles."""
    sides = np.arange(left, dtype=np.int32), np.arange(right, dtype=np.int32)
    return _plan([np.empty((2, 0), np.int32)], [np.empty((2, 0), np.int32)], _tiles(*sides, min(rows, isqrt(PAIRS)), 0))


def key_plan(left: Codes, right: Codes, *, rows: int = ROWS, pairs: int = PAIRS) -> TaskPlan:
    """Every row of the left with every row of the right that has the same code, none of which is negative."""
    codes = 1 + max(int(side.max(initial=-1)) for side in (left, right))
    sizes = [np.bincount(side[side >= 0], minlength=codes) for side in (left, right)]
    # What a block takes of a task, which holds as much as its rows and pairs allow.
    cost = np.where(sizes[0] * sizes[1] > 0, (sizes[0] + sizes[1]) / rows + sizes[0] * sizes[1] / pairs, 0.0)
    large = np.flatnonzero(cost > 1)
    task = np.full(codes, -1, np.int64)
    small = np.flatnonzero((cost > 0) & (cost <= 1))
    task[small] = np.floor(np.cumsum(cost[small]) - cost[small])
    together = [_by_task(side, task) for side in (left, right)]
    first, step = int(task.max(initial=-1)) + 1, min(rows, isqrt(pairs))
    tiles: list[Tile] = []
    for code in large.tolist():
        of_left, of_right = (np.flatnonzero(side == code).astype(np.int32) for side in (left, right))
        tiles += _tiles(of_left, of_right, step, first + len(tiles))
    return _plan(together[:1], together[1:], tiles)


Tile = tuple[NDArray[np.int32], NDArray[np.int32]]  # tasks and rows of the left, and of the right


def _by_task(codes: Codes, task: NDArray[np.int64]) -> NDArray[np.int32]:
    """Tasks and rows of a side whose blocks are put together."""
    rows = np.flatnonzero(codes >= 0)
    tasks = task[codes[rows]]
    return np.stack([tasks[tasks >= 0], rows[tasks >= 0]]).astype(np.int32)


def _tiles(left: Rows, right: Rows, step: int, first: int) -> Iterator[Tile]:
    """Tasks and rows of either side, a tile of so many rows by so many each."""
    task = first
    for top in range(0, len(left), step):
        for side in range(0, len(right), step):
            some, others = left[top : top + step], right[side : side + step]
            yield _in_task(task, some), _in_task(task, others)
            task += 1


def _in_task(task: int, rows: Rows) -> NDArray[np.int32]:
    return np.stack([np.full(len(rows), task, np.int32), rows])


def _plan(left: list[NDArray[np.int32]], right: list[NDArray[np.int32]], tiles: Iterable[Tile]) -> TaskPlan:
    for some, others in tiles:
        left.append(some)
        right.append(others)
    sides = (np.concatenate(parts, axis=1) for parts in (left, right))
    return TaskPlan(*(Assigned(tasks, rows) for tasks, rows in sides))
