"""How many of the owner's records share a combination of values: what smallest_k is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.records import Column, Records

_REMEMBERED: Final = 100_000


class Combinations:
    """
    Answers how many records agree with one of them on some attributes. Values count as they stand in the data.

    A missing value agrees with missing ones only, so a count is never too high. A query looks at the records that share
    the rarest of the values. Common combinations, for which these are many, come again and again and are remembered.
    """

    def __init__(self, records: Records, names: Sequence[str]) -> None:
        self._codes = [records.columns[name].codes for name in names]
        self._postings = [_Postings(records.columns[name]) for name in names]
        self._size = len(records)
        self._known: dict[tuple[int, ...], int] = {}

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"Combinations(<{self._size} records, {len(self._codes)} attributes>)"

    def count(self, row: int, attributes: NDArray[np.bool_]) -> int:
        """Return how many records, this one included, have its values in all these attributes."""
        chosen = np.flatnonzero(attributes).tolist()
        if not chosen:
            return self._size
        key = tuple(part for at in chosen for part in (at, int(self._codes[at][row])))
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = self._counted(row, chosen)
        return self._known[key]

    def _counted(self, row: int, chosen: list[int]) -> int:
        rarest, *others = sorted(chosen, key=lambda at: self._postings[at].size(self._codes[at][row]))
        rows = self._postings[rarest].rows(self._codes[rarest][row])
        for at in others:
            rows = rows[self._codes[at][rows] == self._codes[at][row]]
        return len(rows)


class _Postings:
    """For each code of a column, the rows that hold it."""

    def __init__(self, column: Column) -> None:
        self._order = np.argsort(column.codes, kind="stable").astype(np.int32)
        self._starts = np.concatenate([[0], np.cumsum(column.counts())])

    def size(self, code: int) -> int:
        return int(self._starts[code + 1] - self._starts[code])

    def rows(self, code: int) -> NDArray[np.int32]:
        return self._order[self._starts[code] : self._starts[code + 1]]
