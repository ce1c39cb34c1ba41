"""Dates of birth and streets of the clinic layout, and the mistakes in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.qgrams import tokenise
from unveil.lab.synthetic import generate
from unveil.lab.synthetic.clinic.dates import birthdays, exists, written, wrong
from unveil.lab.synthetic.clinic.streets import NUMBERS, misnumbered, streets
from unveil.lab.synthetic.people import People, settle
from unveil.schema import built_in

SWAPPED, DIGIT, JANUARY, YEAR, OTHER = range(5)
DATES = st.dates(date(1921, 1, 1), date(2003, 12, 31))


def number(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


@pytest.fixture(scope="module")
def people() -> People:
    return settle(20_000, structure=np.random.default_rng(1), naming=np.random.default_rng(2))


@given(DATES, st.integers(SWAPPED, OTHER), st.integers(0, 2**32))
def test_wrong_date_is_always_another_date_of_the_calendar(day: date, kind: int, seed: int) -> None:
    """The design counts on the dates being unequal, and a form refuses the 31st of June."""
    found = wrong(np.array([number(day)]), np.array([kind]), np.random.default_rng(seed))
    assert day != date.fromisoformat(written(found)[0])
    assert 1921 <= found[0] // 10_000 <= 2003


@pytest.mark.parametrize(
    ("day", "kind", "expected"),
    [
        (19840512, SWAPPED, {19841205}),
        (19840512, JANUARY, {19840101}),
        (19840512, YEAR, {19830512, 19850512}),
        (20031231, YEAR, {20021231}),
    ],
)
def test_wrong_date_is_of_its_kind(day: int, kind: int, expected: set[int]) -> None:
    """Models learn the kinds, so each must be what its rate says."""
    many = np.full(200, day)
    assert expected == set(wrong(many, np.full(200, kind), np.random.default_rng(3)).tolist())


@pytest.mark.parametrize(
    ("day", "kind"),
    [(19840512, DIGIT), (19840525, SWAPPED), (19840505, SWAPPED), (19840101, JANUARY), (19840229, YEAR)],
)
def test_one_digit_is_wrong_where_the_kind_gives_no_other_date(day: int, kind: int) -> None:
    """25 is no month, and the 29th of February has no neighbour."""
    found = wrong(np.full(300, day), np.full(300, kind), np.random.default_rng(4))
    changed = {sum(a != b for a, b in zip(str(day), str(other), strict=True)) for other in found.tolist()}
    assert {1} == changed


def test_calendar_knows_its_months_and_leap_years() -> None:
    """Checked against the calendar of the standard library, day by day."""
    expected = {
        number(date.fromordinal(day)) for day in range(date(1921, 1, 1).toordinal(), date(2004, 1, 1).toordinal())
    }
    every = np.array([y * 10_000 + m * 100 + d for y in range(1919, 2006) for m in range(14) for d in range(33)])
    assert expected == set(every[exists(every)].tolist())


def test_birthdays_are_spread_over_the_year_and_keep_its_people(people: People) -> None:
    """A date agrees by chance about once in 365 people of one year."""
    dates = birthdays(people, 0.0, np.random.default_rng(5))
    assert people.year.tolist() == (dates // 10_000).tolist()
    assert exists(dates).all()
    days = Counter((dates % 10_000).tolist())
    assert 366 == len(days)
    assert max(days.values()) < 2 * len(dates) / 365


def test_first_of_january_stands_for_unknown_dates(people: People) -> None:
    """Registers are full of it."""
    dates = birthdays(people, 0.05, np.random.default_rng(6))
    assert 0.053 == pytest.approx(float((dates % 10_000 == 101).mean()), abs=0.01)


def test_twins_share_their_birthday_and_couples_do_not(people: People) -> None:
    """Twins at one address are the hardest non-matches: first name and sex alone tell them apart."""
    dates = birthdays(people, 0.0, np.random.default_rng(7))
    together = defaultdict(list)
    for person, key in enumerate(zip(people.household.tolist(), people.year.tolist(), strict=True)):
        together[key].append(person)
    same: dict[bool, list[bool]] = {True: [], False: []}
    for group in together.values():
        if len(group) == 2:
            same[bool(people.child[group].all())].append(bool(dates[group[0]] == dates[group[1]]))
    assert len(same[True]) > 10
    assert all(same[True])
    assert len(same[False]) > 100
    assert np.mean(same[False]) < 0.02


@given(st.integers(0, 2_399), st.integers(1, NUMBERS - 1), st.integers(0, 2**32))
def test_wrong_house_number_differs_in_one_digit_of_the_same_street(street: int, house: int, seed: int) -> None:
    """The street stays, the number keeps its length."""
    found = int(misnumbered(np.array([street * NUMBERS + house]), np.random.default_rng(seed))[0])
    assert street == found // NUMBERS
    assert 1 == sum(a != b for a, b in zip(str(house), str(found % NUMBERS), strict=True))


def test_streets_are_written_in_full_or_short_with_or_without_number() -> None:
    """The four ways in which registers write one address."""
    table = streets()
    home = np.full(4, 7 * NUMBERS + 12)
    short, numbered = np.array([0, 1, 0, 1], dtype=bool), np.array([0, 0, 1, 1], dtype=bool)
    full, brief = table.full[7], table.short[7]
    assert [full, brief, f"12 {full}", f"12 {brief}"] == table.written(home, short=short, numbered=numbered).tolist()
    assert len(full) > len(brief)
    assert 2_400 == len(set(table.full)) == len(set(table.short))


def test_every_kind_of_difference_occurs_in_streets() -> None:
    """Moves, abbreviations, missing numbers, typing mistakes in name and number."""
    population = generate(records=4000, overlap=1.0, seed=8, layout="clinic")
    kinds: Counter[str] = Counter()
    for left, right in population.truth.tolist():
        one, two = population.a.columns["street"][left], population.b.columns["street"][right]
        if one == two:
            continue
        words_one, words_two = one.split(" "), two.split(" ")
        if len(words_one) != len(words_two):
            kinds["number missing"] += 1
        else:
            places = [place for place, pair in enumerate(zip(words_one, words_two, strict=True)) if pair[0] != pair[1]]
            kinds[str([place - len(words_one) for place in places])] += 1
    assert {"number missing", "[-1]", "[-2]", "[-3]"} <= set(kinds)
    assert kinds["[-1]"] > kinds["[-2]"] > kinds["[-3]"] > 20


def test_hash_positions_of_the_clinic_schema_fill_the_filters_as_they_should() -> None:
    """The schema's h are said to be chosen so; a changed generator or schema must not part them."""
    schema = built_in("clinic")
    records = generate(records=5000, seed=9, layout="clinic", errors=0).a
    total = 0.0
    for index, attribute in enumerate(schema.attributes):
        column = records.columns[attribute.name]
        counts = tokenise(column.distinct, attribute, index).counts[column.codes]
        total += float(counts.mean())
        assert attribute.h == pytest.approx(256 * np.log(1 / 0.6) / counts[counts > 0].mean(), abs=0.6)
    assert schema.layer_r.h == pytest.approx(2048 * np.log(2) / total, abs=0.5)
