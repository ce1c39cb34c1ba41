"""Habits: what one owner writes otherwise, everywhere and always."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unveil.lab.worlds import draw_design, make_world
from unveil.lab.worlds.habits import HABITS, write_so

ATTRIBUTES = ("given_name", "family_name", "date_of_birth", "street")
PERFECT = replace(
    draw_design(1, largest=600),
    attributes=ATTRIBUTES,
    sizes=(200, 200),
    overlap=1.0,
    wrong=(0.0,) * 4,
    missing=(0.0,) * 4,
    moved=0.0,
    renamed=0.0,
    swapped=0.0,
    twice=0.0,
    few_names=False,
)


@pytest.mark.parametrize(
    ("habit", "before", "after"),
    [
        ("none", "1984-03-07", "1984-03-07"),
        ("two-digit year", "1984-03-07", "84-03-07"),
        ("two-digit year", "1984", "84"),
        ("year alone", "1984-03-07", "1984"),
        ("day first", "1984-03-07", "07-03-1984"),
        ("street without number", "12 Long Lane", "Long Lane"),
        ("street without number", "Long Lane 12a", "Long Lane"),
        ("street without number", "Long Lane", "Long Lane"),
        ("initial alone", "Martha", "M"),
    ],
)
def test_each_habit_rewrites_as_it_says(habit: str, before: str, after: str) -> None:
    """By hand."""
    assert after == HABITS[habit][1](before)


@pytest.mark.parametrize("habit", HABITS)
def test_one_owner_writes_by_habit_and_the_other_does_not(habit: str) -> None:
    """In a world without any mistake, every true pair shows it, in the attributes that it is about and no others."""
    world = make_world(replace(PERFECT, habit=habit))
    attributes, rewritten = HABITS[habit]
    left, right = world.truth.T
    for name in ATTRIBUTES:
        a, b = (
            np.array(side.columns[name].distinct, object)[side.columns[name].codes][rows]
            for side, rows in ((world.a, left), (world.b, right))
        )
        expected = [rewritten(value) if name in attributes else value for value in a.tolist()]
        assert expected == b.tolist()
        assert (name in attributes) == (a.tolist() != b.tolist())


def test_gaps_stay_gaps_and_attributes_that_are_not_there_are_no_matter() -> None:
    """A habit changes what is written, not whether."""
    register = {"date_of_birth": np.array(["1984-03-07", ""], object), "sex": np.array(["F", ""], object)}
    for habit in HABITS:
        column = {name: values.copy() for name, values in register.items()}
        write_so(habit, column)
        assert "" == column["date_of_birth"][1]
        assert ["F", ""] == column["sex"].tolist()
