"""The risk of a growing ledger is that of the whole ledger, at every moment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.privacy.ledger_risk import ledger_risk
from unveil.privacy.risk_course import RiskCourse
from unveil.records import Column, Records

NAMES = ("first_name", "last_name", "zip")
RECORDS = Records(
    [str(row) for row in range(6)],
    {
        "first_name": Column.of(["ann", "ann", "cleo", "", "eve", "ann"]),
        "last_name": Column.of(["north", "east", "south", "west", "west", "north"]),
        "zip": Column.of(["1", "1", "", "4", "5", "1"]),
    },
)
PRESENT = np.stack([~RECORDS.columns[name].missing() for name in NAMES], axis=1)
DISCLOSURES = st.lists(
    st.tuples(st.integers(0, 5), st.lists(st.booleans(), min_size=3, max_size=3), st.integers(0, 300_000)), max_size=12
)


@given(DISCLOSURES)
def test_after_every_disclosure_it_is_the_risk_of_the_whole_ledger(made: list[tuple[int, list[bool], int]]) -> None:
    """Taken in one by one or all at once."""
    course, known, at = RiskCourse(RECORDS, NAMES), np.zeros((6, 3), bool), 0.0
    for row, marks, pause in made:
        at += pause
        went = np.array([marks]) & PRESENT[row]
        course.take(np.array([at]), np.array([row]), went)
        known[row] |= went[0]
        expected = ledger_risk(known, RECORDS, NAMES)
        assert expected.kapr == pytest.approx(course.kapr)
        assert expected.kapr == pytest.approx(course.days[int(at // 86_400)])
        assert expected.records == course.records
        assert expected.worst == pytest.approx(course.worst)
    assert course.records == sum(course.records_by_k().values())


def test_records_are_counted_by_how_many_share_what_is_known_of_them() -> None:
    """Three are called ann and one has no name, which may be ann: k is 4. Of those, two are called north."""
    course = RiskCourse(RECORDS, NAMES)
    course.take(np.array([0.0]), np.array([0]), np.array([[True, False, False]]))
    assert 1 == course.records_by_k()[2]
    course.take(np.array([1.0]), np.array([0]), np.array([[False, True, False]]))
    assert 1 == course.records_by_k()[2]
    course.take(np.array([1.0]), np.array([1]), np.array([[True, True, False]]))
    assert {1: 1, 2: 1} == {least: count for least, count in course.records_by_k().items() if count}
