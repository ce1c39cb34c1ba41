"""
What the values of a column look like, without a value: character by character its class, lengths, gaps.

A letter is A or a, or x where letters have no case; a digit is 9. So 1984-05-12 looks like 9999-99-99.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np

from unveil.encoding.planning.facts import sample_of_values
from unveil.records import Column

_KEPT: Final = frozenset(" -./,'+@()_:&#")
_LONGEST: Final = 24  # characters of a format that are shown


@dataclass(frozen=True, slots=True)
class ColumnLook:
    """
    How the values of a column are written.

    `format` is the commonest among some of the values, and `format_share` the share of these that are written so.
    `shortest` and `longest` are lengths of values, `missing` the share of records without one.
    """

    format: str
    format_share: float
    shortest: int
    longest: int
    missing: float
    distinct: int


def look_of(column: Column) -> ColumnLook:
    """What the values of a column look like."""
    lengths, counts = np.array([len(value) for value in column.distinct]), column.counts()
    there = lengths[(lengths > 0) & (counts > 0)]
    formats = Counter(map(format_of, sample_of_values(column)))
    # Of two that are equally common, always the same one.
    commonest, times = min(formats.items(), key=lambda one: (-one[1], one[0]), default=("", 0))
    return ColumnLook(
        format=commonest,
        format_share=round(times / max(1, formats.total()), 4),
        shortest=int(there.min()) if len(there) else 0,
        longest=int(there.max(initial=0)),
        missing=round(float(column.missing().mean()), 4),
        distinct=len(there),
    )


def format_of(value: str) -> str:
    """The value with every character replaced by its class; what is neither letter, digit nor common sign is ?."""
    shape = "".join(map(_class, value[: _LONGEST + 1]))
    return shape if len(shape) <= _LONGEST else f"{shape[:_LONGEST]}…"


def _class(letter: str) -> str:
    if letter.isnumeric():
        return "9"
    if letter.isalpha():
        return "A" if letter.isupper() else "a" if letter.islower() else "x"
    return letter if letter in _KEPT else "?"
