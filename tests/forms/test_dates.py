"""Dates are read in whichever notation they are written."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unveil.encoding.blocking_keys import transformed
from unveil.forms.dates import date_parts, day_and_month_of, exchanged, order_of, year_of
from unveil.schema import Attribute

YEAR_FIRST = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%Y-%m-%d 00:00:00", "%Y-%m-%dT00:00:00", "%Y%m%d000000")
YEAR_LAST = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%d%m%Y",
    "%d.%m.%y",
    "%d %B %Y",
    "%B %d, %Y",
    "%d%b%Y",
    "%d-%b-%y",
)
dates = st.dates(dt.date(1880, 1, 1), dt.date(2035, 12, 31))


@example(dt.date(1910, 11, 18), "%d%m%Y")
@example(dt.date(2010, 12, 20), "%Y%m%d")
@given(dates, st.sampled_from(YEAR_FIRST + YEAR_LAST))
def test_the_same_day_agrees_in_every_notation(date: dt.date, notation: str) -> None:
    """So keys find people whose dates two registers write differently."""
    text = date.strftime(notation)
    expected = f"{date.year % 100:02d}", "{:02d}{:02d}".format(*sorted((date.day, date.month)))
    assert expected == (year_of(text), day_and_month_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "12. Mai 1984",
        "12 mai 1984",
        "12 de mayo de 1984",
        "12 maggio 1984",
        "12 mei 1984",
        "5/12/84",
        "840512",
        "120584",
    ],
)
def test_names_of_months_in_several_languages_and_short_forms(text: str) -> None:
    """As registers of these countries have them."""
    assert ("84", "0512") == (year_of(text), day_and_month_of(text))


@pytest.mark.parametrize(("text", "year"), [("1984", "84"), ("84", "84"), (" 2001 ", "01")])
def test_a_year_alone_has_a_year_and_no_day(text: str, year: str) -> None:
    """One register may hold dates and the other years."""
    assert (year, "") == (year_of(text), day_and_month_of(text))


@pytest.mark.parametrize(
    "text", ["", "unknown", "5304218", "12345678", "1-2", "12.13", "3 Main Street 12", "maybe 1984", "1/2/3", "123-4-5"]
)
def test_what_is_no_date_has_no_parts(text: str) -> None:
    """A key of nothing would put strangers into one block."""
    assert ("", "") == (year_of(text), day_and_month_of(text))


@given(st.text(max_size=20))
def test_any_text_is_read_or_not(text: str) -> None:
    """Values of files are anything."""
    parts = date_parts(text)
    assert (parts is None) == (year_of(text) == "")
    assert len(day_and_month_of(text)) in {0, 4}
    assert len(exchanged(text)) == len(text)


@given(dates, st.sampled_from(("%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%y")))
def test_exchanging_day_and_month_twice_changes_nothing(date: dt.date, notation: str) -> None:
    """And once does not change the pair of them."""
    text = date.strftime(notation)
    mirrored = exchanged(text)
    if date.day <= 12 and notation != "%d/%m/%y":
        assert text == exchanged(mirrored)
        assert (date.day == date.month) == (mirrored == text)
    if date.day <= 12:
        assert (year_of(text), day_and_month_of(text)) == (year_of(mirrored), day_and_month_of(mirrored))


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["1984-05-12", "19991231"], "year first"),
        (["12.05.1984", "31.12.1999"], "day first"),
        (["05/12/1984", "12/31/1999"], "month first"),
        (["05/12/1984", "11/11/1999"], "year last"),
        (["unknown", ""], None),
    ],
)
def test_the_order_is_told_from_many_dates(texts: list[str], order: str | None) -> None:
    """One date may be ambiguous; a column seldom is."""
    assert order == order_of(texts)


def test_blocking_fields_take_parts_of_the_date_as_the_file_has_it() -> None:
    """Normalisation to digits would spoil 5/12/84."""
    attribute = Attribute(name="born", normalise=("digits-only",))
    assert "84" == transformed("5/12/84", attribute, "year_of")
    assert "0512" == transformed("12.5.1984", attribute, "day_and_month_of")
    assert "234567" == transformed("+49 (0) 1-234567", attribute, "last6")
