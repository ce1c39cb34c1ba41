"""Days that programs write as numbers, in words of other languages, and as midnights elsewhere."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.forms.date_columns import date_column
from unveil.forms.dates import month_named
from unveil.records import Column

days = st.lists(st.dates(date(1900, 1, 1), date(2024, 12, 31)), min_size=12, max_size=40, unique=True)


def read(values: list[str]) -> tuple[list[str], list[str]]:
    """The column in its one form, and what is warned of."""
    found = date_column(Column.of(values), two_digit_years=30)
    return found.column.values(), [one.sentence for one in found.findings if one.is_warning]


@given(days, st.sampled_from([1, 1000]), st.integers(-11, 11))
def test_moments_are_the_days_on_which_somebody_saw_midnight(some: list[date], unit: int, hours: int) -> None:
    """In seconds or milliseconds since 1970, in every time zone of whole hours."""
    moments = [datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=hours) for day in some]
    values, warned = read([str(int(moment.timestamp()) * unit) for moment in moments])
    assert [str(day) for day in some] == values
    assert [] == warned


@given(days)
def test_midnight_in_the_evening_before_is_the_day_after(some: list[date]) -> None:
    """Programs east of Greenwich write it so, for days of birth as for any other."""
    written = [f"{day - timedelta(days=1)}T{22 + day.month % 2}:00:00.000Z" for day in some]
    assert [str(day) for day in some] == read(written)[0]


def test_days_below_zero_are_from_a_day_that_nobody_knows() -> None:
    """Since 1970 or since 1960; a spreadsheet's would be ten years off, without a word."""
    values, warned = read([str(number * 300) for number in range(-20, 40)])
    assert {""} == set(values)
    assert "numbers below zero count days from a day that the column does not tell" in warned[0]


def test_days_that_make_everybody_old_are_warned_of() -> None:
    """Children's days since 1970 look like those of a spreadsheet."""
    numbers = [str(13_000 + 90 * at) for at in range(50)]
    assert any("nobody is born after 1955" in sentence for sentence in read(numbers)[1])
    assert [] == read([str(30_000 + 90 * at) for at in range(50)])[1]


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("saturday, 12 may 1984", 5), ("sat, may 12 1984", 5), ("12th of may 1984", 5), ("12º de mayo de 1984", 5),
        ("12 mayıs 1984", 5), ("12 maja 1984", 5), ("12-maj-1984", 5), ("12 lipca 1984", 7), ("12. července 1984", 7),
        ("12. června 1984", 6), ("12 października 1984", 10), ("12 marraskuuta 1984", 11), ("12 szeptember 1984", 9),
        ("12 août 1984", 8), ("12 ağustos 1984", 8), ("12 des. 1984", 12), ("12 março 1984", 3), ("12 märz 1984", 3),
    ],
)  # fmt: skip
def test_months_are_read_in_many_languages(text: str, month: int) -> None:
    """Whatever stands around their names."""
    assert (12, month, "1984") == month_named(text)


def test_years_to_come_are_warned_of() -> None:
    """Years of two digits become such in databases."""
    assert any("years after 2035" in sentence for sentence in read(["2044-01-09", "1984-05-12"])[1])
