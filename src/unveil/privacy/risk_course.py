"""
The risk of an owner's ledger as it grew: KAPR after each day, and how many records share what is known of each.

It is the KAPR of `ledger_risk`, computed as disclosures come: a record's share d / (D·k) changes only when more of it
is disclosed, so each disclosure costs at most one count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.population import ReferencePopulation
from unveil.records import Records

_DAY: Final = 86_400

#: Lowest k of each class that counts are shown by.
CLASSES: Final = (1, 2, 5, 10, 20, 50, 100)


class RiskCourse:
    """The risk of what reviewers got, disclosure by disclosure. `k` counts in the owner's own records."""

    def __init__(self, records: Records, names: Sequence[str]) -> None:
        self._records, self._names = records, tuple(names)
        self._population: ReferencePopulation | None = None
        self._known: dict[int, NDArray[np.bool_]] = {}  # row -> attributes that are known
        self._shares: dict[int, float] = {}  # row -> d / (D·k)
        self._k: dict[int, int] = {}
        self._sum = 0.0
        self.taken = 0  # disclosures that were taken in
        self.days: dict[int, float] = {}  # UTC day -> KAPR after its last disclosure

    def __repr__(self) -> str:
        return f"RiskCourse(<{self.taken} disclosures of {len(self._known)} records>)"

    @property
    def kapr(self) -> float:
        """The mean over all records of which anything is known; 0 if of none."""
        return self._sum / len(self._shares) if self._shares else 0.0

    @property
    def records(self) -> int:
        """Records of which anything is known."""
        return len(self._shares)

    @property
    def worst(self) -> float:
        """The highest share of one record."""
        return max(self._shares.values(), default=0.0)

    def records_by_k(self) -> dict[int, int]:
        """How many records share what is known of them with so many, by the lowest k of each of CLASSES."""
        found = dict.fromkeys(CLASSES, 0)
        for k in self._k.values():
            found[max(least for least in CLASSES if least <= k)] += 1
        return found

    def take(self, times: NDArray[np.float64], rows: NDArray[np.int64], attributes: NDArray[np.bool_]) -> None:
        """Take in further disclosures to reviewers, in the order in which they were made."""
        for time, row, given in zip(times.tolist(), rows.tolist(), attributes, strict=True):
            self._add(int(row), given)
            self.days[int(time // _DAY)] = self.kapr
            self.taken += 1

    def _add(self, row: int, given: NDArray[np.bool_]) -> None:
        before = self._known.get(row)
        known = given if before is None else before | given
        if not known.any() or (before is not None and (known == before).all()):
            return
        values = {
            name: self._records.columns[name][row]
            for name, is_known in zip(self._names, known, strict=True)
            if is_known
        }
        if self._population is None:  # costs a moment where there are many records, and is needed only now
            self._population = ReferencePopulation(self._names, self._records)
        k = max(1, self._population.count(values))
        share = int(known.sum()) / (k * len(self._names))
        self._sum += share - self._shares.get(row, 0.0)
        self._known[row], self._shares[row], self._k[row] = known, share, k
