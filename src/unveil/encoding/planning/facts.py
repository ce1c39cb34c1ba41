"""What a column is like, in numbers that name nobody: gaps, distinct values, length, chance of agreement, contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.planning.contents import content_shares, year_span
from unveil.encoding.planning.strangers import ChanceOfAgreement, agreement
from unveil.forms.dates import order_of
from unveil.records import Column, Records

_LOOKED_AT: Final = 2000  # values whose content is looked at


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """
    A column in numbers.

    `missing` is the share of records without a value, `distinct` counts values, `length` is a value's mean length,
    `shares` how many of the values are of each kind of content, `years` how many years dates among them span, `order`
    in which order most dates are written.
    """

    records: int
    missing: float
    distinct: int
    length: float
    agreement: ChanceOfAgreement
    shares: Mapping[str, float] = field(repr=False)
    years: int
    order: str | None

    @property
    def is_nearly_unique(self) -> bool:
        """Whether nearly every record that has a value has one of its own."""
        return self.distinct >= 0.95 * self.records * (1 - self.missing)

    def most_are(self, content: str, least: float = 0.8) -> bool:
        """Whether at least this share of the values are of that kind."""
        return self.shares[content] >= least


def facts_of(column: Column) -> ColumnFacts:
    """The facts of a column as it stands in the file."""
    counts, lengths = column.counts(), column.lengths()
    present = int(counts[lengths > 0].sum())
    values = sample_of_values(column)
    return ColumnFacts(
        records=len(column),
        missing=1 - present / len(column),
        distinct=int((counts[lengths > 0] > 0).sum()),
        length=float((counts * lengths).sum() / max(1, present)),
        agreement=agreement(counts[lengths > 0]),
        shares=content_shares(values),
        years=year_span(values),
        order=order_of(values),
    )


def sample_of_values(column: Column) -> list[str]:
    """Values of records drawn at random, always the same ones; missing ones left out."""
    rows = sample_of_rows(len(column), 2 * _LOOKED_AT)
    return [value for code in column.codes[rows].tolist() if (value := column.distinct[code])][:_LOOKED_AT]


def sample_of_rows(records: int, most: int) -> NDArray[np.int64]:
    """Rows drawn at random, at most so many and always the same ones, in rising order."""
    if records <= most:
        return np.arange(records)
    return np.sort(np.random.default_rng(0).choice(records, most, replace=False))


def some_records(records: Records, rows: NDArray[np.int64]) -> Records:
    """The records in these rows, with no value that none of them has."""
    ids = [records.ids[row] for row in rows.tolist()]
    return Records(ids, {name: some_values(column, rows) for name, column in records.columns.items()})


def some_values(column: Column, rows: NDArray[np.int64]) -> Column:
    """The column in these rows."""
    codes, renumbered = np.unique(column.codes[rows], return_inverse=True)
    return Column(tuple(column.distinct[code] for code in codes.tolist()), renumbered.astype(np.int32))
