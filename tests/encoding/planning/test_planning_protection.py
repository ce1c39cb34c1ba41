"""How a proposed schema protects records: salts, keys, and what share of a filter each attribute has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.planning.protection import weighed
from unveil.schema import Attribute, built_in

#: q-grams of a typical value in generated people.
TOKENS = {"person": (7.27, 6.23, 7.69, 5.03, 10.06, 6.23, 3.04), "clinic": (7.03, 7.54, 8.8, 2.0, 16.79, 9.98)}


def with_weights(weights: list[float]) -> list[Attribute]:
    return [Attribute(name=f"a{number}", weight=weight) for number, weight in enumerate(weights)]


@given(st.lists(st.tuples(st.floats(6, 20), st.floats(1, 30)), min_size=1, max_size=8))
def test_every_attribute_has_the_same_share_of_a_filter(given: list[tuple[float, float]]) -> None:
    """A long value would else outweigh the others, however little it says, and whoever moved would be nobody."""
    tokens = [count for _, count in given]
    found = weighed(with_weights([weight for weight, _ in given]), tokens)
    shares = [one.in_record * count for one, count in zip(found, tokens, strict=True)]
    assert all(pytest.approx(sum(tokens) / len(tokens), rel=0.1, abs=0.16) == share for share in shares)


def test_what_says_little_has_little() -> None:
    """Of two people taken at random half agree on their sex."""
    name, sex = weighed(with_weights([12.0, 1.0]), [7.0, 2.0])
    assert pytest.approx(6.0, rel=0.05) == (name.in_record * 7) / (sex.in_record * 2)


def test_weights_of_nothing_leave_something() -> None:
    """An attribute that everybody agrees on weighs 0; it still has a position for each q-gram."""
    assert all(0 < one.in_record < 1 for one in weighed(with_weights([0.0, 0.0]), [3.0, 0.0]))


@pytest.mark.parametrize("name", TOKENS)
def test_built_in_schemas_have_the_shares_that_would_be_proposed(name: str) -> None:
    """Their numbers are written down, and follow from the same rule."""
    attributes = built_in(name).attributes
    assert [one.in_record for one in weighed(attributes, TOKENS[name])] == [one.in_record for one in attributes]
