"""Columns of dates come out in one form, whatever notation they have, and what is doubtful is said."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.forms.date_columns import date_column, year_column
from unveil.forms.dates import First
from unveil.records import Column

DAYS = [dt.date(1931, 1, 9) + dt.timedelta(days=199 * number) for number in range(120)]
NOTATIONS: dict[str, Callable[[dt.date], str]] = {
    "DD.MM.YYYY": lambda day: day.strftime("%d.%m.%Y"),
    "D.M.YYYY": lambda day: f"{day.day}.{day.month}.{day.year}",
    "DD/MM/YYYY": lambda day: day.strftime("%d/%m/%Y"),
    "MM/DD/YYYY": lambda day: day.strftime("%m/%d/%Y"),
    "M/D/YYYY and a time": lambda day: f"{day.month}/{day.day}/{day.year} 0:00:00",
    "DD-MM-YYYY": lambda day: day.strftime("%d-%m-%Y"),
    "YYYY-MM-DD": lambda day: day.isoformat(),
    "YYYY-MM-DDTHH:MM": lambda day: f"{day.isoformat()}T00:00:00Z",
    "YYYY/MM/DD": lambda day: day.strftime("%Y/%m/%d"),
    "YYYY-DD-MM": lambda day: day.strftime("%Y-%d-%m"),
    "YYYYMMDD": lambda day: day.strftime("%Y%m%d"),
    "DDMMYYYY": lambda day: day.strftime("%d%m%Y"),
    "MMDDYYYY": lambda day: day.strftime("%m%d%Y"),
    "DDMMYYYY without its first zero": lambda day: day.strftime("%d%m%Y").lstrip("0"),
    "DD.MM.YY": lambda day: day.strftime("%d.%m.%y"),
    "MM/DD/YY": lambda day: day.strftime("%m/%d/%y"),
    "YY-MM-DD": lambda day: day.strftime("%y-%m-%d"),
    "YYMMDD": lambda day: day.strftime("%y%m%d"),
    "DDMMYY": lambda day: day.strftime("%d%m%y"),
    "DD Mon YYYY": lambda day: day.strftime("%d %b %Y"),
    "a spreadsheet's number of days": lambda day: str((day - dt.date(1899, 12, 30)).days),
}


def read(texts: list[str], first: First | None = None) -> tuple[list[str], list[str]]:
    """The dates that come out, and the warnings."""
    formed = date_column(Column.of(texts), two_digit_years=30, first=first)
    return formed.column.values(), [one.in_rows(range(1, 1000)) for one in formed.findings if one.is_warning]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_notation_comes_out_in_one_form(notation: str) -> None:
    """Two owners write the same day differently, and their encodings must agree."""
    texts = [NOTATIONS[notation](day) for day in DAYS]
    dates, warnings = read(texts)
    assert [day.isoformat() for day in DAYS] == dates
    has_short_years = notation.replace("YYYY", "").count("YY") == 1
    assert has_short_years == any("years of two digits" in warning for warning in warnings)
    assert has_short_years == bool(warnings)


@given(
    st.lists(st.dates(dt.date(1931, 1, 1), dt.date(2029, 12, 31)), min_size=1),
    st.sampled_from(["%d.%m.%Y", "%Y-%m-%d"]),
)
def test_what_has_its_form_keeps_it(days: list[dt.date], notation: str) -> None:
    """Reading twice changes nothing, and signs that leave no doubt need no other dates."""
    once, _ = read([day.strftime(notation) for day in days])
    assert [day.isoformat() for day in days] == once == read(once)[0]


def test_several_notations_in_one_column_are_told_apart() -> None:
    """Registers that were joined have both."""
    dates, warnings = read(["09.01.1944", "1944-01-09", "28.02.1951", "19440109", "9 January 1944"])
    assert (["1944-01-09", "1944-01-09", "1951-02-28", "1944-01-09", "1944-01-09"], []) == (dates, warnings)


@pytest.mark.parametrize(("first", "expected"), [("day", "1944-02-01"), ("month", "1944-01-02"), (None, "1944-02-01")])
def test_dates_that_do_not_tell_are_read_as_somebody_says(first: First | None, expected: str) -> None:
    """And warned of, where nobody says anything."""
    dates, warnings = read(["01/02/1944", "03/04/1950"], first)
    assert expected == dates[0]
    assert (first is None) == any("say --dates day-first or month-first" in warning for warning in warnings)


def test_days_and_months_that_a_program_exchanged_are_noticed() -> None:
    """A spreadsheet reads 09.01. as the first of September where it can, and leaves what is after the twelfth."""
    spoilt = [
        f"{day.year}-{day.day:02d}-{day.month:02d}" if day.day <= 12 else day.strftime("%d.%m.%Y") for day in DAYS
    ]
    _, warnings = read(spoilt)
    assert any("hardly any is after the 12th" in warning and "YYYY-MM-DD" in warning for warning in warnings)


def test_dates_of_the_other_order_among_most_are_read_and_warned_of() -> None:
    """31/12 can only be a day first; what could be either is read as most are."""
    texts = [day.strftime("%m/%d/%Y") for day in DAYS] + [f"2{number}/12/1950" for number in range(5)]
    dates, warnings = read(texts)
    assert [f"1950-12-2{number}" for number in range(5)] == dates[-5:]
    assert any("make no sense as MM/DD/YYYY" in warning for warning in warnings)


def test_what_cannot_be_read_is_counted_and_named_by_row() -> None:
    """And never by value."""
    dates, warnings = read(["09.01.1944", "unbekannt", "", "44.44.1944", "31.12.9999", "28.02.1951"])
    assert ["1944-01-09", "", "", "", "", "1951-02-28"] == dates
    assert ["cannot be read as dates and count as missing: 3 values (rows 2, 4, 5)"] == warnings


def test_a_year_alone_is_kept_and_a_day_that_is_none_is_said() -> None:
    """Registers write 00.00. for what they do not know."""
    dates, warnings = read(["00.00.1944", "1951", "31.02.1960", "28.12.1970"])
    assert ["1944", "1951", "1960-02-31", "1970-12-28"] == dates
    assert ["no day of the calendar: 1 date (row 3)"] == warnings


def test_years_of_two_digits_follow_the_rule() -> None:
    """It is said, and the schema may move it."""
    assert ["1930-05-13", "2029-05-13"] == read(["13.05.30", "13.05.29"])[0]
    formed = date_column(Column.of(["13.05.30", "13.05.20"]), two_digit_years=15)
    assert ["1930-05-13", "1920-05-13"] == formed.column.values()


def test_a_column_of_years_takes_dates_too() -> None:
    """One register has the year of birth, the other the day."""
    formed = year_column(Column.of(["1944", "09.01.1951", "60", "x"]), two_digit_years=30)
    assert ["1944", "1951", "1960", ""] == formed.column.values()


def test_numbers_among_dates_are_no_days_of_a_spreadsheet() -> None:
    """Only where a column has them throughout."""
    assert "" == read([*(day.isoformat() for day in DAYS), "16080"])[0][-1]
