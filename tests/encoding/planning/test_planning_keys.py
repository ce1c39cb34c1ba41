"""Copies with the errors that are assumed, what keys lose on them, and which keys are chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.planning.blocks import BlockingTable
from unveil.encoding.planning.copies import (
    another,
    as_assumed,
    day_for_month,
    digit_wrong,
    digits_exchanged,
    hardships,
    initial,
    last_word_gone,
    typed_wrong,
)
from unveil.encoding.planning.key_choice import FEWEST, MOST, MOST_PAIRS, choose_keys
from unveil.encoding.planning.trials import ASSUMED, lost, make_trials
from unveil.lab.synthetic import generate
from unveil.schema import BlockingKey, Schema, built_in
from unveil.schema.attribute_roles import CHANGES

CLINIC = built_in("clinic")
PEOPLE = generate(records=1500, seed=3, layout="clinic").a
VALUES = {name: column.values() for name, column in PEOPLE.columns.items()}
NONE_MISSING = dict.fromkeys(CLINIC.names, 0.0)


def with_keys(*keys: tuple[str, ...]) -> Schema:
    return CLINIC.model_copy(update={"blocking": tuple(BlockingKey(fields=fields) for fields in keys)})


def lost_by(schema: Schema, missing: dict[str, float] | None = None) -> dict[str, float]:
    everybody = {key.name: np.ones(len(PEOPLE), bool) for key in schema.blocking}
    return lost(make_trials(PEOPLE, schema, missing or NONE_MISSING), schema, everybody)


@given(st.text(min_size=1, max_size=12), st.integers(0, 2**32))
def test_a_mistake_leaves_a_value(value: str, seed: int) -> None:
    """Of any text; a mistake is no gap, and one slip changes little."""
    rng = np.random.default_rng(seed)
    for mistake in (typed_wrong, digit_wrong, digits_exchanged, day_for_month):
        wrong = mistake(value, ["other", value], rng)
        assert wrong
        assert abs(len(wrong) - len(value)) <= 1
    assert last_word_gone(value, ["other"], rng)
    assert value[0] == initial(value, [], rng)
    assert "other" == another(value, ["other"], rng)


@given(st.from_regex(r"(19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])", fullmatch=True), st.integers(0, 2**32))
def test_a_wrong_digit_is_one_wrong_digit(date: str, seed: int) -> None:
    """And never the right one."""
    wrong = digit_wrong(date, [], np.random.default_rng(seed))
    assert 1 == sum(one != two for one, two in zip(date, wrong, strict=True))


def test_as_much_goes_wrong_as_is_assumed() -> None:
    """By the table of roles; four times as much where that is asked for."""
    for times in (1.0, 4.0):
        copies = as_assumed(VALUES, CLINIC, {**NONE_MISSING, "city": 0.3}, np.random.default_rng(1), times=times)
        differing = {
            name: np.mean([one != two for one, two in zip(VALUES[name], copies[name], strict=True)]) for name in VALUES
        }
        assert times * 0.02 == pytest.approx(differing["date_of_birth"], rel=0.5)
        moved = np.mean([one != two for one, two in zip(VALUES["street"], copies["street"], strict=True)])
        assert times * (CHANGES["move"] + 0.08) == pytest.approx(moved, rel=0.3)
        assert 0.3 == pytest.approx(copies["city"].count("") / len(PEOPLE), abs=0.05)


def test_a_hardship_touches_what_its_name_says() -> None:
    """A move leaves names alone, exchanged names leave dates alone."""
    found = dict(hardships(VALUES, CLINIC, np.random.default_rng(1)))
    touched = {
        name: {one for one in VALUES if list(copies[one]) != list(VALUES[one])} for name, copies in found.items()
    }
    assert {"street", "city"} == touched["moved elsewhere"]
    assert {"last_name"} == touched["another family name"]
    assert {"first_name", "last_name"} == touched["given and family name exchanged"]
    assert {"date_of_birth"} == touched["a digit of date_of_birth wrong"]
    assert {f"{name} missing" for name in CLINIC.names} <= set(found)
    assert VALUES["last_name"] == found["given and family name exchanged"]["first_name"]


def test_keys_lose_those_whom_they_cannot_find() -> None:
    """By hand: what a key asks for must be there and agree."""
    born = lost_by(with_keys(("date_of_birth",)))
    assert 1 == born["date_of_birth missing"] == born["a digit of date_of_birth wrong"]
    assert 0 == born["moved elsewhere"] == born["given and family name exchanged"] == born["first_name missing"]
    assert 0.02 == pytest.approx(born[ASSUMED], abs=0.012)
    both = lost_by(with_keys(("date_of_birth",), ("first_name", "last_name")))
    assert 0 == both["date_of_birth missing"]
    assert both[ASSUMED] < born[ASSUMED]
    half = lost_by(with_keys(("date_of_birth",)), {**NONE_MISSING, "date_of_birth": 0.5})
    assert 0.51 == pytest.approx(half[ASSUMED], abs=0.04)
    assert {0.0} == set(lost_by(with_keys()).values())


def test_blocks_that_are_passed_over_find_nobody() -> None:
    """A key so common that its blocks are skipped is no key."""
    schema = with_keys(("sex",))
    trials = make_trials(PEOPLE, schema, NONE_MISSING)
    nobody = lost(trials, schema, {"sex": np.zeros(len(PEOPLE), bool)})
    assert {1.0} == set(nobody.values())
    assert lost_by(schema)[ASSUMED] < 0.1


def test_chosen_keys_are_rare_and_survive_every_hardship() -> None:
    """A value missing, names exchanged, a wrong digit, a move, another surname."""
    table = BlockingTable(PEOPLE, None, CLINIC)
    keys = choose_keys(table, make_trials(PEOPLE, CLINIC, NONE_MISSING, times=4.0), records=len(PEOPLE))
    assert FEWEST <= len(keys) <= MOST
    for key in keys:
        assert key.fields not in {("sex",), ("city",), ("soundex(city)",), ("first_name",), ("last_name",)}
        assert table.blocks(key).pairs / len(PEOPLE) <= MOST_PAIRS
    assert all(share < 0.02 for share in lost_by(with_keys(*(key.fields for key in keys))).values())


@pytest.mark.slow
def test_larger_registers_get_rarer_keys() -> None:
    """A key that is rare in a town is common in a country."""
    table = BlockingTable(PEOPLE, None, CLINIC)
    trials = make_trials(PEOPLE, CLINIC, NONE_MISSING, times=4.0)
    small, large = (choose_keys(table, trials, records=size) for size in (1500, 3_000_000))
    assert ("date_of_birth",) in {key.fields for key in small}
    assert ("date_of_birth",) not in {key.fields for key in large}
    assert all(len(key.fields) > 1 or "street" in key.fields for key in large)


def test_where_nothing_is_rare_there_is_no_key() -> None:
    """Better all pairs than blocks of everybody."""
    attributes = tuple(one for one in CLINIC.attributes if one.name in {"sex", "city"})
    schema = CLINIC.model_copy(update={"attributes": attributes, "blocking": ()})
    people = replace(PEOPLE, columns={name: PEOPLE.columns[name] for name in schema.names})
    trials = make_trials(people, schema, {"sex": 0.0, "city": 0.0})
    assert () == choose_keys(BlockingTable(people, None, schema), trials, records=len(people))
