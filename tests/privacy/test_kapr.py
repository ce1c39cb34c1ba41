from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.privacy.kapr import coarse_count, kapr, kapr_held, kapr_seen, share
from unveil.privacy.population import ReferencePopulation
from unveil.records import Column, Records

NAMES = ("first_name", "zip")
Row = tuple[str, str]

values = st.sampled_from(["", "A", "AB", "AC", "B-A", "BA", "B"])
rows = st.lists(st.tuples(values, values), min_size=1, max_size=8)


def records(table: Sequence[Row]) -> Records:
    columns = {name: Column.of(row[at] for row in table) for at, name in enumerate(NAMES)}
    return Records([str(at) for at in range(len(table))], columns)


@st.composite
def reviews(draw: st.DrawFn) -> tuple[list[Row], list[list[tuple[bool, ...]]], list[Row]]:
    """A pair in review, which of its characters are opened, and a reference population that has both records."""
    pair = draw(st.lists(st.tuples(values, values), min_size=2, max_size=2))
    marks = [[tuple(draw(st.booleans()) for _ in value) for value in row] for row in pair]
    return pair, marks, draw(rows) + pair


def seen(
    pair: Sequence[Row], marks: Sequence[Sequence[tuple[bool, ...]]], reference: Sequence[Row], *, hidden: bool
) -> float:
    return kapr_seen(
        [dict(zip(NAMES, row, strict=True)) for row in pair],
        [dict(zip(NAMES, row, strict=True)) for row in marks],
        ReferencePopulation(NAMES, records(reference)),
        length_hidden=hidden,
    )


def test_kapr_by_hand() -> None:
    """Two of two values that one person has: 1. One of two that three share: 1/6. Nothing: 0."""
    reference = records([("ANNA", "1"), ("ANNA", "2"), ("ANNA", ""), ("BERTA", "3")])
    review = records([("BERTA", "3"), ("ANNA", "1"), ("ANNA", "1")])
    marks = np.array([[True, True], [True, False], [False, False]])
    population = ReferencePopulation(NAMES, reference)
    # The reference record without a zip might be BERTA's by zip, but its name is another.
    assert (2 / 2 / 1 + 1 / 2 / 3 + 0) / 3 == pytest.approx(kapr_held(marks, review, population))


def test_a_missing_reference_value_counts_as_agreeing() -> None:
    """That record may well be the person meant."""
    population = ReferencePopulation(NAMES, records([("ANNA", "1"), ("ANNA", ""), ("", "1"), ("BERTA", "1")]))
    assert 3 == population.count({"first_name": "ANNA", "zip": "1"})


def test_several_owners_make_one_population() -> None:
    """The published figures count over both sources."""
    population = ReferencePopulation(NAMES, records([("ANNA", "1")]), records([("ANNA", "2"), ("BERTA", "1")]))
    assert (3, 2) == (len(population), population.count({"first_name": "ANNA"}))


def test_a_person_outside_the_population_counts_as_one() -> None:
    """Otherwise an unusual spelling would divide by zero, though it is the riskiest of all."""
    population = ReferencePopulation(NAMES, records([("ANNA", "1")]))
    assert 0.5 == kapr_held(np.array([[True, False]]), records([("ZOE", "9")]), population)


def test_a_missing_value_cannot_be_provided() -> None:
    """A mark on it adds nothing to d."""
    population = ReferencePopulation(NAMES, records([("ANNA", "1")]))
    assert 0.0 == kapr_held(np.array([[True, False]]), records([("", "9")]), population)


@pytest.mark.parametrize(
    ("opened", "hidden", "expected"),
    [
        ((0, 0, 0), False, 3),  # three characters: ANA, ANN, BEA
        ((1, 0, 0), False, 2),  # A??
        ((1, 0, 0), True, 3),  # A and something after it: ANNA, too
        ((1, 1, 1), True, 1),
        ((0, 0, 1), True, 3),  # something before A
    ],
)
def test_a_covered_character_is_a_wildcard(opened: tuple[int, ...], hidden: bool, expected: int) -> None:  # noqa: FBT001
    """What is not seen cannot single anybody out; hidden lengths leave more people."""
    population = ReferencePopulation(NAMES, records([("ANA", ""), ("ANN", ""), ("BEA", ""), ("ANNA", "")]))
    marks = {"first_name": tuple(map(bool, opened))}
    assert expected == population.count_seen({"first_name": "ANA"}, marks, length_hidden=hidden)


def test_marks_must_fit_the_value_and_its_value_stays_out_of_the_error() -> None:
    """A shifted mask would count the wrong people; the message may reach a log."""
    population = ReferencePopulation(NAMES, records([("ANNA", "1")]))
    with pytest.raises(ValueError, match="marks for a value") as caught:
        population.count_seen({"first_name": "ANNA"}, {"first_name": (True,)})
    assert "ANNA" not in str(caught.value)
    with pytest.raises(ValueError, match="for 1 records"):
        kapr_held(np.ones((2, 2), dtype=bool), records([("ANNA", "1")]), population)


@given(reviews(), st.booleans())
def test_kapr_seen_is_symmetric_and_lies_between_0_and_1(
    review: tuple[list[Row], list[list[tuple[bool, ...]]], list[Row]],
    hidden: bool,  # noqa: FBT001 - Hypothesis passes it so
) -> None:
    """Counting with wildcards for one record and exactly for the other was an earlier tool's mistake."""
    pair, marks, reference = review
    risk = seen(pair, marks, reference, hidden=hidden)
    assert 0.0 <= risk <= 1.0
    assert risk == pytest.approx(seen(pair[::-1], marks[::-1], reference, hidden=hidden))


@given(reviews(), st.booleans(), st.data())
def test_kapr_seen_never_falls_when_more_is_opened(
    review: tuple[list[Row], list[list[tuple[bool, ...]]], list[Row]],
    hidden: bool,  # noqa: FBT001 - Hypothesis passes it so
    data: st.DataObject,
) -> None:
    """A budget that an opening could refill would be none."""
    pair, marks, reference = review
    more = [[tuple(is_open or data.draw(st.booleans()) for is_open in value) for value in row] for row in marks]
    assert seen(pair, marks, reference, hidden=hidden) <= seen(pair, more, reference, hidden=hidden) + 1e-12


@given(reviews(), st.lists(st.booleans(), min_size=4, max_size=4))
def test_kapr_held_is_kapr_seen_of_whole_values(
    review: tuple[list[Row], list[list[tuple[bool, ...]]], list[Row]], given_values: list[bool]
) -> None:
    """The two readings differ only in what masking keeps from the reviewer."""
    pair, _, reference = review
    marks = np.array(given_values).reshape(2, 2)
    population = ReferencePopulation(NAMES, records(reference))
    everything = [
        {name: (True,) * len(value) for name, value, is_given in zip(NAMES, row, marks[at], strict=True) if is_given}
        for at, row in enumerate(pair)
    ]
    expected = kapr_seen([dict(zip(NAMES, row, strict=True)) for row in pair], everything, population)
    held = kapr_held(marks, records(pair), population)
    assert expected == pytest.approx(held)
    assert held <= kapr_held(np.ones((2, 2), dtype=bool), records(pair), population) + 1e-12


def test_separators_do_not_count_as_characters_seen() -> None:
    """They are shown at every stage, so they would make a masked date look half open."""
    assert 0.25 == share("19/3-1", (True, False, True, False, True, False))
    assert (1.0, 0.0) == (share("-", (True,)), share("-", (False,)))


def test_counts_are_rounded_down_to_one_two_five() -> None:
    """An owner reports no exact count."""
    counts = (0, 1, 2, 3, 4, 5, 9, 10, 19, 20, 49, 50, 99, 100, 123456)
    assert [1, 1, 2, 2, 2, 5, 5, 10, 10, 20, 20, 50, 50, 100, 100000] == [coarse_count(k) for k in counts]


def test_no_records_in_review_risk_nothing() -> None:
    """The first screen asks before any value came."""
    assert 0.0 == kapr([], [], 7)
