"""The clinic layout: the same guarantees as the voter layout, on other attributes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.errors import SettingError
from unveil.lab.synthetic import ClinicRates, Rates, Registers, generate, write
from unveil.records import Records
from unveil.schema import built_in

COUNTED = (("first_name",), ("last_name",), ("date_of_birth",), ("sex",), ("street", "city"))
STILL = ClinicRates(
    marriage=0, move=0, street=0, first_name=0, last_name=0, date_of_birth=0, sex=0, unequal_from_one=None
)


def rows(records: Records) -> list[tuple[str, ...]]:
    return list(zip(*(column.values() for column in records.columns.values()), strict=True))


def differ(population: Registers, names: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each true pair, whether any of these attributes differs; from the values alone."""
    found = np.zeros(len(population.truth), dtype=bool)
    for name in names:
        left, right = (
            np.array(source.columns[name].values(), dtype=object)[population.truth[:, side]]
            for side, source in enumerate((population.a, population.b))
        )
        found |= left != right
    return found


def unequal_attributes(population: Registers) -> list[int]:
    return np.sum([differ(population, names) for names in COUNTED], axis=0).tolist()


@settings(max_examples=25, deadline=None)
@given(
    records=st.integers(1, 150),
    overlap=st.floats(0, 1),
    errors=st.integers(0, 2),
    seed=st.integers(0, 2**32),
)
def test_design_holds_for_clinics_of_every_size_overlap_and_seed(
    records: int, overlap: float, errors: int, seed: int
) -> None:
    """Evaluations rely on it: sizes, one-to-one truth, enough unequal attributes, no entry twice."""
    population = generate(records=records, overlap=overlap, errors=errors, seed=seed, layout="clinic")
    shared = round(overlap * records)
    assert (records, records) == (len(population.a), len(population.b))
    assert (shared, 2) == population.truth.shape
    for side in (0, 1):
        assert shared == len(set(population.truth[:, side].tolist()))
    assert all(count >= errors for count in unequal_attributes(population))
    entries_a, entries_b = rows(population.a), rows(population.b)
    assert records == len(set(entries_a)) == len(set(entries_b))
    pairs = {tuple(pair) for pair in population.truth.tolist()}
    where_b = {entry: row for row, entry in enumerate(entries_b)}
    same = {(row, where_b[entry]) for row, entry in enumerate(entries_a) if entry in where_b}
    assert same <= (pairs if errors == 0 else set())


def test_same_seed_gives_the_same_clinics(tmp_path: Path) -> None:
    """A result can be repeated by anyone who knows the arguments, and other seeds give other people."""
    for name, seed in (("one", 1), ("two", 1), ("other", 2)):
        write(generate(records=300, seed=seed, layout="clinic"), tmp_path / name)
    for file in ("a.csv", "b.csv", "truth.csv"):
        one, two, other = ((tmp_path / name / file).read_bytes() for name in ("one", "two", "other"))
        assert one == two
        assert one != other


def test_columns_are_those_of_the_clinic_schema() -> None:
    """The generated files load with the built-in schema and have no column that the voter layout alone has."""
    population = generate(records=5, layout="clinic")
    expected = ("first_name", "last_name", "date_of_birth", "sex", "street", "city")
    assert expected == built_in("clinic").names == tuple(population.a.columns) == tuple(population.b.columns)


@pytest.mark.parametrize("errors", [0, 1, 2])
def test_dates_and_sexes_differ_at_their_share_whatever_the_errors_asked_for(errors: int) -> None:
    """Two unequal attributes are no reason for a wrong date of birth, on which blocking rests."""
    population = generate(records=20_000, overlap=1.0, errors=errors, seed=4, layout="clinic")
    assert 0.02 == pytest.approx(differ(population, ("date_of_birth",)).mean(), abs=0.004)
    assert 0.01 == pytest.approx(differ(population, ("sex",)).mean(), abs=0.003)


@pytest.mark.parametrize(("errors", "shares"), [(1, (0.72, 0.25, 0.028)), (2, (0.0, 0.90, 0.095))])
def test_numbers_of_unequal_attributes_follow_the_rates_of_the_clinic(errors: int, shares: tuple[float, ...]) -> None:
    """The mix of easy and hard pairs is set, not left to chance."""
    counts = Counter(unequal_attributes(generate(records=4000, overlap=1.0, errors=errors, seed=7, layout="clinic")))
    for number, share in enumerate(shares, start=1):
        assert share == pytest.approx(counts[number] / 4000, abs=0.03)


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"move": 0.5}, {"street", "city"}),
        ({"street": 0.5}, {"street"}),
        ({"date_of_birth": 1.0}, {"date_of_birth"}),
        ({"sex": 1.0}, {"sex"}),
        ({"first_name": 0.5}, {"first_name"}),
        ({"marriage": 0.5, "marriage_move": 0.0}, {"last_name"}),
    ],
)
def test_rate_of_one_event_shows_in_its_attribute_of_the_clinic_alone(
    changed: dict[str, float], names: set[str]
) -> None:
    """Each rate can be set by itself."""
    still = {name: getattr(STILL, name) for name in ("marriage", "move", "street", "first_name", "last_name")}
    rates = ClinicRates(**{**still, "date_of_birth": 0, "sex": 0, **changed}, unequal_from_one=None)
    population = generate(records=200, overlap=1.0, errors=1, seed=10, rates=rates, layout="clinic")
    assert names == {name for name in population.a.columns if differ(population, (name,)).any()}
    assert {1} == set(unequal_attributes(population))


def test_members_of_a_household_live_in_one_street_and_move_together() -> None:
    """Relatives at one address are the non-matches that resemble matches."""
    population = generate(records=6000, overlap=0.2, seed=11, layout="clinic")
    partner = dict(population.truth.tolist())

    def homes(records: Records, shift: int) -> list[tuple[str, ...]]:
        columns = records.columns
        return [
            (columns["last_name"][row], columns["street"][(row + shift) % len(records)]) for row in range(len(records))
        ]

    def relatives(shift: int) -> int:
        at_home: dict[tuple[str, ...], list[int]] = {}
        for row, home in enumerate(homes(population.b, shift)):
            at_home.setdefault(home, []).append(row)
        return sum(
            partner.get(row) != other
            for row, home in enumerate(homes(population.a, 0))
            for other in at_home.get(home, ())
        )

    assert relatives(0) > 20 * relatives(1)
    assert relatives(0) > 100


def test_sex_is_known_and_right_for_nearly_everyone() -> None:
    """Half are women, few have none."""
    sexes = Counter(generate(records=10_000, seed=12, layout="clinic").a.columns["sex"].values())
    assert {"F", "M", ""} == set(sexes)
    assert 0.5 == pytest.approx(sexes["F"] / 10_000, abs=0.03)
    assert 0 < sexes[""] < 100


def test_rates_of_another_layout_are_refused() -> None:
    """They would be ignored in part."""
    with pytest.raises(SettingError, match="not those of the layout clinic") as caught:
        generate(records=10, layout="clinic", rates=Rates())
    assert "allowed: ClinicRates" == caught.value.hint
    with pytest.raises(SettingError, match="not those of the layout voter"):
        generate(records=10, rates=ClinicRates())


def test_unknown_layout_is_answered_with_those_there_are() -> None:
    """Whoever mistypes it learns what is allowed."""
    with pytest.raises(SettingError, match="layout") as caught:
        generate(records=10, layout="clinics")
    assert "allowed: voter, clinic" == caught.value.hint


@pytest.mark.parametrize(
    "changed",
    [
        {"street": 1.5},
        {"street_abbreviated": 0.8, "street_typo": 0.8},
        {"date_swapped": 0.8, "date_digit": 0.8},
        {"unequal_from_one": (1.0,)},
    ],
)
def test_rate_of_the_clinic_that_is_no_probability_is_refused(changed: dict[str, object]) -> None:
    """A wrong rate would bend the data silently."""
    with pytest.raises(SettingError, match="rate"):
        ClinicRates(**changed)  # type: ignore[arg-type]


def test_rates_that_contradict_each_other_are_refused() -> None:
    """Everybody differs in something, but only 2 % may differ in the date and nothing else can."""
    rates = ClinicRates(marriage=0, move=0, street=0, first_name=0, last_name=0, unequal_from_one=None)
    with pytest.raises(SettingError, match="cannot all hold"):
        generate(records=10, layout="clinic", rates=rates)
    with pytest.raises(SettingError, match="nobody differs"):
        generate(records=10, layout="clinic", rates=STILL)


def test_nobody_is_asked_to_differ_where_nobody_is_shared() -> None:
    """Without overlap the design is empty, so no rate can break it."""
    assert 0 == len(generate(records=10, overlap=0.0, layout="clinic", rates=STILL).truth)
