from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.engines import choose
from unveil.engines.reference.engine import ReferenceEngine
from unveil.errors import Cancelled, EngineError
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded, Neighbours, comparing
from unveil.linkage.neighbours import neighbour_floor
from unveil.linkage.pairs import Pairs
from unveil.schema import ProtocolSettings

ENGINE = ReferenceEngine()
TILE = 2048  # of the reference engine; sizes around it are where an edge would be lost


def filters(n: int, *, m: int = 64, seed: int = 1) -> Bits:
    rng = np.random.default_rng([seed, n, m])
    words = rng.integers(0, 2**63, size=(n, -(-m // 64)), dtype=np.uint64)
    return Bits(words & rng.integers(0, 2**63, size=words.shape, dtype=np.uint64), m)


def naive(a: Bits, b: Bits, floor: float) -> list[tuple[int, int, float]]:
    """All pairs by Python integers."""
    found = []
    for i, x in enumerate(a.words.tolist()):
        for j, y in enumerate(b.words.tolist()):
            common = sum((p & q).bit_count() for p, q in zip(x, y, strict=True))
            total = sum(p.bit_count() for p in x) + sum(q.bit_count() for q in y)
            similarity = 2 * common / total if total else 0.0
            if similarity >= floor:
                found.append((i, j, similarity))
    return found


def listed(pairs: Pairs) -> list[tuple[int, int, float]]:
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 9), st.integers(0, 9), st.sampled_from([1, 64, 130]), st.sampled_from([0.0, 0.4, 0.55, 1.0]))
def test_all_pairs_are_those_of_two_plain_loops(n: int, k: int, m: int, floor: float) -> None:
    """Bit for bit: the similarities are compared as they are, not approximately."""
    a, b = filters(n, m=m), filters(k, m=m, seed=2)
    assert naive(a, b, floor) == listed(Pairs.concatenate(ENGINE.all_pairs(a, b, floor=floor)).sorted())


@pytest.mark.parametrize("n", [0, 1, TILE - 1, TILE, TILE + 1])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_tiles_lose_and_repeat_no_pair_at_awkward_sizes(n: int, k: int) -> None:
    """A floor of 0 keeps every pair, so each of the n·k must be there once, in both orders of the sides."""
    for sizes in ((n, k), (k, n)):
        pairs = Pairs.concatenate(ENGINE.all_pairs(filters(sizes[0]), filters(sizes[1]), floor=0.0)).sorted()
        expected = np.indices(sizes).reshape(2, -1)
        assert (expected[0].tolist(), expected[1].tolist()) == (pairs.left.tolist(), pairs.right.tolist())


def test_pairs_of_later_tiles_have_the_similarity_of_their_rows() -> None:
    """Row numbers are shifted by the tile; a slip would give a pair its neighbour's similarity."""
    a, b = filters(TILE + 3), filters(TILE + 2, seed=2)
    pairs = Pairs.concatenate(ENGINE.all_pairs(a, b, floor=0.55))
    assert len(pairs) > 100
    assert pairs.left.max() >= TILE
    assert pairs.similarity.tolist() == ENGINE.similarities(a, b, pairs.left, pairs.right).tolist()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=20))
def test_similarities_of_a_list_follow_its_order(pairs: list[tuple[int, int]]) -> None:
    """Candidates come in any order and may repeat a row."""
    a, b = filters(5, m=130), filters(7, m=130, seed=2)
    table = {(i, j): similarity for i, j, similarity in naive(a, b, 0.0)}
    rows = np.array(pairs, np.int32).reshape(-1, 2)
    assert [table[pair] for pair in pairs] == ENGINE.similarities(a, b, rows[:, 0], rows[:, 1]).tolist()


def test_long_lists_are_compared_in_steps_that_join_up() -> None:
    """A list longer than one step of gathered words gives the same as its parts."""
    a, b = filters(3, m=65536), filters(3, m=65536, seed=2)
    rows = np.arange(1300, dtype=np.int32)
    left, right = rows % 3, (rows // 3) % 3
    parts = [ENGINE.similarities(a, b, left[i : i + 1], right[i : i + 1])[0] for i in range(9)]
    assert (parts * 145)[:1300] == ENGINE.similarities(a, b, left, right).tolist()


def _peak(n: int) -> int:
    a, b = filters(n), filters(n, seed=2)
    tracemalloc.start()
    try:
        kept = sum(len(pairs) for pairs in ENGINE.all_pairs(a, b, floor=0.95))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert kept < n
    return peak


@pytest.mark.slow
def test_memory_of_all_pairs_does_not_grow_with_the_number_compared() -> None:
    """Twice the pairs, the same peak: there is never an N×M matrix, not even one of flags, which would add 13 %."""
    assert _peak(3 * TILE - 100) < 1.05 * _peak(2 * TILE)


def test_without_blocking_keys_all_pairs_are_compared() -> None:
    """A schema without keys promises that no pair is missed."""
    a, b = filters(4), filters(5, seed=2)
    found = comparing(ENGINE, floor=0.3, max_block=1)(
        Encoded(a, np.empty((4, 0, 16), np.uint8)),
        Encoded(b, np.empty((5, 0, 16), np.uint8)),
    )
    assert (20, 0) == (found.compared, found.skipped_blocks)
    assert naive(a, b, 0.3) == listed(found.pairs)


def keyed(n: int, *, keys: int, seed: int) -> Encoded:
    """Records in a few blocks for each of several keys; one in ten keys is missing."""
    rng = np.random.default_rng([seed, n])
    hashed = np.zeros((n, keys, 16), np.uint8)
    hashed[:, :, 0] = rng.integers(1, 5, (n, keys)) * (rng.random((n, keys)) > 0.1)
    return Encoded(filters(n, seed=seed), hashed)


@pytest.mark.parametrize("keys", [0, 1, 3])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (2 * TILE + 1, TILE + 1)])
def test_the_share_that_is_done_grows_from_nothing_to_all(keys: int, sizes: tuple[int, int]) -> None:
    """With blocking keys and without, also where there is nothing to compare: whoever waits sees how far it is."""
    left, right = (keyed(n, keys=keys, seed=seed) for n, seed in zip(sizes, (1, 2), strict=True))
    seen: list[float] = []
    comparing(ENGINE, floor=0.6, max_block=10**9)(left, right, share=seen.append)
    assert sorted(seen) == seen
    assert (0.0, 1.0) == (seen[0], seen[-1])
    assert not min(sizes) or len(set(seen)) > 3


def test_without_keys_the_share_is_exact() -> None:
    """Two rows of tiles, each a whole one and a quarter: after every tile it is known how much is done."""
    left, right = (keyed(n, keys=0, seed=seed) for n, seed in ((2 * TILE, 1), (TILE + 512, 2)))
    seen: list[float] = []
    comparing(ENGINE, floor=0.9, max_block=1)(left, right, share=seen.append)
    assert [0.0, 0.4, 0.5, 0.9, 1.0, 1.0] == seen


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 4), st.integers(1, 9), st.sampled_from([5, 10**9]))
def test_there_are_never_more_candidates_than_the_blocks_say(n: int, k: int, keys: int, seed: int, most: int) -> None:
    """Exact for one key; pairs that agree on several are counted for each. The share could exceed 1 otherwise."""
    left, right = keyed(n, keys=keys, seed=seed), keyed(k, keys=keys, seed=seed + 1)
    blocks = Blocks.of(left.keys, right.keys, max_block=most)
    candidates = sum(len(some) for some, _ in blocks.candidates())
    assert candidates <= blocks.most_candidates <= keys * candidates
    assert keys > 1 or candidates == blocks.most_candidates


@pytest.mark.parametrize("keys", [0, 2])
@pytest.mark.parametrize("name", ["reference", "cpu"])
def test_whoever_follows_the_share_can_end_a_comparison(name: str, keys: int) -> None:
    """At every moment; and the engine goes on to serve others."""
    sides = keyed(TILE + 1, keys=keys, seed=1), keyed(TILE + 1, keys=keys, seed=2)
    compare = comparing(choose(name), floor=0.8, max_block=10**9)
    whole: list[float] = []
    expected = compare(*sides, share=whole.append)
    for moment in range(len(whole)):
        seen: list[float] = []

        def follow(share: float, seen: list[float] = seen, moment: int = moment) -> None:
            seen.append(share)
            if len(seen) > moment:
                raise Cancelled("enough")

        with pytest.raises(Cancelled):
            compare(*sides, share=follow)
        assert moment + 1 == len(seen)
    assert listed(expected.pairs) == listed(compare(*sides).pairs)


# Nearest neighbours beside blocking keys

MANY = 10**9


def kin(n: int, k: int, *, keys: int, seed: int) -> tuple[Encoded, Encoded]:
    """Two owners; half of the shorter side is in the other one too, with a few bits changed."""
    left, right = keyed(n, keys=keys, seed=seed), keyed(k, keys=keys, seed=seed + 1)
    same = min(n, k) // 2
    flipped = np.random.default_rng(seed).integers(0, 2**63, (same, 1), dtype=np.uint64)
    right.filters.words[:same] = left.filters.words[:same] ^ (flipped & np.uint64(0x1001001001))
    return left, Encoded(Bits(right.filters.words, right.filters.m), right.keys)


def by_definition(left: Encoded, right: Encoded, k: int, floor: float) -> tuple[list[tuple[int, int, float]], set[int]]:
    """
    The pairs that share a key or are among the k nearest of both records, and which of them are the latter.

    Of those below the floor, the ones that share two keys.
    """
    every = naive(left.filters, right.filters, 0.0)
    pairs = [pair for pair in every if pair[2] >= floor]
    lowest = max(floor, neighbour_floor(left.filters, right.filters))
    ranked = sorted((pair for pair in pairs if pair[2] >= lowest), key=lambda one: -one[2])
    near = {
        pair
        for pair in ranked
        if all(pair in [other for other in ranked if other[side] == pair[side]][:k] for side in (0, 1))
    }
    agree = (left.keys[:, None] == right.keys[None]).all(axis=3) & (left.keys.sum(axis=2)[:, None] > 0)
    shared = agree.sum(axis=2)
    found = [
        pair
        for pair in every
        if pair in near or shared[pair[0], pair[1]] > 1 or (pair[2] >= floor and shared[pair[0], pair[1]])
    ]
    return found, {at for at, pair in enumerate(found) if pair in near}


@settings(deadline=None, max_examples=25)
@given(
    st.tuples(st.integers(1, 30), st.integers(1, 60)),
    st.integers(0, 2),
    st.integers(1, 9),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.55]),
)
def test_neighbours_and_keys_together_are_what_their_definition_says(
    sizes: tuple[int, int], keys: int, seed: int, k: int, floor: float
) -> None:
    """Whether or not there are keys; engines differ in how they work, never in what they find."""
    sides = kin(*sizes, keys=keys, seed=seed)
    pairs, near = by_definition(*sides, k, floor)
    for name in ("reference", "cpu"):
        compare = comparing(choose(name), floor=floor, max_block=MANY, neighbours=Neighbours(k, MANY))
        found = compare(*sides)
        assert found.near is not None
        assert pairs == listed(found.pairs)
        assert near == set(np.flatnonzero(found.near).tolist())
        assert (sizes[0] * sizes[1], 0) == (found.compared, found.skipped_blocks)


def test_larger_registers_are_searched_for_neighbours_above_the_floor_of_strangers() -> None:
    """Where most pairs are dropped as they come; the same for all engines."""
    sides = kin(150, 130, keys=1, seed=4)
    assert neighbour_floor(sides[0].filters, sides[1].filters) > 0.4
    pairs, near = by_definition(*sides, 3, 0.3)
    for name in ("reference", "cpu"):
        found = comparing(choose(name), floor=0.3, max_block=MANY, neighbours=Neighbours(3, MANY))(*sides)
        assert found.near is not None
        assert pairs == listed(found.pairs)
        assert near == set(np.flatnonzero(found.near).tolist())


def test_neighbours_are_found_though_their_blocks_are_skipped() -> None:
    """Blocks that are too large are still counted; who is near is a candidate without them."""
    sides = kin(20, 20, keys=1, seed=2)
    found = comparing(ENGINE, floor=0.5, max_block=1, neighbours=Neighbours(2, MANY))(*sides)
    assert found.skipped_blocks > 0
    assert found.near is not None
    assert found.near.all()
    assert {(at, at) for at in range(10)} <= {(i, j) for i, j, _ in listed(found.pairs)}


def test_neighbours_are_looked_for_up_to_the_most_pairs() -> None:
    """One pair more, or none asked for, and the candidates are those of the keys."""
    sides = kin(12, 10, keys=2, seed=3)
    plain = comparing(ENGINE, floor=0.5, max_block=MANY)(*sides)
    for neighbours in (Neighbours(), Neighbours(0, MANY), Neighbours(5, 119)):
        found = comparing(ENGINE, floor=0.5, max_block=MANY, neighbours=neighbours)(*sides)
        assert found.near is None
        assert plain.compared == found.compared
    assert comparing(ENGINE, floor=0.5, max_block=MANY, neighbours=Neighbours(5, 120))(*sides).near is not None


def test_without_keys_neighbours_are_looked_for_however_many_pairs_there_are() -> None:
    """All pairs are compared then in any case, and all above the floor would be more than any machine holds."""
    sides = kin(12, 10, keys=0, seed=3)
    few, many = (
        comparing(ENGINE, floor=0.5, max_block=MANY, neighbours=Neighbours(5, most))(*sides) for most in (119, 120)
    )
    assert few.near is not None
    assert listed(many.pairs) == listed(few.pairs)
    assert comparing(ENGINE, floor=0.5, max_block=MANY)(*sides).near is None


def test_neighbours_are_as_the_owners_agreed() -> None:
    protocol = ProtocolSettings(neighbours=7, most_compared=1234)
    assert Neighbours(7, 1234) == Neighbours.of(protocol)
    assert 0 == Neighbours.of(ProtocolSettings()).k


@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (5, 0)])
@pytest.mark.parametrize("keys", [0, 2])
def test_nobody_has_no_neighbours(sizes: tuple[int, int], keys: int) -> None:
    """An owner without records ends a run; it does not break it."""
    left, right = (keyed(n, keys=keys, seed=1) for n in sizes)
    found = comparing(ENGINE, floor=0.5, max_block=MANY, neighbours=Neighbours(5, MANY))(left, right)
    assert (0, 0) == (len(found.pairs), found.compared)


@pytest.mark.parametrize("keys", [0, 3])
def test_the_share_grows_to_all_while_neighbours_are_looked_for(keys: int) -> None:
    """First all pairs, then those of the keys; progress counts the former, of which there are as many as compared."""
    sides = kin(TILE + 1, TILE + 1, keys=keys, seed=1)
    shares: list[float] = []
    counts: list[int] = []
    compare = comparing(ENGINE, floor=0.6, max_block=MANY, neighbours=Neighbours(2, MANY), progress=counts.append)
    found = compare(*sides, share=shares.append)
    assert sorted(shares) == shares
    assert (0.0, 1.0) == (shares[0], shares[-1])
    assert len(set(shares)) > 4
    assert sorted(counts) == counts
    assert (TILE + 1) ** 2 == counts[-1] == found.compared
    assert (0.8 in shares) == (keys > 0)


@pytest.mark.parametrize("keys", [0, 2])
def test_a_search_for_neighbours_can_be_ended_at_every_moment(keys: int) -> None:
    """During all pairs as during those of the keys."""
    sides = kin(40, 40, keys=keys, seed=1)
    compare = comparing(ENGINE, floor=0.5, max_block=MANY, neighbours=Neighbours(2, MANY))
    whole: list[float] = []
    compare(*sides, share=whole.append)
    for moment in range(len(whole)):
        seen: list[float] = []

        def follow(share: float, seen: list[float] = seen, moment: int = moment) -> None:
            seen.append(share)
            if len(seen) > moment:
                raise Cancelled("enough")

        with pytest.raises(Cancelled):
            compare(*sides, share=follow)
        assert whole[: moment + 1] == seen


def test_no_parts_make_no_pairs() -> None:
    """An engine that found nothing yields nothing at all."""
    assert 0 == len(Pairs.concatenate([]))


def test_printing_encoded_records_shows_no_key_and_no_filter() -> None:
    """Hashed blocking keys are an encoding too."""
    keys = np.full((2, 1, 16), 171, np.uint8)
    assert "Encoded(<2 records>)" == repr(Encoded(filters(2), keys))


def test_engines_are_chosen_by_name() -> None:
    """A misspelt engine is refused with the names there are, rather than replaced."""
    assert "reference" == choose("reference").name
    assert choose().name
    with pytest.raises(EngineError) as error:
        choose("refrence")
    assert "reference" in str(error.value.hint)
