"""
Dates of birth and the mistakes that are made in them.

A date is the number YYYYMMDD, so that a wrong digit is a difference of a power of ten.
"""

from __future__ import annotations

import numpy as np

from unveil.lab.synthetic.people import YEARS, People
from unveil.lab.synthetic.registers import Chosen, Ints

#: Births by month, relative to each other: more in late summer, fewer in winter.
_MONTHS = np.array([0.97, 0.96, 0.97, 0.96, 0.99, 1.01, 1.06, 1.07, 1.05, 1.00, 0.97, 0.99])
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_JANUARY_FIRST = 101
#: Digits that are mistyped: both of the day, the second of the month, the last two of the year.
_PLACES = np.array([1, 10, 100, 10_000, 100_000])
_TRIES = 40


def birthdays(people: People, first_of_january: float, rng: np.random.Generator) -> Ints:
    """Everyone's date of birth. Children of one household and year are twins and share it."""
    count = len(people)
    # Adults are each a birth of their own; children of one household and year are the same one.
    own = -1 - np.arange(count)
    together = people.household * 10_000 + people.year
    birth = np.unique(np.where(people.child, together, own), return_inverse=True)[1]
    u = rng.random((3, count))[:, birth]
    month = 1 + np.searchsorted(np.cumsum(_MONTHS / _MONTHS.sum())[:-1], u[0], side="right")
    year = people.year.astype(np.int64)
    day = 1 + (u[1] * _days(year, month)).astype(np.int64)
    return _date(year, *np.where(u[2] < first_of_january, 1, (month, day)))


def written(dates: Ints) -> list[str]:
    """The dates as YYYY-MM-DD."""
    return [f"{date // 10_000}-{date // 100 % 100:02d}-{date % 100:02d}" for date in dates.tolist()]


def wrong(dates: Ints, kind: Ints, rng: np.random.Generator) -> Ints:
    """
    The dates with a mistake, always another date that exists.

    Kinds: 0 day and month swapped, 1 one digit, 2 the first of January, 3 the year off by one, 4 another day of the
    year. A kind that would leave the date as it is, or give none, becomes a wrong digit.
    """
    year, month, day = dates // 10_000, dates // 100 % 100, dates % 100
    step = np.where(rng.random(len(dates)) < 1 / 2, -1, 1)
    step = np.where((year + step < YEARS[0]) | (year + step > YEARS[1]), -step, step)
    other_month = rng.integers(1, 13, len(dates))
    other_day = 1 + (rng.random(len(dates)) * _days(year, other_month)).astype(np.int64)
    january = year * 10_000 + _JANUARY_FIRST
    out = np.choose(
        kind,
        [_date(year, day, month), dates, january, _date(year + step, month, day), _date(year, other_month, other_day)],
    )
    for _ in range(_TRIES):
        again = np.flatnonzero((out == dates) | ~exists(out))
        if not len(again):
            break
        out[again] = _mistyped(dates[again], rng)
    return out


def exists(dates: Ints) -> Chosen:
    """True for dates of the calendar in the years in which people were born."""
    year, month, day = dates // 10_000, dates // 100 % 100, dates % 100
    fine = (year >= YEARS[0]) & (year <= YEARS[1]) & (month >= 1) & (month <= len(_DAYS))
    return fine & (day >= 1) & (day <= _days(year, np.clip(month, 1, len(_DAYS))))


def _mistyped(dates: Ints, rng: np.random.Generator) -> Ints:
    """The dates with one digit replaced at random."""
    place = rng.choice(_PLACES, len(dates))
    return dates + (rng.integers(0, 10, len(dates)) - dates // place % 10) * place


def _date(year: Ints, month: Ints, day: Ints) -> Ints:
    return year * 10_000 + month * 100 + day


def _days(year: Ints, month: Ints) -> Ints:
    """Days of the month; all years that end in 00 and are not leap years lie outside `YEARS`."""
    return _DAYS[month - 1] + ((month == 2) & (year % 4 == 0))  # noqa: PLR2004 - February
