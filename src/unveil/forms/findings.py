"""What was found while values were brought into one form: counts and rows, never a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.records import Column

_SHOWN: Final = 5  # rows that a sentence names


@dataclass(frozen=True, slots=True)
class Finding:
    """
    A sentence about a column, of how it was read or of what may be lost; whoever reads a warning should do something.

    `values` counts the records that it is about, `places` are the first of them by their place among the records.
    """

    sentence: str
    is_warning: bool = True
    values: int = 0
    places: tuple[int, ...] = ()

    def in_rows(self, rows: Sequence[int] | NDArray[np.int64]) -> str:
        """The sentence with the numbers of the rows that it is about."""
        if not self.places:
            return self.sentence
        more = ", …" if self.values > len(self.places) else ""
        word = "row" if self.values == 1 else "rows"
        return f"{self.sentence} ({word} {', '.join(str(rows[place]) for place in self.places)}{more})"


@dataclass(frozen=True, slots=True, repr=False)
class FormedColumn:
    """A column in its one form, and what was found on the way there."""

    column: Column
    findings: tuple[Finding, ...] = ()


def many(count: int, word: str) -> str:
    """So many of these, in words: 1 date, 1,204 dates."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def places_of(column: Column, codes: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """How many records have one of these distinct values, and where the first of them stand."""
    wanted = np.zeros(len(column.distinct), dtype=bool)
    wanted[list(codes)] = True
    found = np.flatnonzero(wanted[column.codes])
    return len(found), tuple(found[:_SHOWN].tolist())


def rewritten(column: Column, values: Sequence[str]) -> Column:
    """The column with another value in the place of each distinct one."""
    seen: dict[str, int] = {}
    codes = np.array([seen.setdefault(value, len(seen)) for value in values], dtype=np.int32)
    return Column(tuple(seen), codes[column.codes])
