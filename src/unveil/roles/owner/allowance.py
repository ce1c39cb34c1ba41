"""What is left of a policy's caps while a batch of wishes is answered, one wish after the other."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.roles.owner.combinations import Combinations
from unveil.roles.owner.ledger import REVIEW_LAYER, Ledger

Marks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Caps:
    """
    The most that may go; None is no cap.

    Pairs go to the attribute unit, values to reviewers. A record is shown once for each review it is in, and takes part
    once for each pair. The cap of an attribute counts records that disclosed it to reviewers, each once.
    """

    record_pairs: int | None = None
    record_reviews: int | None = None
    attribute_records: int | None = None
    project_pairs: int | None = None
    project_values: int | None = None
    day_pairs: int | None = None
    day_values: int | None = None

    def __post_init__(self) -> None:
        for part in fields(self):
            cap = getattr(self, part.name)
            if cap is not None and cap < 0:
                raise SettingError(f"the cap {part.name} must not be below 0")

    def limit(self, layer: int) -> bool:
        """Whether any of them concerns that layer."""
        review = (self.record_reviews, self.attribute_records, self.project_values, self.day_values)
        pairs = (self.record_pairs, self.project_pairs, self.day_pairs)
        return any(cap is not None for cap in (review if layer == REVIEW_LAYER else pairs))


class Allowance:
    """
    Grants wishes one by one as long as everything together stays within the caps.

    It counts what the ledger holds and what it granted itself, so a batch cannot overspend.
    """

    def __init__(
        self, caps: Caps, layer: int, ledger: Ledger, now: float, *, k: int, combinations: Combinations | None
    ) -> None:
        review = layer == REVIEW_LAYER
        self._layer, self._ledger, self._k, self._combinations = layer, ledger, k, combinations
        self._per_record = caps.record_reviews if review else caps.record_pairs
        self._per_attribute = caps.attribute_records if review else None
        self._counts_values = review
        day = ledger.on_day(layer, now)
        spent = (ledger.disclosures(layer), day.values) if review else (ledger.pairs(layer), day.pairs)
        limits = (caps.project_values, caps.day_values) if review else (caps.project_pairs, caps.day_pairs)
        self._left = min(
            (cap - so_far for cap, so_far in zip(limits, spent, strict=True) if cap is not None), default=None
        )
        self._records = ledger.records(layer)
        self._times: dict[int, int] = {}  # rows granted in this batch -> how often
        self._given: dict[int, Marks] = {}  # and which attributes are known of them by now

    def takes_all(self, rows: NDArray[np.int64]) -> bool:
        """
        Whether wishes for these records all fit, so that none need be looked at by itself.

        It is said of pairs alone, whose attributes no cap or combination takes away: nearly always they do fit.
        """
        if self._counts_values or self._k > 1 or (self._left is not None and len(rows) > self._left):
            return False
        if self._per_record is None:
            return True
        distinct, times = np.unique(rows, return_counts=True)
        return bool((self._ledger.times_at(self._layer, distinct) + times <= self._per_record).all())

    def take(self, row: int, asked: Marks, missing: Marks) -> Marks | None:
        """
        Return which of these attributes go, and count them; None if the wish is refused.

        `missing` marks those of the asked attributes that the record has no value of. That is told too, so it counts
        for k as any value does; but it is no disclosure, and no cap counts it.
        """
        if self._per_record is not None and self._used(row) >= self._per_record:
            return None
        given = self._known(row)
        wanted = self._under_cap(asked & ~missing, given) | (asked & missing)
        chosen = self._common_enough(row, wanted, given)
        values = chosen & ~missing
        cost = int(values.sum()) if self._counts_values else 1
        if (asked.any() and not chosen.any()) or (self._left is not None and cost > self._left):
            return None
        if self._left is not None:
            self._left -= cost
        self._times[row] = self._used(row) + 1
        self._records += values & ~given
        self._given[row] = given | chosen
        return chosen

    def _used(self, row: int) -> int:
        return self._times.get(row, self._ledger.times_of(self._layer, row))

    def _known(self, row: int) -> Marks:
        """What is known of a record: values that went, and which values it was told not to have."""
        found = self._given.get(row)
        return self._ledger.known_of(self._layer, row) if found is None else found

    def _under_cap(self, asked: Marks, given: Marks) -> Marks:
        """Without the attributes that as many records as allowed have disclosed already, this one not among them."""
        if self._per_attribute is None:
            return asked
        return asked & (given | (self._records < self._per_attribute))

    def _common_enough(self, row: int, asked: Marks, given: Marks) -> Marks:
        """
        Return the attributes that are left when the rarest are dropped until k records share what is known.

        Known is what reviewers got of this record before, and what they would get now. At each step the attribute goes
        whose removal leaves the most records that share the rest; among equals the last one.
        """
        combinations, k = self._combinations, self._k
        if k == 1 or combinations is None:
            return asked
        chosen = asked.copy()
        while combinations.count(row, given | chosen) < k:
            droppable = np.flatnonzero(chosen & ~given).tolist()  # what is known already cannot be taken back
            if not droppable:
                return np.zeros_like(asked)
            left = []
            for at in droppable:
                chosen[at] = False
                left.append(combinations.count(row, given | chosen))
                chosen[at] = True
            chosen[max(zip(left, droppable, strict=True))[1]] = False
        return chosen
