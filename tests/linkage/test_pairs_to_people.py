from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.clusters import one_person_each, symmetric_best, without_rivals
from unveil.linkage.outcome import Outcomes
from unveil.linkage.pairs import Rows
from unveil.roles.columns import outcome_columns, outcomes
from unveil.roles.handles import Handles

edges = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6), st.sampled_from([0.7, 0.8, 0.9])), max_size=15)


def rows(*values: int) -> Rows:
    return np.array(values, np.int32)


@given(edges)
def test_one_to_one_keeps_pairs_that_are_the_best_of_both(pairs: list[tuple[int, int, float]]) -> None:
    """No record is left with two partners; among equal scores the pair that stands first wins."""
    left, right = rows(*(i for i, _, _ in pairs)), rows(*(j for _, j, _ in pairs))

    def best(at: int, side: int) -> bool:
        rivals = [k for k, pair in enumerate(pairs) if pair[side] == pairs[at][side]]
        return at == min(rivals, key=lambda k: (-pairs[k][2], k))

    expected = [best(at, 0) and best(at, 1) for at in range(len(pairs))]
    assert expected == symmetric_best(left, right, np.array([score for _, _, score in pairs])).tolist()


def nobody(_one: int, _other: int) -> bool:
    return False


@given(edges)
def test_where_every_record_is_one_person_each_is_taken_once_in_order(pairs: list[tuple[int, int, float]]) -> None:
    """Whoever is left out has a record that was taken before."""
    left, right = rows(*(i for i, _, _ in pairs)), rows(*(j for _, j, _ in pairs))
    taken = one_person_each(left, right, (nobody, nobody))
    for side in (left, right):
        ended: dict[int, int] = {}
        for one, other in zip(side[taken].tolist(), (right if side is left else left)[taken].tolist(), strict=True):
            assert ended.setdefault(one, other) == other
    for at in np.flatnonzero(~taken).tolist():
        before = taken[:at]
        assert left[at] in left[:at][before] or right[at] in right[:at][before]


@given(edges, st.integers(2, 3))
def test_records_of_one_person_stay_together_and_no_others(pairs: list[tuple[int, int, float]], each: int) -> None:
    """Here every so many records of a register are one person's; a person has one partner, in all its records."""
    left, right = rows(*(i for i, _, _ in pairs)), rows(*(j for _, j, _ in pairs))
    same = (lambda one, other: one // each == other // each,) * 2
    taken = one_person_each(left, right, same)
    partners: dict[tuple[str, int], set[int]] = {}
    for one, other in zip((left[taken] // each).tolist(), (right[taken] // each).tolist(), strict=True):
        partners.setdefault(("a", one), set()).add(other)
        partners.setdefault(("b", other), set()).add(one)
    records: dict[tuple[str, int], set[int]] = {}
    for one, other in zip(left[taken].tolist(), right[taken].tolist(), strict=True):
        records.setdefault(("a", one), set()).add(other // each)
        records.setdefault(("b", other), set()).add(one // each)
    assert {1} >= {len(found) for found in records.values()}
    if len(pairs) and len({(i // each, j // each) for i, j, _ in pairs}) == 1:
        assert taken.all(), "all of two people"


def test_a_chain_of_records_is_not_one_person() -> None:
    """Each must be alike to all that are there, not to the last alone."""
    neighbours = (lambda one, other: abs(one - other) <= 1,) * 2
    assert [True, True, False] == one_person_each(rows(0, 1, 2), rows(0, 0, 0), neighbours).tolist()
    assert [True, True, False] == one_person_each(rows(0, 1, 0), rows(0, 9, 9), neighbours).tolist()


# Ids whose first halves are often equal, as random ones hardly ever are.
ids = st.tuples(st.integers(0, 2), st.integers(0, 4)).map(
    lambda pair: bytes([pair[0]] * 8) + bytes(7) + bytes([pair[1]])
)


@given(st.lists(ids, unique=True), st.lists(ids))
def test_handles_are_found_even_where_first_halves_are_equal(known: list[bytes], wanted: list[bytes]) -> None:
    """The lookup compares halves; it must not stop at the first half."""
    handles = Handles(b"".join(known))
    expected = [known.index(one) if one in known else -1 for one in wanted]
    assert expected == handles.rows(b"".join(wanted)).tolist()
    assert len(known) == len(handles)


@given(st.lists(ids, unique=True, min_size=1), st.data())
def test_picked_handles_are_those_of_the_rows(known: list[bytes], data: st.DataObject) -> None:
    """Wishes name records by these ids."""
    chosen = data.draw(st.lists(st.integers(0, len(known) - 1)))
    assert b"".join(known[row] for row in chosen) == Handles(b"".join(known)).pick(np.array(chosen, np.int64))


@given(st.lists(ids, min_size=1, unique=True), st.data())
def test_an_id_that_occurs_twice_is_refused(known: list[bytes], data: st.DataObject) -> None:
    """Two records under one handle could not be told apart."""
    again = data.draw(st.sampled_from(known))
    with pytest.raises(ValueError, match="twice"):
        Handles(b"".join([*known, again]))


@given(st.lists(st.tuples(st.booleans(), st.floats(0.5, 1.0))))
def test_outcomes_survive_the_wire(pairs: list[tuple[bool, float]]) -> None:
    """p keeps every bit: a label of 1 must stay exactly 1."""
    some = Outcomes(np.array([g for g, _ in pairs], bool), np.array([p for _, p in pairs], float))
    back = outcomes(*outcome_columns(some))
    assert (some.g.tolist(), some.p.tolist()) == (back.g.tolist(), back.p.tolist())


def test_g_is_0_or_1_on_the_wire() -> None:
    """Any other byte is no decision."""
    with pytest.raises(ValueError, match="g must be 0 or 1"):
        outcomes(b"\x02", np.array([0.9], "<f8").tobytes())


@pytest.mark.parametrize(("twice", "kept"), [(2, 0), (3, 3), (20, 20)])
def test_second_matches_go_where_hardly_anybody_has_one(twice: int, kept: int) -> None:
    """Of a hundred matched people two with a second, weaker match are mistakes; three or twenty are second entries."""
    left = rows(*range(100), *range(twice))
    right = rows(*range(100), *range(100, 100 + twice))
    score = np.array([5.0] * 100 + [1.0] * twice)
    found = without_rivals(left, right, score)
    assert found[:100].all()
    assert kept == int(found[100:].sum())


@pytest.mark.parametrize(("odds", "kept"), [((4.0, 4.0), 2), ((4.0, 1.0), 0), ((4.0, 4.0, 1.0, 1.0), 0), ((4.0,), 0)])
def test_few_second_matches_stay_where_most_are_sure(odds: tuple[float, ...], kept: int) -> None:
    """Of two matches of which one must be wrong, both hardly ever are sure. One tells nothing."""
    left = rows(*range(300), *range(len(odds)))
    right = rows(*range(300), *range(300, 300 + len(odds)))
    found = without_rivals(left, right, np.array([6.0] * 300 + list(odds)))
    assert found[:300].all()
    assert kept == int(found[300:].sum())


@given(edges)
def test_the_best_match_of_both_records_always_stays(pairs: list[tuple[int, int, float]]) -> None:
    """Whatever rivals say about a register."""
    left, right = rows(*(one for one, _, _ in pairs)), rows(*(other for _, other, _ in pairs))
    odds = np.array([10 * (score - 0.6) for _, _, score in pairs], np.float64)
    assert (without_rivals(left, right, odds) | ~symmetric_best(left, right, odds)).all()
