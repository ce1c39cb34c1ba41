"""
Dates in the one form 1944-01-09, or 1944 where the year alone is known, from whichever notations a column has.

Which number is the day is decided for all dates of one notation together: in the order in which most of them may be a
day. Of real dates six in ten are after the twelfth of the month and tell it; where hardly any does, that is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from unveil.forms.date_shapes import SERIAL, DateShape, Day, Order, format_said, shape_of
from unveil.forms.dates import First
from unveil.forms.findings import Finding, FormedColumn, many, places_of, rewritten
from unveil.forms.numbered_days import numbered_days
from unveil.records import Column

_SAID: Final[dict[First, tuple[Order, ...]]] = {"day": ("dmy", "ydm"), "month": ("mdy", "ymd"), "year": ("ymd",)}
_FEW: Final = 30  # dates of one notation, of which as many as below should be after the twelfth
_TELLING: Final = 0.2
_MANY_MIXED: Final = 0.005
_ALL_OLD: Final = 1956  # a register of people who are all older is rare; days since 1970 make such years
_YOUNGEST: Final = 2035
_LEAST_SERIAL: Final = 0.2  # of the dates: fewer numbers among dates are mistakes


@dataclass(frozen=True, slots=True)
class _Decided:
    """The order of one notation, how many of its dates tell it, and how many make sense in another order only."""

    order: Order
    telling: int
    mixed: int
    values: int
    is_told: bool  #: by the dates themselves or by a person


def date_column(column: Column, *, two_digit_years: int, first: First | None = None) -> FormedColumn:
    """The dates of a column in one form; what cannot be read becomes a missing value, and is counted."""
    numbers = numbered_days(column)
    column, counts = numbers.column, column.counts().tolist()
    shapes = {code: shape_of(text) for code, text in enumerate(column.distinct) if text}
    if numbers.are_days_from_elsewhere:
        shapes = dict.fromkeys(shapes)
    groups = _groups(shapes, counts)
    decided = {name: _decide(name, codes, shapes, counts, first) for name, codes in groups.items()}
    days: dict[int, Day] = {}
    for name, codes in groups.items():
        for code in codes:
            shape = shapes[code]
            day = None if shape is None else _day(shape, decided[name].order)
            if day is not None:
                days[code] = day
    values = [_written(days[code], two_digit_years) if code in days else "" for code in range(len(column.distinct))]
    unread = [code for code in shapes if code not in days]
    found = [*numbers.findings, *_formats(decided), *_orders(decided), *_years(days, column, two_digit_years)]
    found += [*_calendar(days, column), *_unreadable(unread, column)]
    found += [*_old(days, shapes, column)]
    return FormedColumn(rewritten(column, values), tuple(found))


def year_column(column: Column, *, two_digit_years: int, first: First | None = None) -> FormedColumn:
    """The years of a column of years or dates; in which order these are written does not matter then."""
    formed = date_column(column, two_digit_years=two_digit_years, first=first)
    years = [value[:4] for value in formed.column.distinct]
    return FormedColumn(rewritten(formed.column, years), formed.findings)


def _groups(shapes: Mapping[int, DateShape | None], counts: Sequence[int]) -> dict[str, list[int]]:
    """The distinct values by notation; numbers of days only where they are no exception."""
    groups: dict[str, list[int]] = defaultdict(list)
    for code, shape in shapes.items():
        if shape is not None:
            groups[shape.group].append(code)
    sizes = {name: sum(counts[code] for code in codes) for name, codes in groups.items()}
    if sizes.get(SERIAL, 0) < _LEAST_SERIAL * sum(sizes.values()):
        groups.pop(SERIAL, None)
    return dict(groups)


def _decide(
    name: str,
    codes: Sequence[int],
    shapes: Mapping[int, DateShape | None],
    counts: Sequence[int],
    first: First | None,
) -> _Decided:
    fitting: dict[Order, int] = defaultdict(int)
    orders: list[Order] = []
    for code in codes:
        shape = shapes[code]
        for order, day in shape.days.items() if shape else ():
            if order not in orders:
                orders.append(order)
            fitting[order] += counts[code] * day.may_be
    said = [order for order in _SAID[first] if order in orders] if first else []
    # The first of equals: a year first is followed by the month, and day and month stand as most countries have them.
    best = said[0] if said else max(orders, key=lambda order: fitting[order])
    others = [fitting[order] for order in orders if order != best]
    total = sum(counts[code] for code in codes)
    telling = fitting[best] - max(others, default=0)
    mixed = sum(counts[code] for code in codes if (shape := shapes[code]) and not shape.days.get(best, _NO_DAY).may_be)
    unread = sum(counts[code] for code in codes if (shape := shapes[code]) and _day(shape, best) is None)
    is_told = bool(said) or len(orders) == 1 or telling > 0 or "." in name or name.startswith("YYYY")
    return _Decided(best, telling if len(orders) > 1 else total, mixed - unread, total, is_told)


_NO_DAY: Final = Day(0, 99, 99, 4)


def _day(shape: DateShape, order: Order) -> Day | None:
    """The day in that order; where it makes none, the one in the only other order that does."""
    day = shape.days.get(order)
    if day is not None and day.may_be:
        return day
    others = {day for day in shape.days.values() if day.may_be}
    return others.pop() if len(others) == 1 else None


def _written(day: Day, two_digit_years: int) -> str:
    year = day.year
    if day.digits <= 2:  # noqa: PLR2004 - a year without its century
        year += 1900 if year >= two_digit_years else 2000
    return f"{year:04d}-{day.month:02d}-{day.day:02d}" if day.month and day.day else f"{year:04d}"


def _formats(decided: Mapping[str, _Decided]) -> Iterator[Finding]:
    total = sum(one.values for one in decided.values())
    shares: dict[str, int] = defaultdict(int)
    for name, one in decided.items():
        shares[format_said(name, one.order)] += one.values
    said = ", ".join(f"{name} ({count / total:.0%})" for name, count in sorted(shares.items(), key=lambda one: -one[1]))
    if said:
        yield Finding(f"dates are written {said}", is_warning=False, values=total)


def _orders(decided: Mapping[str, _Decided]) -> Iterator[Finding]:
    for name, one in decided.items():
        read = format_said(name, one.order)
        if one.mixed:
            what = f"make no sense as {read}, as most dates do, and are read in another order"
            said = f"{what}: {many(one.mixed, 'date')}; more may be meant so"
            yield Finding(said, one.mixed > _MANY_MIXED * one.values, one.mixed)
        if not one.is_told:
            what = f"no date tells whether day or month comes first; they are read as {read}"
            yield Finding(f"{what}: say --dates day-first or month-first", values=one.values)
        elif one.values >= _FEW and one.telling < _TELLING * one.values and one.order != "plain":
            what = f"of {one.values:,} dates read as {read} hardly any is after the 12th of the month"
            yield Finding(f"{what}: a program may have exchanged days and months, or made days up", values=one.values)


def _years(days: Mapping[int, Day], column: Column, two_digit_years: int) -> Iterator[Finding]:
    short = [code for code, day in days.items() if day.digits <= 2]  # noqa: PLR2004
    if short:
        values, _ = places_of(column, short)
        rule = f"those below {two_digit_years:02d} are read as 20.., the others as 19.."
        what = f"years of two digits may be of either century: {rule}, in {many(values, 'date')}"
        yield Finding(f"{what}; two_digit_years in the schema moves that", values=values)
    bare = [code for code, day in days.items() if not (day.month and day.day)]
    if bare and len(bare) < len(days):
        values, places = places_of(column, bare)
        yield Finding(f"years alone: {many(values, 'date')}", is_warning=False, values=values, places=places)


def _calendar(days: Mapping[int, Day], column: Column) -> Iterator[Finding]:
    never = [code for code, day in days.items() if day.month and not day.is_in_calendar]
    if never:
        values, places = places_of(column, never)
        yield Finding(f"no day of the calendar: {many(values, 'date')}", values=values, places=places)
    to_come = [code for code, day in days.items() if day.digits > 2 and day.year > _YOUNGEST]  # noqa: PLR2004
    if to_come:
        values, places = places_of(column, to_come)
        what = f"years after {_YOUNGEST}, perhaps of two digits once and taken for this century"
        yield Finding(f"{what}: {many(values, 'date')}", values=values, places=places)


def _old(days: Mapping[int, Day], shapes: Mapping[int, DateShape | None], column: Column) -> Iterator[Finding]:
    """Numbers of days that make everybody old: counted from a spreadsheet's first day, and perhaps from another one."""
    serial = [code for code in days if (shape := shapes[code]) and shape.group == SERIAL]
    if serial and max(days[code].year for code in serial) < _ALL_OLD:
        values, _ = places_of(column, serial)
        if values >= _FEW:
            what = f"numbers are read as a spreadsheet's days, and then nobody is born after {_ALL_OLD - 1}"
            yield Finding(f"{what}: if they count from another day, write them as 1944-01-09", values=values)


def _unreadable(codes: Sequence[int], column: Column) -> Iterator[Finding]:
    if codes:
        values, places = places_of(column, codes)
        said = f"cannot be read as dates and count as missing: {many(values, 'value')}"
        yield Finding(said, values=values, places=places)
