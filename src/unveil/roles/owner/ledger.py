"""
What left the owner: when, to which layer, for which pair or task, of which record, and which attributes.

Entries are only ever added. The counts that the caps of a policy need are kept beside them, so that asking is cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.protocol.messages import ID

RECORD_LAYER: Final = 1
ATTRIBUTE_LAYER: Final = 2
REVIEW_LAYER: Final = 3

_DAY: Final = 86_400


def day_of(now: float) -> int:
    """Return the number of the UTC day that this Unix time lies in."""
    return int(now // _DAY)


@dataclass(frozen=True, slots=True)
class Spent:
    """How much went to a layer: `pairs` are disclosures (pairs or review tasks), `values` what they held together."""

    pairs: int = 0
    values: int = 0

    def plus(self, pairs: int, values: int) -> Spent:
        """The sum."""
        return Spent(self.pairs + pairs, self.values + values)


@dataclass(frozen=True, slots=True)
class LedgerEntries:
    """Every disclosure in the order in which it was charged, as arrays side by side. No value is among them."""

    time: NDArray[np.float64]
    layer: NDArray[np.uint8]
    ids: NDArray[np.uint8]  # (n, 16): pair id at the attribute layer, task id in review; zeros if none was given
    rows: NDArray[np.int64]
    attributes: NDArray[np.bool_]  # (n, D)

    def __len__(self) -> int:
        return len(self.time)


class Ledger:
    """The owner's book of disclosures. A disclosure is charged before it is sent."""

    def __init__(self, records: int, attributes: int) -> None:
        self._counts = {layer: np.zeros((records, attributes), np.uint32) for layer in (ATTRIBUTE_LAYER, REVIEW_LAYER)}
        self._times = {layer: np.zeros(records, np.uint32) for layer in (ATTRIBUTE_LAYER, REVIEW_LAYER)}
        self._records = {layer: np.zeros(attributes, np.int64) for layer in (ATTRIBUTE_LAYER, REVIEW_LAYER)}
        self._total = {layer: Spent() for layer in (ATTRIBUTE_LAYER, REVIEW_LAYER)}
        self._days: dict[tuple[int, int], Spent] = {}
        self._attributes = attributes
        self._told_missing = np.zeros((records, attributes), bool)  # to reviewers
        kind = [("time", "f8"), ("layer", "u1"), ("id", "u1", ID), ("row", "i8"), ("bits", "u1", -(-attributes // 8))]
        self._book = np.empty(64, dtype=kind)
        self._length = 0

    def __repr__(self) -> str:
        return f"Ledger(<{self._length} disclosures>)"

    def charge(
        self,
        layer: int,
        rows: NDArray[np.int64],
        attributes: NDArray[np.bool_],
        now: float,
        ids: Sequence[bytes] = (),
    ) -> None:
        """Note that these attributes (rows × attributes, true = leaves) of these records go to that layer now."""
        if attributes.shape != (len(rows), self._attributes) or (ids and len(ids) != len(rows)):
            raise ValueError("a disclosure needs one row of attributes and one id for each record")
        column = np.frombuffer(b"".join(ids), np.uint8) if ids else np.zeros(len(rows) * ID, np.uint8)
        before = self._counts[layer][rows] > 0
        self._enter(layer, rows, attributes, now, column.reshape(len(rows), ID))
        np.add.at(self._counts[layer], rows, attributes.astype(np.uint32))
        np.add.at(self._times[layer], rows, 1)
        at, attribute = np.nonzero(attributes & ~before)
        first = np.unique(rows[at] * self._attributes + attribute)  # a record may be in the batch several times
        np.add.at(self._records[layer], first % self._attributes, 1)
        values = int(attributes.sum())
        self._total[layer] = self._total[layer].plus(len(rows), values)
        key = (layer, day_of(now))
        self._days[key] = self._days.get(key, Spent()).plus(len(rows), values)

    def note_missing(self, rows: NDArray[np.int64], attributes: NDArray[np.bool_]) -> None:
        """
        Note that reviewers are told that these records have no value there (rows × attributes).

        That is no disclosure, but it is known, and smallest_k counts what is known.
        """
        np.logical_or.at(self._told_missing, rows, attributes)

    def known_of(self, layer: int, row: int) -> NDArray[np.bool_]:
        """Which attributes of that record are known there: those that went and, in review, those told to be missing."""
        went = self._counts[layer][row] > 0
        return went | self._told_missing[row] if layer == REVIEW_LAYER else went

    def _enter(
        self, layer: int, rows: NDArray[np.int64], attributes: NDArray[np.bool_], now: float, ids: NDArray[np.uint8]
    ) -> None:
        end = self._length + len(rows)
        if end > len(self._book):
            longer = np.empty(max(end, 2 * len(self._book)), self._book.dtype)
            longer[: self._length] = self._book[: self._length]
            self._book = longer
        some = self._book[self._length : end]
        some["time"], some["layer"], some["id"], some["row"] = now, layer, ids, rows
        some["bits"] = np.packbits(attributes, axis=1)
        self._length = end

    def records(self, layer: int) -> NDArray[np.int64]:
        """For each attribute, how many records disclosed it to that layer at least once."""
        return self._records[layer].copy()

    def disclosed(self, layer: int) -> NDArray[np.bool_]:
        """Which attributes of which records went to that layer."""
        return self._counts[layer] > 0

    def disclosed_of(self, layer: int, row: int) -> NDArray[np.bool_]:
        """Which attributes of that record went to that layer."""
        return self._counts[layer][row] > 0

    def disclosures(self, layer: int) -> int:
        """How many values or encodings went to that layer in all."""
        return self._total[layer].values

    def pairs(self, layer: int) -> int:
        """How many pairs (review: tasks) were answered to that layer in all."""
        return self._total[layer].pairs

    def times(self, layer: int) -> NDArray[np.int64]:
        """For each record, for how many pairs or tasks it was disclosed to that layer."""
        return self._times[layer].astype(np.int64)

    def times_at(self, layer: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of these records, for how many pairs or tasks it was disclosed to that layer."""
        return self._times[layer][rows].astype(np.int64)

    def times_of(self, layer: int, row: int) -> int:
        """For how many pairs or tasks that record was disclosed to that layer."""
        return int(self._times[layer][row])

    def on_day(self, layer: int, now: float) -> Spent:
        """What went to that layer on the UTC day of `now`."""
        return self._days.get((layer, day_of(now)), Spent())

    def days(self, layer: int) -> dict[int, Spent]:
        """What went to that layer on each UTC day on which anything did, by the number of the day."""
        return {day: spent for (at, day), spent in sorted(self._days.items()) if at == layer}

    def entries(self) -> LedgerEntries:
        """Every disclosure so far, oldest first."""
        book = self._book[: self._length]
        bits = np.unpackbits(book["bits"], axis=1, count=self._attributes).astype(bool)
        return LedgerEntries(book["time"].copy(), book["layer"].copy(), book["id"].copy(), book["row"].copy(), bits)
