"""Looking up random ids: sorted arrays instead of a Python object per record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_WIDTH = 16


class Handles:
    """Row of each 16-byte id in a column."""

    def __init__(self, column: bytes, *, unique: bool = True) -> None:
        self.column = column
        halves = np.frombuffer(column, ">u8").reshape(-1, 2).astype(np.uint64)
        self._order = np.lexsort((halves[:, 1], halves[:, 0]))
        self._sorted = halves[self._order]
        self.unique = len(halves) < 2 or not bool((self._sorted[1:] == self._sorted[:-1]).all(axis=1).any())  # noqa: PLR2004
        if unique and not self.unique:
            raise ValueError("an id occurs twice")
        self._first = self._sorted[:, 0].copy()

    def __len__(self) -> int:
        return len(self._order)

    @property
    def order(self) -> NDArray[np.int64]:
        """The rows in the order of their ids: where ids are random, it tells nothing about the order of the rows."""
        return self._order

    def rows(self, column: bytes) -> NDArray[np.int64]:
        """Row of each id in the given column, -1 where there is none."""
        wanted = np.frombuffer(column, ">u8").reshape(-1, 2).astype(np.uint64)
        at = np.searchsorted(self._first, wanted[:, 0])
        rows = np.full(len(wanted), -1, np.int64)
        if not len(self):
            return rows
        # Ids are random, so equal first halves are rare: step past them until none is left.
        open_ids = np.arange(len(wanted))
        while len(open_ids):
            open_ids = open_ids[at[open_ids] < len(self)]
            found = self._sorted[at[open_ids]]
            hit = (found == wanted[open_ids]).all(axis=1)
            rows[open_ids[hit]] = self._order[at[open_ids[hit]]]
            open_ids = open_ids[~hit & (found[:, 0] == wanted[open_ids, 0])]
            at[open_ids] += 1
        return rows

    def pick(self, rows: NDArray[np.integer]) -> bytes:
        """The ids of these rows as a column."""
        return np.frombuffer(self.column, np.uint8).reshape(-1, _WIDTH)[rows].tobytes()
