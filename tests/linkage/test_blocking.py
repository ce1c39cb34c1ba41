from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks, _numbered
from unveil.linkage.engine import Encoded, comparing
from unveil.protocol.messages import HASH

#: A record's keys as small numbers; None is an omitted key.
Keys = list[int | None]
KEYS = 3
records = st.lists(st.lists(st.none() | st.integers(0, 3), min_size=KEYS, max_size=KEYS), max_size=9)


def hashed(rows: list[Keys], keys: int = KEYS) -> NDArray[np.uint8]:
    """Each key as 16 bytes that differ between numbers and between keys; zeros where omitted."""
    out = np.zeros((len(rows), keys, HASH), np.uint8)
    for i, row in enumerate(rows):
        for k, value in enumerate(row):
            if value is not None:
                out[i, k, -2:] = (k + 1, value + 1)
    return out


def naive(left: list[Keys], right: list[Keys], max_block: int) -> tuple[list[tuple[int, int]], int]:
    """The union of the blocks of both sides, and the number of blocks skipped, by plain loops."""
    found: set[tuple[int, int]] = set()
    skipped = 0
    for key in range(KEYS):
        for value in {row[key] for row in left if row[key] is not None}:
            rows = [i for i, row in enumerate(left) if row[key] == value]
            others = [j for j, row in enumerate(right) if row[key] == value]
            if len(rows) * len(others) > max_block:
                skipped += 1
            else:
                found |= {(i, j) for i in rows for j in others}
    return sorted(found), skipped


def streamed(blocks: Blocks, chunk: int) -> list[tuple[int, int]]:
    pieces = list(blocks.candidates(chunk))
    return [(i, j) for left, right in pieces for i, j in zip(left.tolist(), right.tolist(), strict=True)]


@given(records, records, st.integers(1, 12), st.sampled_from([1, 4, 10**6]))
def test_candidates_are_the_union_of_the_blocks_each_pair_once(
    left: list[Keys], right: list[Keys], chunk: int, max_block: int
) -> None:
    """A pair that agrees on several keys is compared once, whatever the size of the pieces."""
    blocks = Blocks.of(hashed(left), hashed(right), max_block=max_block)
    expected, skipped = naive(left, right, max_block)
    assert expected == sorted(streamed(blocks, chunk))
    assert skipped == blocks.skipped


@given(records, records)
def test_agreement_of_given_pairs_is_that_of_the_blocks(left: list[Keys], right: list[Keys]) -> None:
    """Pair completeness is measured with it, without making the candidates."""
    blocks = Blocks.of(hashed(left), hashed(right), max_block=10**6)
    pairs = [(i, j) for i in range(len(left)) for j in range(len(right))]
    rows = np.array(pairs, np.int32).reshape(-1, 2)
    agreeing = blocks.agree(rows[:, 0], rows[:, 1])
    assert naive(left, right, 10**6)[0] == [pair for pair, yes in zip(pairs, agreeing, strict=True) if yes]


def test_omitted_keys_never_match() -> None:
    """Two records without a birth year do not share one; a key of zeros means that it was omitted."""
    blocks = Blocks.of(hashed([[None] * KEYS] * 3), hashed([[None] * KEYS] * 2), max_block=10**6)
    assert [] == streamed(blocks, 100)
    assert 0 == blocks.skipped


def test_a_block_is_skipped_only_above_the_limit() -> None:
    """2 × 3 pairs pass a limit of six and not one of five."""
    left, right = hashed([[1, None, None]] * 2), hashed([[1, None, None]] * 3)
    assert (0, 6) == ((at := Blocks.of(left, right, max_block=6)).skipped, len(streamed(at, 100)))
    assert (1, 0) == ((over := Blocks.of(left, right, max_block=5)).skipped, len(streamed(over, 100)))


def test_a_pair_of_a_skipped_block_is_found_by_another_key() -> None:
    """Skipping one block must not hide a pair that a smaller block finds."""
    left = [[1, 7, None], [1, None, None]]
    right = [[1, 7, None], [1, None, None]]
    assert [(0, 0)] == streamed(Blocks.of(hashed(left), hashed(right), max_block=3), 100)


def test_keys_that_differ_in_one_byte_are_different() -> None:
    """All 16 bytes count: a truncated comparison would merge blocks."""
    left = np.zeros((1, 1, HASH), np.uint8)
    left[0, 0] = 9
    for position in range(HASH):
        right = left.copy()
        right[0, 0, position] = 8
        assert [] == streamed(Blocks.of(left, right, max_block=10), 10)


@given(st.lists(st.lists(st.sampled_from([0, 0, 1, 2, 255]), min_size=4, max_size=4), min_size=1, max_size=40))
def test_short_keys_are_numbered_as_sorting_them_would(rows: list[list[int]]) -> None:
    """They are looked up in a table instead; keys of many values, which no table holds, are sorted."""
    keys = np.array(rows, np.uint8)
    values, expected = np.unique(keys.view("V4").ravel(), return_inverse=True)
    codes, count = _numbered(keys)
    assert (expected.tolist(), len(values)) == (codes.tolist(), count)


@pytest.mark.parametrize("sizes", [(0, 0), (0, 2), (2, 0)])
def test_an_owner_without_records_has_no_candidates(sizes: tuple[int, int]) -> None:
    """Nothing to compare is a result, not an error."""
    left, right = (hashed([[1, 1, 1]] * size) for size in sizes)
    assert [] == streamed(Blocks.of(left, right, max_block=10), 10)


def test_comparison_counts_what_it_compared_and_keeps_what_reaches_the_floor() -> None:
    """Four candidates, one of them alike; a skipped block is told to whoever reads the result."""
    left, right = hashed([[1, 3, None], [1, None, 2]]), hashed([[1, None, None], [1, 3, 2]])
    words = np.array([[0b1111], [0b110000]], np.uint64)
    filters = Bits(words, 64), Bits(np.array([[0b110000000], [0b0111]], np.uint64), 64)
    told: list[int] = []
    compare = comparing(ReferenceEngine(), floor=0.8, max_block=4, progress=told.append)
    found = compare(Encoded(filters[0], left), Encoded(filters[1], right))
    assert (4, 0) == (found.compared, found.skipped_blocks)
    assert 4 == told[-1]
    assert [(0, 1, 6 / 7)] == list(
        zip(found.pairs.left.tolist(), found.pairs.right.tolist(), found.pairs.similarity.tolist(), strict=True)
    )
    tighter = comparing(ReferenceEngine(), floor=0.0, max_block=3)(
        Encoded(filters[0], left), Encoded(filters[1], right)
    )
    assert (2, 1) == (tighter.compared, tighter.skipped_blocks)
