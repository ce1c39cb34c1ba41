"""The design of a generated population: sizes, truth, how shared people differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.errors import SettingError
from unveil.lab.synthetic import Rates, Registers, generate
from unveil.records import Records
from unveil.schema import built_in

COUNTED = (("first_name",), ("middle_name",), ("last_name",), ("place_of_birth",), ("city", "zip"))


def rows(records: Records) -> list[tuple[str, ...]]:
    return list(zip(*(column.values() for column in records.columns.values()), strict=True))


def unequal_attributes(population: Registers) -> list[int]:
    """For each true pair, how many counted attributes differ; counted here from the values alone."""
    counts = []
    for left, right in population.truth.tolist():
        differing = (
            any(population.a.columns[name][left] != population.b.columns[name][right] for name in names)
            for names in COUNTED
        )
        counts.append(sum(differing))
    return counts


@settings(max_examples=25, deadline=None)
@given(
    records=st.integers(1, 150),
    overlap=st.floats(0, 1),
    errors=st.integers(0, 2),
    seed=st.integers(0, 2**32),
)
def test_design_holds_for_every_size_overlap_and_seed(records: int, overlap: float, errors: int, seed: int) -> None:
    """Evaluations rely on it: sizes, one-to-one truth, enough unequal attributes, no entry twice."""
    population = generate(records=records, overlap=overlap, errors=errors, seed=seed)
    shared = round(overlap * records)
    assert (records, records) == (len(population.a), len(population.b))
    assert (shared, 2) == population.truth.shape
    assert np.int64 == population.truth.dtype
    for side in (0, 1):
        assert shared == len(set(population.truth[:, side].tolist()))
        assert set(population.truth[:, side].tolist()) <= set(range(records))
    assert all(count >= errors for count in unequal_attributes(population))
    entries_a, entries_b = rows(population.a), rows(population.b)
    assert records == len(set(entries_a)) == len(set(entries_b))
    pairs = {tuple(pair) for pair in population.truth.tolist()}
    where_b = {entry: row for row, entry in enumerate(entries_b)}
    same = {(row, where_b[entry]) for row, entry in enumerate(entries_a) if entry in where_b}
    assert same <= (pairs if errors == 0 else set())


def test_ids_are_unique_and_as_wide_as_the_largest() -> None:
    """Ids of equal length sort as they count; they start over with each source."""
    population = generate(records=12, seed=3)
    assert [f"a{row:05d}" for row in range(12)] == list(population.a.ids)
    assert [f"b{row:05d}" for row in range(12)] == list(population.b.ids)


def test_rows_say_nothing_about_the_truth() -> None:
    """Were shared people listed first or in the same order, a linkage could cheat."""
    truth = generate(records=2000, overlap=0.5, seed=4).truth
    assert 900 < truth[:, 0].mean() < 1100
    assert 900 < truth[:, 1].mean() < 1100
    assert abs(float(np.asarray(np.corrcoef(truth.T))[0, 1])) < 0.15


def test_year_of_birth_never_differs_within_a_person_by_default() -> None:
    """As in the published data, so that blocking on the year loses nobody."""
    population = generate(records=1500, overlap=0.6, errors=2, seed=5)
    left, right = (
        np.array(source.columns["year_of_birth"].values())[population.truth[:, side]]
        for side, source in enumerate((population.a, population.b))
    )
    assert left.tolist() == right.tolist()


def test_year_errors_occur_at_their_rate() -> None:
    """Evaluators set 1 to 3 per cent to see what blocking loses."""
    population = generate(records=4000, overlap=1.0, seed=6, rates=Rates(year_of_birth=0.03))
    left, right = (
        np.array(source.columns["year_of_birth"].values())[population.truth[:, side]]
        for side, source in enumerate((population.a, population.b))
    )
    assert 0.03 == pytest.approx(float(np.mean(left != right)), abs=0.01)


@pytest.mark.parametrize(("errors", "shares"), [(1, (0.643, 0.315, 0.037)), (2, (0.0, 0.70, 0.26))])
def test_numbers_of_unequal_attributes_follow_the_rates(errors: int, shares: tuple[float, ...]) -> None:
    """The mix of easy and hard pairs decides how a linkage looks; it is set, not left to chance."""
    counts = Counter(unequal_attributes(generate(records=4000, overlap=1.0, errors=errors, seed=7)))
    for number, share in enumerate(shares, start=1):
        assert share == pytest.approx(counts[number] / 4000, abs=0.03)


def test_shares_of_unequal_attributes_may_be_left_as_they_come() -> None:
    """Then one difference is far more common than two."""
    rates = Rates(unequal_from_one=None)
    counts = Counter(unequal_attributes(generate(records=2000, overlap=1.0, seed=8, rates=rates)))
    assert counts[1] > 3 * counts[2] > 0
    assert 0 == counts[0]


def test_identical_pairs_are_allowed_without_errors() -> None:
    """With errors = 0 most people have not changed between the registers."""
    counts = Counter(unequal_attributes(generate(records=1000, overlap=1.0, errors=0, seed=9)))
    assert 500 < counts[0] < 1000


def test_rate_of_one_event_shows_in_its_attribute_alone() -> None:
    """Each rate can be set by itself: here everybody moves and nothing else happens."""
    still = replace(
        Rates(),
        marriage=0.0,
        middle_name=0.0,
        place_of_birth=0.0,
        first_name=0.0,
        last_name=0.0,
        move_birthplace=0.0,
        unequal_from_one=None,
    )
    population = generate(records=300, overlap=1.0, errors=1, seed=10, rates=still)
    for left, right in population.truth.tolist():
        a, b = ({name: column[row] for name, column in source.columns.items()} for source, row in
                ((population.a, left), (population.b, right)))  # fmt: skip
        assert {name for name in a if a[name] != b[name]} <= {"city", "zip"}


def test_columns_are_those_of_the_person_schema() -> None:
    """The generated files load without a word of configuration."""
    population = generate(records=5)
    assert built_in("person").names == tuple(population.a.columns) == tuple(population.b.columns)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"records": 0}, "records"),
        ({"records": 10, "overlap": -0.1}, "overlap"),
        ({"records": 10, "overlap": 1.1}, "overlap"),
        ({"records": 10, "overlap": float("nan")}, "overlap"),
        ({"records": 10, "errors": 3}, "errors"),
        ({"records": 10, "errors": -1}, "errors"),
        ({"records": 10, "seed": -1}, "seed"),
    ],
)
def test_setting_outside_what_is_allowed_is_refused_by_name(arguments: dict[str, float], named: str) -> None:
    """Whoever mistypes a number learns which one and what is allowed."""
    with pytest.raises(SettingError, match=named) as caught:
        generate(**arguments)  # type: ignore[arg-type]
    assert (caught.value.hint or "").startswith("allowed:")


def test_design_that_no_rate_can_meet_is_refused() -> None:
    """Otherwise the draw would go on for ever."""
    rates = Rates(marriage=0, move=0, middle_name=0, place_of_birth=0, first_name=0, last_name=0)
    with pytest.raises(SettingError, match="nobody differs"):
        generate(records=10, errors=1, rates=rates)


@pytest.mark.parametrize(
    "changed",
    [
        {"move": 1.5},
        {"no_zip": -0.1},
        {"first_typo": 0.8, "first_nickname": 0.8},
        {"unequal_from_one": (0.5, 0.4, 0.0, 0.0, 0.0)},
        {"unequal_from_one": (1.0,)},
        {"unequal_from_two": (0.5, 0.5, 0.0, 0.0, 0.0)},
        {"move": float("nan")},
    ],
)
def test_rate_that_is_no_probability_is_refused(changed: dict[str, object]) -> None:
    """A wrong rate would bend the data silently."""
    with pytest.raises(SettingError, match="rate"):
        Rates(**changed)  # type: ignore[arg-type]
