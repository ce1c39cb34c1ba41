"""
Reading dates in whichever notation they are written: 1984-05-12, 12.05.1984, 5/12/84, 19840512, 12 May 1984.

Which number is the day and which the month is not always to be told from one date. Nothing here has to know: day and
month stay an unordered pair, so the same day agrees whoever wrote it, and so do two days that are mirror images.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

#: What a person says comes first, where a column does not tell.
First = Literal["day", "month", "year"]

_CENTURIES: Final = ("18", "19", "20")
_MONTHS, _DAYS = 12, 31
_TIME: Final = r"(?:[T ]\d{1,2}:.*|[T ]0+)?\Z"
_APART: Final = re.compile(r"(\d{1,4})[-./ ]+(\d{1,2})[-./ ]+(\d{1,4})" + _TIME)
_TOGETHER: Final = re.compile(r"(\d{8})(?:\d{6})?\Z")
_SHORT: Final = re.compile(r"(\d{2})(\d{2})(\d{2})\Z")
_YEAR: Final = re.compile(r"(?:18|19|20)?\d{2}\Z")
_NAMED: Final = re.compile(r"(?:(\d{1,2})[\s.\-/]*)?([^\W\d_]{3,14})[\s.,\-/]*(?:(\d{1,2}),? )?(\d{4}|\d{2})" + _TIME)
#: Behind the number of a day: 12th of May, 1er mai, 12º.
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|o|a|°)(?![^\W\d_])")
#: Before a date, with a comma behind it.
_WEEKDAY: Final = re.compile(r"[^\W\d_]{2,14}\.?,\s*(?=\d|[^\W\d_]{3,14}\.?\s+\d)")
_BETWEEN: Final = re.compile(r" (?:de|of|del|di) ")
#: How names of months begin, without accents, in English, German, French, Spanish, Portuguese, Italian, Dutch, the
#: languages of the north, Polish, Czech, Hungarian, Romanian and Turkish; longer beginnings first.
# fmt: off
_NAMES: Final = (
    ("stycz", 1), ("tammi", 1), ("ledn", 1), ("lede", 1), ("ianu", 1), ("ocak", 1),
    ("helmi", 2), ("subat", 2), ("luty", 2), ("lute", 2), ("unor", 2),
    ("maart", 3), ("maalis", 3), ("marzec", 3), ("marc", 3), ("brez", 3), ("maer", 3),
    ("huhti", 4), ("kwie", 4), ("dub", 4), ("nisan", 4),
    ("touko", 5), ("kvet", 5),
    ("juin", 6), ("kesa", 6), ("czerw", 6), ("cervn", 6), ("cerven", 6), ("iun", 6), ("haz", 6),
    ("cervenc", 7), ("juil", 7), ("heina", 7), ("lipi", 7), ("lipc", 7), ("iul", 7), ("tem", 7),
    ("aout", 8), ("agosto", 8), ("agustos", 8), ("elo", 8), ("sierp", 8), ("srpn", 8), ("srpen", 8),
    ("syys", 9), ("wrz", 9), ("zari", 9), ("sze", 9), ("eyl", 9),
    ("loka", 10), ("pazd", 10), ("rij", 10), ("eki", 10),
    ("marras", 11), ("list", 11), ("noie", 11), ("kas", 11),
    ("joulu", 12), ("grud", 12), ("pros", 12), ("aral", 12),
    ("jan", 1), ("ene", 1), ("gen", 1), ("feb", 2), ("fev", 2), ("mar", 3), ("mrt", 3), ("maa", 3),
    ("apr", 4), ("avr", 4), ("abr", 4), ("may", 5), ("mai", 5), ("maj", 5), ("mei", 5), ("mag", 5), ("jun", 6),
    ("giu", 6), ("jul", 7), ("lug", 7), ("aug", 8), ("ago", 8), ("avg", 8), ("sep", 9), ("set", 9), ("oct", 10),
    ("okt", 10), ("out", 10), ("ott", 10), ("nov", 11), ("dec", 12), ("dez", 12), ("des", 12), ("dic", 12),
)
# fmt: on
_BY_LENGTH: Final = sorted(_NAMES, key=lambda one: -len(one[0]))


@dataclass(frozen=True, slots=True, repr=False)
class DateParts:
    """The year as it is written, in two or four digits, and the two other numbers in their order; None if not there."""

    year: str
    others: tuple[int, int] | None = None
    year_first: bool = False

    @property
    def is_date(self) -> bool:
        """Whether a day of the calendar may be meant."""
        return self.others is not None and 1 <= min(self.others) <= _MONTHS and 1 <= max(self.others) <= _DAYS

    def __repr__(self) -> str:
        return f"DateParts(<{len(self.year)} digits of a year>)"


def date_parts(text: str) -> DateParts | None:
    """The parts of a date, or of a year alone, in any usual notation; None where it is neither."""
    text = text.strip()
    if _YEAR.match(text):
        return DateParts(text)
    if apart := _APART.match(text):
        return _from_apart(*apart.groups())
    if together := _TOGETHER.match(text):
        return _from_eight(together[1])
    if short := _SHORT.match(text):
        first, second, third = short.groups()
        as_year_first = DateParts(first, (int(second), int(third)), year_first=True)
        return as_year_first if as_year_first.is_date else DateParts(third, (int(first), int(second)))
    return _from_named(text.casefold())


def year_of(text: str) -> str:
    """The year without its century, so that 1984 and 84 agree; empty if there is none."""
    parts = date_parts(text)
    return parts.year[-2:] if parts else ""


def day_and_month_of(text: str) -> str:
    """Day and month, the smaller first, so that 12.5. and 5/12 agree; empty if there is no such."""
    parts = date_parts(text)
    return "{:02d}{:02d}".format(*sorted(parts.others)) if parts and parts.others else ""


def exchanged(text: str) -> str:
    """The same date with day and month exchanged, written as it was; as it is where they cannot be told."""
    if apart := _APART.match(text):
        first, second, third = (apart.span(group) for group in (1, 2, 3))
        one, two = (second, third) if _is_year(apart[1]) else (first, second)
        return text[: one[0]] + text[slice(*two)] + text[one[1] : two[0]] + text[slice(*one)] + text[two[1] :]
    parts = _from_eight(text[:8]) if _TOGETHER.match(text) else None
    if parts:
        at = 4 if parts.year_first else 0
        return text[:at] + text[at + 2 : at + 4] + text[at : at + 2] + text[at + 4 :]
    return text


def order_of(texts: Iterable[str]) -> str | None:
    """In which order most of these dates are written, in words; None where there are none."""
    dates = [parts for text in texts if (parts := date_parts(text)) and parts.is_date]
    if not dates:
        return None
    if 2 * sum(date.year_first for date in dates) > len(dates):
        return "year first"
    beyond = [sum(date.others[at] > _MONTHS for date in dates if date.others) for at in (0, 1)]
    if beyond[0] == beyond[1]:
        return "year last"
    return "day first" if beyond[0] > beyond[1] else "month first"


def _from_apart(first: str, second: str, third: str) -> DateParts | None:
    if _is_year(first):
        is_day = len(third) <= 2  # noqa: PLR2004 - digits
        return DateParts(first, (int(second), int(third)), year_first=True) if is_day else None
    if len(first) > 2 or len(third) not in {2, 4}:  # noqa: PLR2004 - digits of a day, of a year
        return None
    return DateParts(third, (int(first), int(second)))


def _is_year(digits: str) -> bool:
    """Whether the first number of a date must be its year: by its length, or because no month has so many days."""
    return len(digits) == 4 or (len(digits) == 2 and int(digits) > _DAYS)  # noqa: PLR2004 - digits of a year


def _from_eight(digits: str) -> DateParts | None:
    year_last = DateParts(digits[4:], (int(digits[:2]), int(digits[2:4])))
    # No month is the 18th or later, so what follows 19840512 cannot be taken for a century.
    if digits[4:].startswith(_CENTURIES) and year_last.is_date:
        return year_last
    if digits.startswith(_CENTURIES):
        return DateParts(digits[:4], (int(digits[4:6]), int(digits[6:])), year_first=True)
    return None


def month_named(text: str) -> tuple[int, int, str] | None:
    """Day, month and the digits of the year in a text of small letters whose month is a word; None if it is none."""
    letters = unicodedata.normalize("NFKD", text.replace("\u0131", "i"))
    plain = _ORDINAL.sub("", _WEEKDAY.sub("", "".join(one for one in letters if not unicodedata.combining(one)), 1))
    named = _NAMED.match(_BETWEEN.sub(" ", _BETWEEN.sub(" ", plain)))
    if named is None:
        return None
    before, name, after, year = named.groups()
    month = next((number for beginning, number in _BY_LENGTH if name.startswith(beginning)), None)
    day = before or after
    return (int(day), month, year) if month and day and not (before and after) else None


def _from_named(text: str) -> DateParts | None:
    named = month_named(text)
    return DateParts(named[2], (named[0], named[1])) if named else None
