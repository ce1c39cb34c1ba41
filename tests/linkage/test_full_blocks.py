"""Of the candidates of large registers those stay that have a reason of their own, and every engine finds the same."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.engines import choose
from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded, Neighbours, comparing
from unveil.linkage.full_blocks import Nearest, bar_of_full_blocks, kept_of_full_blocks
from unveil.linkage.pairs import STEPS, Pairs

ENGINE = ReferenceEngine()
MANY = 1_000_000
FLOOR = 0.3
TOO_MANY = Neighbours(5, 0)  # neighbours are wanted, but no number of pairs is small enough for them
Found = dict[tuple[int, int], float]
seeds = st.integers(0, 2**32 - 1)


def registers(n: int, m: int, seed: int, *, values: int = 3, keys: int = 3) -> tuple[Encoded, Encoded]:
    """Two registers whose keys take few values, the first of them most often; some records are near copies."""
    rng = np.random.default_rng(seed)
    shared = rng.integers(0, 2**64, (min(n, m) // 2, 2), dtype=np.uint64)
    sides = []
    for size in (n, m):
        words = rng.integers(0, 2**64, (size, 2), dtype=np.uint64)
        words[: len(shared)] = shared ^ np.bitwise_and.reduce(rng.integers(0, 2**64, (3, *shared.shape), np.uint64))
        hashed = np.zeros((size, keys, 16), np.uint8)
        hashed[:, :, 3] = np.minimum(rng.geometric(0.5, (size, keys)), values) * (rng.random((size, keys)) < 0.9)
        sides.append(Encoded(Bits(words, 128), hashed))
    return sides[0], sides[1]


def candidates(a: Encoded, b: Encoded) -> Found:
    """Every pair that shares a key and reaches the floor, by plain loops."""
    found = {}
    for i, (x, kx) in enumerate(zip(a.filters.words, a.keys, strict=True)):
        for j, (y, ky) in enumerate(zip(b.filters.words, b.keys, strict=True)):
            ones = sum(int(word).bit_count() for row in (x, y) for word in row)
            alike = 2 * sum((int(p) & int(q)).bit_count() for p, q in zip(x, y, strict=True)) / ones
            if alike >= FLOOR and agreeing(kx, ky):
                found[i, j] = alike
    return found


def agreeing(kx: np.ndarray, ky: np.ndarray) -> list[int]:
    """The keys that two records share."""
    return [key for key in range(len(kx)) if kx[key].any() and kx[key].tolist() == ky[key].tolist()]


def two_most_alike(found: Found, side: int) -> set[tuple[int, int]]:
    """The two best pairs of each record of a side; of equals, that with the later record."""
    by_record: dict[int, list[tuple[float, int, tuple[int, int]]]] = {}
    for pair, alike in found.items():
        by_record.setdefault(pair[side], []).append((alike, pair[1 - side], pair))
    return {pair for some in by_record.values() for *_, pair in sorted(some)[-2:]}


def rare_blocks(a: Encoded, b: Encoded, most: float) -> set[tuple[int, int]]:
    """Key and value of the smallest blocks, as many sizes of block as have not more than so many pairs together."""
    sizes: Counter[tuple[int, int]] = Counter()
    for key in range(a.keys.shape[1]):
        left, right = (Counter(side.keys[side.keys[:, key].any(axis=1), key, 3].tolist()) for side in (a, b))
        sizes.update({(key, value): left[value] * right[value] for value in left})
    kept: set[tuple[int, int]] = set()
    for size in sorted(set(sizes.values())):
        more = kept | {block for block, pairs in sizes.items() if pairs == size}
        if sum(sizes[block] for block in more) > most:
            break
        kept = more
    return kept


def listed(pairs: Pairs) -> Found:
    rows = zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
    return dict(zip(rows, pairs.similarity.tolist(), strict=True))


@given(st.integers(2, 14), st.integers(2, 14), seeds)
@settings(max_examples=60, deadline=None)
def test_a_pair_stays_for_two_keys_a_rare_value_being_nearest_or_being_alike(n: int, m: int, seed: int) -> None:
    """What a plain search finds for each of the four reasons, and nothing else."""
    a, b = registers(n, m, seed)
    blocks = Blocks.of(a.keys, b.keys, max_block=MANY)
    every, bar = candidates(a, b), bar_of_full_blocks(ENGINE, a.filters, b.filters, blocks, floor=FLOOR)
    rare = rare_blocks(a, b, 0.5 * (n + m))
    expected = {pair for pair, alike in every.items() if alike >= bar}
    for i, j in every:
        shared = agreeing(a.keys[i], b.keys[j])
        if len(shared) > 1 or any((key, int(a.keys[i, key, 3])) in rare for key in shared):
            expected.add((i, j))
    expected |= two_most_alike(every, 0) | two_most_alike(every, 1)
    found = comparing(ENGINE, floor=FLOOR, max_block=MANY, neighbours=TOO_MANY)(a, b)
    assert {pair: every[pair] for pair in sorted(expected)} == listed(found.pairs)
    assert sorted(expected) == list(listed(found.pairs))


def test_what_stays_of_a_full_block_grows_with_the_records_and_not_with_their_square() -> None:
    """Everybody in one block: a thousand times more pairs than stay."""
    a, b = registers(1000, 900, 1, values=1, keys=1)
    every = comparing(ENGINE, floor=FLOOR, max_block=MANY)(a, b)
    found = comparing(ENGINE, floor=FLOOR, max_block=MANY, neighbours=TOO_MANY)(a, b)
    assert every.compared == found.compared > 700_000
    assert len(every.pairs) > 500_000
    # Two nearest of each record, and half a pair for each by likeness, most of which are among them.
    assert len(found.pairs) < 2.5 * (1000 + 900)
    kept = listed(found.pairs)
    assert all(every_one == kept[pair] for pair, every_one in listed(every.pairs).items() if pair in kept)


def test_few_candidates_all_stay() -> None:
    """Where no block is full nothing is cut: the same pairs as of the keys alone, though neighbours are given up."""
    a, b = registers(60, 50, 3, values=60)
    a.keys[:, :, 3] = np.arange(60, dtype=np.uint8)[:, None] + 1
    b.keys[:, :, 3] = np.arange(50, dtype=np.uint8)[:, None] + 1
    plain = comparing(ENGINE, floor=FLOOR, max_block=MANY)(a, b)
    found = comparing(ENGINE, floor=FLOOR, max_block=MANY, neighbours=TOO_MANY)(a, b)
    assert len(plain.pairs) > 25
    assert listed(plain.pairs) == listed(found.pairs)


@pytest.mark.parametrize("name", ["cpu"])
def test_every_engine_keeps_the_same_of_full_blocks(name: str) -> None:
    """In whatever order and pieces an engine finds pairs; similarities bit for bit, and the tail likewise."""
    a, b = registers(400, 380, 7, values=6)
    one, other = (
        comparing(engine, floor=FLOOR, max_block=MANY, neighbours=TOO_MANY)(a, b) for engine in (ENGINE, choose(name))
    )
    assert listed(one.pairs) == listed(other.pairs)
    assert one.compared == other.compared
    assert one.tail is not None
    assert other.tail is not None
    assert one.tail.across.tolist() == other.tail.across.tolist()
    assert one.tail.at_home.tolist() == other.tail.at_home.tolist()


@given(st.integers(1, 30), st.integers(1, 5), seeds)
@settings(max_examples=50)
def test_the_nearest_are_the_same_in_whatever_pieces_pairs_come(count: int, records: int, seed: int) -> None:
    """Engines find pairs in an order of their own, which must decide nothing, not even between equals."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(records * 30)[:count]
    rows, others = (chosen // 30).astype(np.int32), (chosen % 30).astype(np.int32)
    alike = rng.integers(0, 4, count) / 4
    expected = two_most_alike(
        dict(zip(zip(rows.tolist(), others.tolist(), strict=True), alike.tolist(), strict=True)), 0
    )
    for _ in range(3):
        nearest, order = Nearest(records), rng.permutation(count)
        for piece in np.array_split(order, rng.integers(1, 5)):
            nearest.look(rows[piece], others[piece], alike[piece])
        assert expected == set(zip(*(side.tolist() for side in nearest.pairs()), strict=True))


def test_strangers_of_full_blocks_are_counted_at_home_among_those_who_share_a_key() -> None:
    """Otherwise there would be more of them than pairs across, which share one, and every match would look like one."""
    a, b = registers(40, 30, 11, values=4)
    tail = comparing(ENGINE, floor=FLOOR, max_block=MANY, neighbours=TOO_MANY)(a, b).tail
    assert tail is not None
    for side, counted, worth in zip((a, b), tail.at_home, tail.worth, strict=True):
        n = len(side.filters)
        assert 40 * 30 / (n * (n - 1)) == worth
        found = {pair: alike for pair, alike in candidates(side, side).items() if pair[0] != pair[1]}
        blocks = Blocks.of(a.keys, b.keys, max_block=MANY)
        bar = bar_of_full_blocks(ENGINE, a.filters, b.filters, blocks, floor=FLOOR)
        assert counted[0] <= worth * len(found)
        assert worth * sum(alike > bar + 0.05 for alike in found.values()) <= counted[0]
        assert 0 == counted[STEPS]


def test_nothing_of_nobody() -> None:
    """No candidate at all."""
    a, b = registers(5, 6, 1)
    a.keys[:] = 0
    found = comparing(ENGINE, floor=FLOOR, max_block=MANY, neighbours=TOO_MANY)(a, b)
    assert (0, 0) == (len(found.pairs), found.compared)
    blocks = Blocks.of(a.keys, b.keys, max_block=MANY)
    assert FLOOR == bar_of_full_blocks(ENGINE, a.filters, b.filters, blocks, floor=FLOOR)
    assert 0 == len(kept_of_full_blocks(ENGINE, a.filters, b.filters, blocks, [], bar=FLOOR))
