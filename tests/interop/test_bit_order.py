"""Bits stand where their format says: the same filter, written by tools that disagree about the first bit of a byte."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.interop.base64_filters import filters_of, texts_of
from unveil.interop.bit_order import LEAST, MOST, BitOrder, filter_rows, filter_words
from unveil.linkage.bits import Words, word_count

FILE = Path("clks.json")


def filters_with(rows: list[set[int]], m: int) -> Words:
    """Filters of m bits with these bits set, by arithmetic alone."""
    out = np.zeros((len(rows), word_count(m)), np.uint64)
    for row, places in enumerate(rows):
        for place in places:
            out[row, place // 64] |= np.uint64(1 << place % 64)
    return out


def java_bytes(places: set[int]) -> bytes:
    """What BitSet.toByteArray gives: bit i is bit i mod 8 of byte i div 8, up to the last byte that is not zero."""
    number = sum(1 << place for place in places)
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


sizes = st.integers(1, 300)
some_filters = sizes.flatmap(
    lambda m: st.tuples(st.just(m), st.lists(st.sets(st.integers(0, m - 1)), min_size=1, max_size=8))
)


@pytest.mark.parametrize(("order", "text"), [(MOST, "gEA="), (LEAST, "AQI=")])
def test_bits_0_and_9_of_16_are_written_as_each_tool_writes_them(order: BitOrder, text: str) -> None:
    """The example of every documentation; the first was made by bitarray, the second by Java's BitSet."""
    filters = filters_with([{0, 9}], 16)
    assert [text] == list(texts_of(filters, 16, order))
    read, m = filters_of(FILE, [text], order)
    assert 16 == m
    assert filters.tolist() == read.tolist()


@given(some_filters)
def test_most_significant_first_is_what_python_calls_big(given_filters: tuple[int, list[set[int]]]) -> None:
    """Independent of our code: the bits as a text of zeros and ones, eight to a byte."""
    m, rows = given_filters
    texts = list(texts_of(filters_with(rows, m), m, MOST))
    for places, text in zip(rows, texts, strict=True):
        digits = "".join("1" if place in places else "0" for place in range(-(-m // 8) * 8))
        assert int(digits, 2).to_bytes(len(digits) // 8) == base64.b64decode(text)


@given(some_filters)
def test_what_java_leaves_out_is_put_back(given_filters: tuple[int, list[set[int]]]) -> None:
    """BitSet knows no length: a filter ends with its last byte that is not zero."""
    m, rows = given_filters
    theirs = [base64.b64encode(java_bytes(places)).decode() for places in rows]
    assert theirs == list(texts_of(filters_with(rows, m), m, LEAST, cut=True))
    read, length = filters_of(FILE, theirs, LEAST, m=m, cut=True)
    assert m == length
    assert filters_with(rows, m).tolist() == read.tolist()


@given(some_filters, st.sampled_from([MOST, LEAST]))
def test_reading_undoes_writing(given_filters: tuple[int, list[set[int]]], order: BitOrder) -> None:
    """Whatever the order."""
    m, rows = given_filters
    words = filters_with(rows, m)
    assert words.tolist() == filter_words(filter_rows(words, m, order), m, order).tolist()


@pytest.mark.parametrize(
    ("texts", "row", "said"),
    [
        (["gEA=", "gEA"], 2, "not base64"),
        (["gEA=", "gEAA"], 2, "3 bytes, and 2"),
        (["gEA=", 7], 2, "something else"),
        (["gEA=\n"], 1, "not base64"),
    ],
)
def test_an_encoding_that_is_none_is_named_by_its_row(texts: list[object], row: int, said: str) -> None:
    """And never quoted: an encoding is as good as the record to whoever has the key."""
    with pytest.raises(InputError, match=said) as refused:
        filters_of(FILE, texts, MOST, m=16)
    assert f"row {row}" in str(refused.value)
    assert "gEA" not in str(refused.value)


def test_bits_beyond_the_length_are_refused() -> None:
    """They would be compared with nothing, or with something else."""
    with pytest.raises(InputError, match="bits beyond the length of 12"):
        filters_of(FILE, ["gAE="], MOST, m=12)
