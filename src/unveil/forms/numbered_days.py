"""Days that programs write as numbers: seconds since 1970 become dates, days from an unknown day are told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from unveil.forms.findings import Finding, many
from unveil.records import Column

_WHOLE: Final = re.compile(r"[-+]?\d{1,16}(?:\.0+)?\Z")
_NEARLY_ALL: Final = 0.95
_BELOW_ZERO: Final = 0.02
_HOUR, _DAY = 3_600, 86_400
#: How many of its units a second has, from the coarsest on: a multiple of a finer one is one of a coarser, too.
_UNITS: Final = (("milliseconds", 1_000), ("seconds", 1))
_LEAST: Final = 10 * _DAY  # smaller numbers may be anything
_FIRST, _LAST = -6_000_000_000, 4_200_000_000  # seconds, from 1780 to 2103


@dataclass(frozen=True, slots=True, repr=False)
class NumberedDays:
    """A column with what can be made dates of, and whether its numbers count days from a day that it does not tell."""

    column: Column
    findings: tuple[Finding, ...] = ()
    are_days_from_elsewhere: bool = False


def numbered_days(column: Column) -> NumberedDays:
    """
    The column with seconds or milliseconds since 1970 as dates; any other column as it is.

    Midnights are whole hours in every time zone: where nearly all numbers are, and large, they are moments. The day is
    the nearest one, for midnight stands in the evening before for whoever lives east of Greenwich.
    """
    held = [(code, value) for code, value in enumerate(column.distinct) if value]
    whole = {code: int(value.partition(".")[0]) for code, value in held if _WHOLE.match(value)}
    if not whole or len(whole) < _NEARLY_ALL * len(held):
        return NumberedDays(column)
    for name, unit in _UNITS:
        moments = {code: number // unit for code, number in whole.items() if number % (unit * _HOUR) == 0}
        if len(moments) >= _NEARLY_ALL * len(held) and _are_moments(list(moments.values())):
            said = Finding(f"numbers are read as {name} since 1970", is_warning=False, values=len(column))
            return NumberedDays(_dated(column, moments), (said,))
    counts = column.counts()
    below = int(sum(counts[code] for code, number in whole.items() if number < 0))
    if below > _BELOW_ZERO * sum(counts[code] for code, _ in held):
        what = "numbers below zero count days from a day that the column does not tell, and all count as missing"
        return NumberedDays(column, (Finding(f"{what}: write dates as 1944-01-09 ({many(below, 'value')})"),), True)
    return NumberedDays(column)


def _are_moments(seconds: Sequence[int]) -> bool:
    large = sum(abs(one) >= _LEAST for one in seconds)
    return 2 * large > len(seconds) and all(_FIRST < one < _LAST for one in seconds)


def _dated(column: Column, moments: dict[int, int]) -> Column:
    """The column with dates in the place of moments, each distinct value staying one of its own."""
    values = list(column.distinct)
    for code, seconds in moments.items():
        values[code] = str(np.datetime64((seconds + _DAY // 2) // _DAY, "D"))
    return replace(column, distinct=tuple(values))
