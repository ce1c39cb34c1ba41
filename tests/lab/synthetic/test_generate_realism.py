"""Generated people look like a register: skewed names, households, plausible changes."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from unveil.lab.synthetic import Registers, generate
from unveil.lab.synthetic.names import names
from unveil.lab.synthetic.people import settle
from unveil.lab.synthetic.places import state


@pytest.fixture(scope="module")
def population() -> Registers:
    return generate(records=10_000, overlap=0.2, errors=1, seed=11)


def share_of_top(values: list[str], count: int) -> float:
    present = [value for value in values if value]
    return sum(number for _, number in Counter(present).most_common(count)) / len(present)


@pytest.mark.parametrize(
    ("attribute", "ten", "hundred"),
    [
        ("first_name", 0.106, 0.39),
        ("middle_name", 0.155, 0.50),
        ("last_name", 0.069, 0.22),
        ("city", 0.347, 0.72),
        ("zip", 0.070, 0.46),
    ],
)
def test_values_are_as_skewed_as_in_a_register(
    population: Registers, attribute: str, ten: float, hundred: float
) -> None:
    """Frequency is what attacks on encodings and frequency classes feed on."""
    values = population.a.columns[attribute].values() + population.b.columns[attribute].values()
    assert ten == pytest.approx(share_of_top(values, 10), abs=0.03)
    assert hundred == pytest.approx(share_of_top(values, 100), abs=0.06)


@pytest.mark.parametrize(
    ("attribute", "missing"),
    [("first_name", 0.0), ("middle_name", 0.08), ("last_name", 0.0), ("zip", 0.001), ("place_of_birth", 0.21)],
)
def test_values_are_missing_as_often_as_in_a_register(population: Registers, attribute: str, missing: float) -> None:
    """Missing values are what makes attribute-level evidence uncertain."""
    assert missing == pytest.approx(float(population.a.columns[attribute].missing().mean()), abs=0.02)


@pytest.mark.parametrize(
    ("attributes", "share"),
    [
        (("first_name",), 0.069),
        (("middle_name",), 0.41),
        (("last_name",), 0.27),
        (("place_of_birth",), 0.33),
        (("city", "zip"), 0.325),
    ],
)
def test_attributes_of_shared_people_differ_as_often_as_published(
    population: Registers, attributes: tuple[str, ...], share: float
) -> None:
    """Which attributes can be trusted decides what a model learns."""
    a, b, truth = population.a, population.b, population.truth.tolist()
    differing = [any(a.columns[name][i] != b.columns[name][j] for name in attributes) for i, j in truth]
    assert share == pytest.approx(np.mean(differing), abs=0.045)


def test_everyone_is_an_adult_and_half_are_past_fifty(population: Registers) -> None:
    """The age distribution decides how far blocking on the year of birth splits the data."""
    years = np.array([int(year) for year in population.a.columns["year_of_birth"].values()])
    assert (1921, 2003) == (years.min(), years.max())
    assert 1968 == pytest.approx(float(np.median(years)), abs=2)


def test_members_of_one_household_stand_in_both_registers(population: Registers) -> None:
    """Relatives under one roof are the non-matches that resemble matches; chance alone would give far fewer."""
    a, b = population.a, population.b
    partner = dict(population.truth.tolist())

    def pairs(shift: int) -> list[tuple[int, int]]:
        """Non-matches of one surname and address, after moving each entry of b to the home of another."""
        at_home = defaultdict(list)
        for row in range(len(b)):
            home = (row + shift) % len(b)
            at_home[b.columns["last_name"][row], b.columns["city"][home], b.columns["zip"][home]].append(row)
        found = []
        for row in range(len(a)):
            key = (a.columns["last_name"][row], a.columns["city"][row], a.columns["zip"][row])
            found += [(row, other) for other in at_home.get(key, ()) if partner.get(row) != other]
        return found

    relatives = pairs(0)
    assert len(relatives) > 2 * len(pairs(1)) > 0
    assert any(a.columns["first_name"][left] == b.columns["first_name"][right] for left, right in relatives)


def test_households_hold_twins_and_sons_named_after_their_fathers() -> None:
    """The hardest non-matches: all but one or two attributes agree."""
    people = settle(40_000, structure=np.random.default_rng(1), naming=np.random.default_rng(2))
    members = defaultdict(list)
    for person, household in enumerate(people.household.tolist()):
        members[household].append(person)
    twins = namesakes = 0
    for group in members.values():
        for place, one in enumerate(group):
            for other in group[place + 1 :]:
                related = people.last[one] == people.last[other]
                apart = abs(int(people.year[one]) - int(people.year[other]))
                twins += related and apart == 0 and people.maiden[one] == people.maiden[other]
                namesakes += related and apart > 15 and people.first[one] == people.first[other]
    assert twins > 10
    assert namesakes > 50


def test_first_names_belong_to_their_generation() -> None:
    """Names that come and go make first name and year of birth dependent, as they are in life."""
    table = names()
    rng = np.random.default_rng(3)
    count = 20_000
    female = np.zeros(count, dtype=np.int8)
    old = Counter(table.words[table.draw_given(female, np.full(count, 1932, dtype=np.int16), rng)])
    young = Counter(table.words[table.draw_given(female, np.full(count, 1996, dtype=np.int16), rng)])
    assert old["SHIRLEY"] > 5 * young["SHIRLEY"] > 0
    assert young["ASHLEY"] > 5 * old["ASHLEY"]


def test_towns_keep_their_codes_and_areas_their_prefix() -> None:
    """A ZIP code that contradicts its town would be a clue no real register gives."""
    place = state()
    assert len(set(place.town)) > 700
    for area in set(place.area_of.tolist()):
        assert 1 == len({code[:3] for code in place.code[place.area_of == area]})
    assert all(len(code) == 5 and code.isdigit() for code in place.code)
    towns_per_code = Counter(code for _, code in {(t, c) for t, c in zip(place.town, place.code, strict=True)})
    assert 3 >= max(towns_per_code.values())


def test_movers_within_a_group_stay_in_it() -> None:
    """Moves inside a town or an area must not leave it."""
    place = state()
    wanted = place.area_of[place.draw(5000, np.random.default_rng(4))]
    found = place.draw_within(place.area_of, wanted, np.random.default_rng(5))
    assert wanted.tolist() == place.area_of[found].tolist()


def test_values_are_upper_case_as_in_registers(population: Registers) -> None:
    """The format promises it, and normalisation is tested elsewhere."""
    for column in population.a.columns.values():
        assert all(value == value.upper() == value.strip() for value in column.distinct)
