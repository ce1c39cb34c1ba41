"""
What a date looks like before anybody knows which of its numbers is the day: the ways in which it can be read.

1944-01-09, 09.01.1944, 1/9/44, 19440109, 9011944, 9 Jan 1944, 1944, and 16080, a spreadsheet's number of days.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from unveil.forms.dates import month_named

#: In which order the parts of a date are written; `plain` where there is nothing to decide.
Order = Literal["ymd", "ydm", "dmy", "mdy", "plain"]

_TIME: Final = r"\.?(?:[t ]+\d{1,2}[:.h].*|[t ]+0+|z|[+-]\d\d:\d\d)?\Z"
_APART: Final = re.compile(r"(\d{1,4})\s*([-./ ])\s*(\d{1,2})\s*[-./ ]\s*(\d{1,4})" + _TIME)
_DIGITS: Final = re.compile(r"(\d{6,8})(?:\.0|t?0{4}(?:0{2})?(?:\.0+)?(?:z|[+-]\d{4})?|\s+0?0:00.*)?\Z")
_SERIAL: Final = re.compile(r"(\d{3,5})(?:[.,]0+)?\Z")
#: Midnight of one who lives east of Greenwich, in universal time: it is the day after.
_EVENING: Final = re.compile(r".{6,}[t ]2[0-3]:[03]0(?::00(?:[.,]0+)?)?(?:z|[+-]00:?00)\Z")
_WEEKDAY: Final = re.compile(r"[^\W\d_]{2,14}\.?,?\s+(?=\d{1,4}\s*[-./])")
#: Signs of a year, a month and a day in China, Japan and Korea, which stand behind the numbers.
_EASTERN: Final = str.maketrans({"年": "-", "月": "-", "日": "", "년": "-", "월": "-", "일": ""})
_YEAR: Final = re.compile(r"(1[89]\d\d|20\d\d|\d\d)(?:\.0)?\Z")
_BEGINNING: Final = np.datetime64("1899-12-30")
_OLDEST, _YOUNGEST = 1850, 2100
_MONTHS, _DAYS = 12, 31
_LONG = 4  # digits of a year with its century

#: How a serial number of days is called among the formats of a column.
SERIAL: Final = "number of days"
#: What the formats of midnights in universal time end with.
EVENING: Final = ", the evening before"


class Day(NamedTuple):
    """A day as it was written; month and day are 0 where they are not known, the year may lack its century."""

    year: int
    month: int
    day: int
    digits: int  #: of the year

    @property
    def may_be(self) -> bool:
        """Whether the numbers are such as a date of a person has."""
        fits = 0 <= self.month <= _MONTHS and 0 <= self.day <= _DAYS and not (self.day and not self.month)
        return fits and (self.digits < _LONG or _OLDEST <= self.year <= _YOUNGEST)

    @property
    def is_in_calendar(self) -> bool:
        """Whether there is such a day, in some year."""
        return not self.day or self.day <= (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[self.month - 1]


@dataclass(frozen=True, slots=True, repr=False)
class DateShape:
    """The days that a text may mean, by the order in which it is read; texts of one `group` are written alike."""

    group: str
    days: Mapping[Order, Day]


def shape_of(text: str) -> DateShape | None:
    """The shape of a date, or of a year alone; None if it is neither."""
    plain = _WEEKDAY.sub("", text.translate(_EASTERN).casefold().strip(), 1)
    found = _shape(plain)
    return _day_after(found) if found is not None and _EVENING.match(plain) else found


def _shape(text: str) -> DateShape | None:
    if year := _YEAR.match(text):
        return DateShape("year", {"plain": Day(int(year[1]), 0, 0, len(year[1]))})
    if apart := _APART.match(text):
        return _apart(apart[1], apart[2], apart[3], apart[4])
    if digits := _DIGITS.match(text):
        return _digits(digits[1])
    if serial := _SERIAL.match(text):
        written = str(_BEGINNING + int(serial[1]))
        return DateShape(SERIAL, {"plain": Day(int(written[:4]), int(written[5:7]), int(written[8:]), _LONG)})
    named = month_named(text)
    if named is None:
        return None
    day_named, month_number, year_digits = named
    return DateShape("month in words", {"plain": Day(int(year_digits), month_number, day_named, len(year_digits))})


def _day_after(shape: DateShape) -> DateShape:
    """The shape with each day that there is in the calendar put off by one."""
    days: dict[Order, Day] = {}
    for order, day in shape.days.items():
        if day.digits == _LONG and day.may_be and day.day and day.is_in_calendar:
            written = str(np.datetime64(f"{day.year:04d}-{day.month:02d}-01") + day.day)
            days[order] = Day(int(written[:4]), int(written[5:7]), int(written[8:]), _LONG)
        else:
            days[order] = day
    return DateShape(shape.group + EVENING, days)


def format_said(group: str, order: Order) -> str:
    """How dates of that group are written in that order, such as DD.MM.YYYY."""
    if order == "plain":
        return group
    group, evening, _ = group.partition(EVENING)
    words = {"y": "YYYY" if "YYYY" in group or group.startswith("8") else "YY", "m": "MM", "d": "DD"}
    sign = next((sign for sign in "-./ " if sign in group and not group.endswith("digits")), "")
    return sign.join(words[part] for part in order) + evening


def _apart(first: str, sign: str, second: str, third: str) -> DateShape | None:
    one, two, three = int(first), int(second), int(third)
    if len(first) == _LONG and len(third) <= 2:  # noqa: PLR2004 - digits of a day
        days: dict[Order, Day] = {"ymd": Day(one, two, three, _LONG), "ydm": Day(one, three, two, _LONG)}
        return DateShape(sign.join(("YYYY", "nn", "nn")), days)
    if len(first) > 2 or len(third) == 3:  # noqa: PLR2004
        return None
    digits = len(third)
    days = {"dmy": Day(three, two, one, digits), "mdy": Day(three, one, two, digits)}
    if digits == _LONG:
        return DateShape(sign.join(("nn", "nn", "YYYY")), days)
    return DateShape(sign.join(("nn", "nn", "nn")), {**days, "ymd": Day(one, two, three, len(first))})


def _digits(digits: str) -> DateShape:
    """Digits without signs: of eight the year has four, and of seven a zero at the beginning is lost."""
    if len(digits) == 6:  # noqa: PLR2004
        one, two, three = (int(digits[at : at + 2]) for at in (0, 2, 4))
        days: dict[Order, Day] = {
            "ymd": Day(one, two, three, 2), "dmy": Day(three, two, one, 2), "mdy": Day(three, one, two, 2),
        }  # fmt: skip
        return DateShape("6 digits", days)
    eight = digits.rjust(8, "0")
    one, two, year = int(eight[:2]), int(eight[2:4]), int(eight[4:])
    days = {"dmy": Day(year, two, one, _LONG), "mdy": Day(year, one, two, _LONG)}
    if len(digits) == len(eight):
        days = {"ymd": Day(int(eight[:4]), int(eight[4:6]), int(eight[6:]), _LONG), **days}
    return DateShape("8 digits", days)
