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
from unveil.linkage.engine import Encoded, comparing
from unveil.linkage.pairs import Pairs

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
