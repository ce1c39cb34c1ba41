"""How exposed data is, counted with arrays and again with a loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unveil.records import Column, Records
from unveil.runtime.owner.exposure import BlockingGroups, blocking_groups, repeats, unique_records

values = st.sampled_from(["", "x", "y", "z"])


@given(st.lists(st.tuples(values, values), max_size=30))
def test_counts_are_those_of_a_plain_count(rows: list[tuple[str, str]]) -> None:
    """The arrays must say what a loop says."""
    records = Records(
        [str(at) for at in range(len(rows))],
        {"a": Column.of(row[0] for row in rows), "b": Column.of(r[1] for r in rows)},
    )
    assert sum(rows.count(row) == 1 for row in rows) == unique_records(records, ("a", "b"))
    for at, found in enumerate(repeats(records, ("a", "b"))):
        held = [row[at] for row in rows if row[at]]
        most = max((held.count(value) for value in held), default=0)
        expected = (len(set(held)), len(rows) - len(held), most)
        assert expected == (found.distinct, found.missing, found.most_frequent)


def test_records_without_a_blocking_key_form_no_group() -> None:
    """Zeros stand for no key; they are not one that all of them share."""
    keys = np.zeros((5, 1, 16), np.uint8)
    keys[:3, 0] = 7
    keys[3, 0] = 9
    assert (BlockingGroups("k", without=1, groups=2, largest=(3, 1)),) == blocking_groups(keys, ["k"])
