from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.bits import Bits, dice, word_count

Positions = set[int]


def packed(rows: list[Positions], m: int) -> Bits:
    """Filters with these bits set, written the slow and obvious way."""
    words = np.zeros((len(rows), word_count(m)), np.uint64)
    for row, positions in enumerate(rows):
        for position in positions:
            words[row, position // 64] |= np.uint64(1) << np.uint64(position % 64)
    return Bits(words, m)


def naive_dice(left: Positions, right: Positions) -> float:
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else 0.0


@given(st.lists(st.tuples(st.sets(st.integers(0, 99)), st.sets(st.integers(0, 99))), min_size=1, max_size=8))
def test_dice_of_packed_filters_is_dice_of_the_sets(pairs: list[tuple[Positions, Positions]]) -> None:
    """Everything above rests on this number; 100 bits leave part of the last word unused."""
    left, right = packed([a for a, _ in pairs], 100), packed([b for _, b in pairs], 100)
    common = np.bitwise_count(left.words & right.words).sum(axis=1)
    assert [naive_dice(a, b) for a, b in pairs] == dice(common, left.popcounts, right.popcounts).tolist()


def test_two_empty_filters_are_not_alike() -> None:
    """Two records about which nothing is known must not match; no division by zero either."""
    none = np.zeros(1, np.int32)
    assert [0.0] == dice(none, none, none).tolist()


def test_sums_of_popcounts_do_not_overflow() -> None:
    """Counts arrive as int32; their sum is taken in 64 bits."""
    many = np.array([2**31 - 1], np.int32)
    assert [1.0] == dice(many, many, many).tolist()


def test_wire_vector_has_the_least_significant_bit_first() -> None:
    """Pins the layout for other implementations: bit 0 is the lowest bit of the first byte, bit 64 starts word two."""
    filters = packed([{0, 9, 63, 64, 127}], 128)
    assert bytes.fromhex("01020000000000800100000000000080") == filters.to_bytes()


@given(st.lists(st.sets(st.integers(0, 191)), max_size=5))
def test_wire_column_reads_back_as_it_was_written(rows: list[Positions]) -> None:
    """The same bits and counts come back on the other side."""
    filters = packed(rows, 192)
    back = Bits.from_bytes(filters.to_bytes(), 192)
    assert filters.words.tolist() == back.words.tolist()
    assert [len(row) for row in rows] == back.popcounts.tolist()


@pytest.mark.parametrize(("m", "words"), [(1, 1), (64, 1), (65, 2), (1024, 16)])
def test_rows_are_whole_words(m: int, words: int) -> None:
    """A row that is cut short would shift every following one."""
    assert words == word_count(m)
    with pytest.raises(ValueError, match="words a row"):
        Bits(np.zeros((1, words + 1), np.uint64), m)


def test_a_flat_array_is_no_bit_matrix() -> None:
    """Rows and words are both needed."""
    with pytest.raises(ValueError, match="words a row"):
        Bits(np.zeros(16, np.uint64), 1024)


def test_printing_filters_shows_no_bits() -> None:
    """An encoding must not reach a log."""
    assert "Bits(<1 filters of 64 bits>)" == repr(packed([{1, 5}], 64))
