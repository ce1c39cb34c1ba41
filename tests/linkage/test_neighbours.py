"""Nearest neighbours among all pairs: who they are, and from which similarity on pairs may be some."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded, Neighbours, comparing
from unveil.linkage.neighbours import (
    by_score,
    mutual_nearest,
    neighbour_floor,
    places,
    strangers,
    united,
)
from unveil.linkage.pairs import Pairs

ENGINE = ReferenceEngine()
Listed = list[tuple[int, int, float]]
seeds = st.integers(0, 2**32 - 1)
#: Few rows and few similarities, so that ties are common; each pair once.
some_pairs = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.5, 0.6, 0.7, 0.8])),
    max_size=30,
    unique_by=lambda one: one[:2],
)


def pairs_of(listed: Listed) -> Pairs:
    left, right, similarity = zip(*listed, strict=True) if listed else ((), (), ())
    return Pairs(np.array(left, np.int32), np.array(right, np.int32), np.array(similarity, np.float64))


def listed(pairs: Pairs) -> Listed:
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True))


def better(pairs: Listed, at: int, side: int) -> int:
    """How many pairs of the same record come first: more alike, or as alike and standing before."""
    return sum(
        other[side] == pairs[at][side] and (other[2] > pairs[at][2] or (other[2] == pairs[at][2] and i < at))
        for i, other in enumerate(pairs)
    )


def people(count: int, *, seed: int, words: int = 8, fill: int = 2) -> Bits:
    """Filters of strangers; more fill means fewer ones."""
    rng = np.random.default_rng([seed, count])
    drawn = rng.integers(0, 2**64, (fill, count, words), dtype=np.uint64)
    return Bits(np.bitwise_and.reduce(drawn, axis=0), 64 * words)


def all_similarities(a: Bits, b: Bits) -> np.ndarray:
    return Pairs.concatenate(ENGINE.all_pairs(a, b, floor=0.0)).similarity


@given(some_pairs)
@settings(max_examples=60)
def test_rank_counts_what_is_better(pairs: Listed) -> None:
    """0 for the best; of equals the first."""
    some = pairs_of(pairs)
    for side, rows in enumerate((some.left, some.right)):
        assert [better(pairs, at, side) for at in range(len(pairs))] == places(
            rows, by_score(rows, some.similarity)
        ).tolist()


@given(some_pairs, st.integers(1, 4))
@settings(max_examples=60)
def test_mutual_nearest_are_those_of_two_plain_loops(pairs: Listed, k: int) -> None:
    """Among the k most similar of both records, not of one alone."""
    expected = [better(pairs, at, 0) < k and better(pairs, at, 1) < k for at in range(len(pairs))]
    assert expected == mutual_nearest(pairs_of(pairs), k).tolist()


def test_being_near_to_somebody_with_nearer_ones_is_not_enough() -> None:
    """0–0 is the best of both; 1–0 is the best that 1 has, but not the best that 0 has."""
    pairs = pairs_of([(0, 0, 0.9), (1, 0, 0.8), (1, 1, 0.7)])
    assert [True, False, False] == mutual_nearest(pairs, 1).tolist()
    assert [True, True, True] == mutual_nearest(pairs, 2).tolist()


@given(some_pairs, st.data())
@settings(max_examples=60)
def test_united_pairs_are_there_once_and_sorted_with_neighbours_marked(pairs: Listed, data: st.DataObject) -> None:
    """Found by keys, as neighbours, or as both."""
    kinds = data.draw(st.lists(st.sampled_from(["keys", "near", "both"]), min_size=len(pairs), max_size=len(pairs)))
    of = [pairs_of([pair for pair, kind in zip(pairs, kinds, strict=True) if kind != other]) for other in OTHER]
    both, near = united(of[0], of[1])
    assert sorted(pairs) == listed(both)
    expected = {pair: kind != "keys" for pair, kind in zip(pairs, kinds, strict=True)}
    assert [expected[pair] for pair in listed(both)] == near.tolist()


OTHER = ("near", "keys")


def test_rows_beyond_sixteen_bits_are_told_apart() -> None:
    """Pairs are looked up by both their rows; (1, 0) is not (0, 2³²)."""
    last = 2**31 - 1
    both, near = united(pairs_of([(last, 0, 0.5), (1, 0, 0.5)]), pairs_of([(0, last, 0.6), (last, last, 0.7)]))
    assert [(0, last, 0.6), (1, 0, 0.5), (last, 0, 0.5), (last, last, 0.7)] == listed(both)
    assert [True, False, False, True] == near.tolist()


def test_strangers_are_a_sample_of_all_pairs_and_always_the_same() -> None:
    """Units that compare again after a restart must find the same candidates."""
    a, b = people(50, seed=1), people(70, seed=2)
    sample, every = strangers(a, b, 20_000), all_similarities(a, b)
    assert float(every.mean()) == pytest.approx(float(sample.mean()), abs=0.002)
    assert float(every.std()) == pytest.approx(float(sample.std()), rel=0.05)
    assert set(sample.tolist()) <= set(every.tolist())
    assert sample.tolist() == strangers(a, b, 20_000).tolist()


@pytest.mark.parametrize(("n", "k"), [(300, 300), (1500, 1500), (60, 3000), (2500, 400)])
def test_few_strangers_stand_above_the_floor(n: int, k: int) -> None:
    """About twenty for each record at most, so that memory follows the number of records, not of pairs."""
    a, b = people(n, seed=1), people(k, seed=2)
    similarity = all_similarities(a, b)
    floor = neighbour_floor(a, b)
    assert (similarity >= floor).sum() <= 1.2 * 20 * (n + k)
    assert floor >= similarity.mean() + 1.45 * similarity.std()


def test_where_the_sample_is_too_small_for_a_quantile_the_floor_is_far_above_strangers() -> None:
    """A million records a side: one in 25,000 strangers may stand above, of which the sample has too few."""
    a, b = people(40, seed=1), people(40, seed=2)
    wide = [Bits(np.broadcast_to(bits.words[0], (1_000_000, 8)), bits.m) for bits in (a, b)]
    similarity = np.random.default_rng(1).normal(0.4, 0.03, 200_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unveil.linkage.neighbours.strangers", lambda *_: similarity)
        assert similarity.mean() + 4 * similarity.std() == pytest.approx(neighbour_floor(wide[0], wide[1]))


def test_strangers_who_are_much_alike_leave_room_below_equality() -> None:
    """Hardened or overfull filters: the quantile itself may lie at 1, where no true pair with an error would reach."""
    similarity = np.concatenate([np.full(180_000, 0.5), np.full(20_000, 1.0)])
    a, b = people(800, seed=1), people(800, seed=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unveil.linkage.neighbours.strangers", lambda *_: similarity)
        assert 0.95 == neighbour_floor(a, b)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (1, 2), (2, 2), (3, 3), (5, 4), (1, 30), (12, 12)])
def test_small_registers_lose_nobody_to_the_floor(n: int, k: int) -> None:
    """Where everybody in one is in the other, too, few of the pairs are strangers' and say little about them."""
    everybody = people(max(n, k), seed=3)
    empty = np.empty((0, 0, 16), np.uint8)
    sides = [Encoded(Bits(everybody.words[:size], everybody.m), np.resize(empty, (size, 0, 16))) for size in (n, k)]
    found = comparing(ENGINE, floor=0.5, max_block=1, neighbours=Neighbours(5, 10**9))(*sides)
    assert {(at, at) for at in range(min(n, k))} <= {(left, right) for left, right, _ in listed(found.pairs)}
