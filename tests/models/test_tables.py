"""Sums of small tables: the value that a pair meets, and that no pair can make agreement speak against a match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.outcome import Reals
from unveil.models.tables import Direction, Tables, Term


def some_tables() -> Tables:
    """Two bounds for x, one for y; a table of x alone, one of both, and z that no table looks at."""
    return Tables(
        names=("x", "y", "z"),
        directions=(1, -1, 0),
        edges=(np.array([0.0, 1.0]), np.array([5.0]), np.array([])),
        terms=(
            Term(0, 0, np.array([[-1.0], [0.0], [2.0]])),
            Term(0, 1, np.array([[0.0, -10.0], [0.0, -10.0], [100.0, 40.0]])),
        ),
        intercept=0.5,
    )


def test_log_odds_are_the_sum_of_what_a_pair_meets_in_each_table() -> None:
    """By hand: intercept, the table of x, the table of x and y."""
    features = np.array([[-3.0, 0.0, 9.0], [-3.0, 6.0, 9.0], [0.5, 6.0, -9.0], [7.0, 5.0, 0.0], [7.0, 5.1, 0.0]])
    assert [-0.5, -10.5, -9.5, 102.5, 42.5] == some_tables().log_odds(features).tolist()


def test_a_value_on_an_edge_belongs_to_the_bin_below() -> None:
    """As in the trees that tables are made of: at most the bound goes left."""
    x = np.array([np.nextafter(0, -1), 0.0, np.nextafter(0, 1), 1.0, np.nextafter(1, 2)])
    features = np.column_stack([x, np.zeros(5), np.zeros(5)])
    assert [-0.5, -0.5, 0.5, 0.5, 102.5] == some_tables().log_odds(features).tolist()


def test_no_pair_has_no_log_odds_and_tables_have_no_further_columns() -> None:
    """Labels move slope and shift of the record unit's model, and nothing else."""
    tables = some_tables()
    assert (0,) == tables.log_odds(np.empty((0, 3))).shape
    assert (4, 0) == tables.columns(np.zeros((4, 3))).shape
    assert tables is tables.settled(np.zeros((4, 3)))


def values_of(rows: int, columns: int) -> st.SearchStrategy[Reals]:
    size = rows * columns
    return st.lists(st.integers(-3, 3), min_size=size, max_size=size).map(
        lambda numbers: np.array(numbers, np.float64).reshape(rows, columns)
    )


@given(values_of(3, 2), st.sampled_from([1, -1, 0]), st.sampled_from([1, -1, 0]))
@settings(max_examples=150)
def test_a_table_that_goes_against_a_direction_is_refused_and_no_other(
    values: Reals, first: Direction, second: Direction
) -> None:
    """Against two plain loops over neighbouring bins. A prior like that could count better agreement for less."""
    steps = [(first, values[row + 1, column] - values[row, column]) for row in range(2) for column in range(2)]
    steps += [(second, values[row, 1] - values[row, 0]) for row in range(3)]
    made: dict[str, Any] = {
        "names": ("x", "y"),
        "directions": (first, second),
        "edges": (np.array([0.0, 1.0]), np.array([5.0])),
        "terms": (Term(0, 1, values),),
        "intercept": 0.0,
    }
    if any(direction * step < 0 for direction, step in steps):
        with pytest.raises(ValueError, match=r"falls along [xy]"):
            Tables(**made)
    else:
        x, y = (grid.ravel() for grid in np.meshgrid([-1.0, 0.5, 2.0], [4.0, 6.0], indexing="ij"))
        assert values.ravel().tolist() == Tables(**made).log_odds(np.column_stack([x, y])).tolist()


@given(values_of(4, 1), st.sampled_from([1, -1]))
@settings(max_examples=60)
def test_a_table_of_one_piece_of_evidence_is_held_to_its_direction(values: Reals, direction: Direction) -> None:
    """The same for tables with a single column."""
    edges = (np.array([0.0, 1.0, 2.0]),)
    if (direction * np.diff(values[:, 0]) < 0).any():
        with pytest.raises(ValueError, match="falls along x"):
            Tables(("x",), (direction,), edges, (Term(0, 0, values),), 0.0)
    else:
        Tables(("x",), (direction,), edges, (Term(0, 0, values),), 0.0)


def with_term(term: Term) -> Callable[[dict[str, Any]], None]:
    def change(made: dict[str, Any]) -> None:
        made["terms"] = (term,)

    return change


@pytest.mark.parametrize(
    ("change", "about"),
    [
        (lambda made: made.update(names=("x",)), "for each piece of evidence"),
        (lambda made: made.update(directions=(1, 1)), "for each piece of evidence"),
        (lambda made: made.update(directions=(1, 2, 0)), "direction"),
        (lambda made: made.update(edges=(np.array([]),)), "for each piece of evidence"),
        (lambda made: made.update(edges=(np.array([1.0, 0.0]), *made["edges"][1:])), "rise"),
        (lambda made: made.update(edges=(np.array([1.0, 1.0]), *made["edges"][1:])), "rise"),
        (lambda made: made.update(edges=(np.array([0.0, np.inf]), *made["edges"][1:])), "finite"),
        (lambda made: made.update(edges=(np.array([np.nan, 1.0]), *made["edges"][1:])), "finite"),
        (lambda made: made.update(intercept=float("nan")), "finite"),
        (with_term(Term(0, 0, np.zeros((2, 1)))), "each pair of bins"),
        (with_term(Term(0, 0, np.zeros((3, 3)))), "each pair of bins"),
        (with_term(Term(0, 1, np.zeros((2, 3)))), "each pair of bins"),
        (with_term(Term(0, 1, np.full((3, 2), np.nan))), "finite"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(change: Callable[[dict[str, Any]], None], about: str) -> None:
    """NumPy would stretch a single column over all bins without a word, and NaN make every pair a coin toss."""
    good = some_tables()
    made = {name: getattr(good, name) for name in ("names", "directions", "edges", "terms", "intercept")}
    change(made)
    with pytest.raises(ValueError, match=about):
        Tables(**made)
