"""The ledger: what left, when, for what; and what it amounts to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.privacy.kapr import kapr_held
from unveil.privacy.ledger_risk import LedgerRisk, ledger_risk
from unveil.privacy.population import ReferencePopulation
from unveil.protocol.messages import ID
from unveil.records import Column, Records
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER, Ledger, Spent, day_of

DAY = 86_400.0
RECORDS, ATTRIBUTES = 5, 3
NAMES = ("first_name", "last_name", "zip")

wishes = st.tuples(st.integers(0, RECORDS - 1), st.tuples(*[st.booleans()] * ATTRIBUTES))
charges = st.lists(
    st.tuples(st.sampled_from([ATTRIBUTE_LAYER, REVIEW_LAYER]), st.floats(0, 3 * DAY), st.lists(wishes, max_size=4)),
    max_size=8,
)


@given(charges)
def test_counts_and_entries_tell_the_same_story(
    book: list[tuple[int, float, list[tuple[int, tuple[bool, ...]]]]],
) -> None:
    """Caps are checked against counts, people read entries: they must not drift apart."""
    ledger = Ledger(RECORDS, ATTRIBUTES)
    for layer, now, batch in book:
        rows = np.array([row for row, _ in batch], np.int64)
        marks = np.array([asked for _, asked in batch], bool).reshape(len(batch), ATTRIBUTES)
        ledger.charge(layer, rows, marks, now, [bytes([at] * ID) for at in range(len(batch))])
    entries = ledger.entries()
    assert sum(len(batch) for _, _, batch in book) == len(entries)
    for layer in (ATTRIBUTE_LAYER, REVIEW_LAYER):
        here = entries.layer == layer
        expected = np.zeros((RECORDS, ATTRIBUTES), int)
        np.add.at(expected, entries.rows[here], entries.attributes[here])
        assert (expected > 0).tolist() == ledger.disclosed(layer).tolist()
        assert (expected > 0).sum(axis=0).tolist() == ledger.records(layer).tolist()
        assert (int(expected.sum()), int(here.sum())) == (ledger.disclosures(layer), ledger.pairs(layer))
        assert np.bincount(entries.rows[here], minlength=RECORDS).tolist() == ledger.times(layer).tolist()
        for day in range(4):
            on = here & (entries.time // DAY == day)
            spent = Spent(int(on.sum()), int(entries.attributes[on].sum()))
            assert spent == ledger.on_day(layer, day * DAY + 1)
            assert day in ledger.days(layer) or spent == Spent()


def test_an_entry_tells_when_to_whom_for_what_and_which() -> None:
    """That is what a data protection officer asks for."""
    ledger = Ledger(2, 9)
    marks = np.zeros((1, 9), bool)
    marks[0, [0, 8]] = True
    ledger.charge(REVIEW_LAYER, np.array([1]), marks, 5.5, [b"0123456789abcdef"])
    ledger.charge(ATTRIBUTE_LAYER, np.array([0]), ~marks, 6.5)
    entries = ledger.entries()
    assert [5.5, 6.5] == entries.time.tolist()
    assert [REVIEW_LAYER, ATTRIBUTE_LAYER] == entries.layer.tolist()
    assert [b"0123456789abcdef", bytes(ID)] == [row.tobytes() for row in entries.ids]
    assert [1, 0] == entries.rows.tolist()
    assert [marks[0].tolist(), (~marks[0]).tolist()] == entries.attributes.tolist()


def test_the_book_grows_and_old_entries_stay() -> None:
    """It is held in arrays that are replaced by longer ones."""
    ledger = Ledger(1000, 1)
    for start in range(0, 1000, 10):
        ledger.charge(REVIEW_LAYER, np.arange(start, start + 10), np.ones((10, 1), bool), float(start))
    assert list(range(1000)) == ledger.entries().rows.tolist()
    assert [start for start in range(0, 1000, 10) for _ in range(10)] == ledger.entries().time.tolist()


def test_days_begin_at_midnight_utc() -> None:
    """1 January 1970 is day 0; 2000-02-29 began 951782400 seconds later."""
    assert [0, 0, 1, 11016, 11015] == [day_of(now) for now in (0, 86_399.9, 86_400, 951_782_400, 951_782_399.9)]


def test_a_record_twice_in_one_batch_counts_once_per_attribute() -> None:
    """The cap of an attribute counts records, not disclosures."""
    ledger = Ledger(2, 1)
    ledger.charge(REVIEW_LAYER, np.array([0, 0]), np.ones((2, 1), bool), 0.0)
    assert ([1], 2, 2) == (
        ledger.records(REVIEW_LAYER).tolist(),
        ledger.disclosures(REVIEW_LAYER),
        ledger.times_of(REVIEW_LAYER, 0),
    )


def test_a_charge_that_does_not_fit_changes_nothing() -> None:
    """A half-made entry would be worse than none."""
    ledger = Ledger(2, 2)
    with pytest.raises(ValueError, match="one row of attributes"):
        ledger.charge(REVIEW_LAYER, np.array([0]), np.ones((1, 3), bool), 0.0)
    with pytest.raises(ValueError, match="one row of attributes"):
        ledger.charge(REVIEW_LAYER, np.array([0, 1]), np.ones((2, 2), bool), 0.0, [bytes(ID)])
    with pytest.raises(ValueError, match="reshape"):
        ledger.charge(REVIEW_LAYER, np.array([0]), np.ones((1, 2), bool), 0.0, [b"short"])
    assert (0, 0, 0) == (len(ledger.entries()), ledger.pairs(REVIEW_LAYER), int(ledger.disclosed(REVIEW_LAYER).sum()))
    assert "Ledger(<0 disclosures>)" == repr(ledger)


def people() -> Records:
    rows = [("ann", "north", "1"), ("ann", "north", "2"), ("ann", "south", "3"), ("bob", "west", "4")]
    columns = {name: Column.of([row[at] for row in rows]) for at, name in enumerate(NAMES)}
    return Records([str(i) for i in range(len(rows))], columns)


def test_the_risk_of_a_ledger_by_hand() -> None:
    """Ann's name, which three share, and all of bob: (1/3/3 + 3/3/1) / 2."""
    ledger = Ledger(4, 3)
    ledger.charge(REVIEW_LAYER, np.array([0, 3]), np.array([[1, 0, 0], [1, 1, 1]], bool), 0.0)
    risk = ledger_risk(ledger.disclosed(REVIEW_LAYER), people(), NAMES)
    assert (2, 4, 1) == (risk.records, risk.values, risk.smallest_k)
    assert ((1 / 9 + 1) / 2, 1.0) == pytest.approx((risk.kapr, risk.worst))


def test_the_risk_is_cumulative() -> None:
    """Two reviews of one record add up: name first, ZIP code later, and one person is left."""
    ledger = Ledger(4, 3)
    ledger.charge(REVIEW_LAYER, np.array([0]), np.array([[1, 0, 0]], bool), 0.0)
    before = ledger_risk(ledger.disclosed(REVIEW_LAYER), people(), NAMES)
    ledger.charge(REVIEW_LAYER, np.array([0]), np.array([[0, 0, 1]], bool), DAY)
    after = ledger_risk(ledger.disclosed(REVIEW_LAYER), people(), NAMES)
    assert ((1 / 9, 3), (2 / 3, 1)) == ((before.kapr, before.smallest_k), (after.kapr, after.smallest_k))


def test_nothing_disclosed_is_no_risk() -> None:
    assert LedgerRisk() == ledger_risk(Ledger(4, 3).disclosed(REVIEW_LAYER), people(), NAMES)


@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=4, max_size=4))
def test_the_risk_is_the_published_kapr_over_records_that_disclosed_something(marks: list[tuple[bool, ...]]) -> None:
    """The figure beside the ledger must be the figure of the reports."""
    disclosed = np.array(marks, bool)
    rows = np.flatnonzero(disclosed.any(axis=1))
    records = people()
    some = Records(
        [str(row) for row in rows],
        {name: Column.of([records.columns[name][row] for row in rows.tolist()]) for name in NAMES},
    )
    population = ReferencePopulation(NAMES, records)
    expected = kapr_held(disclosed[rows], some, population) if len(rows) else 0.0
    assert expected == pytest.approx(ledger_risk(disclosed, records, NAMES, population=population).kapr)
