"""Records in an order that tells nothing, and ids that tell it all the same."""

from __future__ import annotations

import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.shuffling import DRAWN, ids_tell_order, shuffled
from unveil.records import Column, Records


def numbered(count: int) -> Records:
    ids = [str(row) for row in range(count)]
    return Records(ids, {"name": Column.of(f"name {row // 2}" for row in range(count))})


@given(st.lists(st.integers(0, 2**64 - 1), max_size=30, unique=True))
def test_every_record_stays_whole_and_the_order_is_that_of_the_numbers(numbers: list[int]) -> None:
    """No record is lost, doubled or mixed with another."""
    people = numbered(len(numbers))
    found = shuffled(people, b"".join(number.to_bytes(DRAWN, "little") for number in numbers))
    expected = sorted(range(len(numbers)), key=numbers.__getitem__)
    assert [str(row) for row in expected] == list(found.ids)
    assert [f"name {row // 2}" for row in expected] == found.columns["name"].values()


def test_too_little_randomness_is_refused() -> None:
    """Records without a number of their own would stay where they were."""
    with pytest.raises(ValueError, match="24 bytes for 4 records"):
        shuffled(numbered(4), bytes(3 * DRAWN))


@pytest.mark.parametrize(
    ("ids", "tell"),
    [
        ([str(row) for row in range(500)], True),
        ([f"r{row:05}" for row in range(5000)], True),
        ([f"2024-{row}" for row in range(300, 0, -1)], True),
        (["9" * 5000 + str(row) for row in range(30)], True),  # no number of Python's is so long
        ([str(row) for row in range(10)], False),
        ([secrets.token_hex(8) for _ in range(500)], False),
        ([], False),
    ],
)
def test_ids_that_rise_along_the_file_are_noticed(ids: list[str], *, tell: bool) -> None:
    """Whoever has them sorts the file back. Of ten ids nothing can be said."""
    assert tell is ids_tell_order(ids)
