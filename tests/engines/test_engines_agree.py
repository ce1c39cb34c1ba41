# ruff: noqa: PLR0917 - Hypothesis gives each drawn value an argument
"""The same tests for each engine that the machine has: exactly the pairs and similarities of plain loops."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from filter_fixture import MEASURES, exact, filters, listed, naive, naive_blocks, numbers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.engines.cpu.engine import CpuEngine
from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded, Engine, Measure, Neighbours, comparing
from unveil.linkage.pairs import Pairs
from unveil.storage.columns_on_disk import ColumnsOnDisk

LENGTHS = [64, 100, 128, 512, 1000, 1024, 4096]
# The fixture holds no state that one example could leave to the next.
PROPERTY = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
measures = st.sampled_from(MEASURES)


def found(engine: Engine, a: Bits, b: Bits, floor: float, measure: Measure = "dice") -> list[tuple[int, int, float]]:
    return listed(Pairs.concatenate(engine.all_pairs(a, b, floor=floor, measure=measure)))


@PROPERTY
@given(
    st.integers(0, 24), st.integers(0, 24), st.sampled_from(LENGTHS), measures,
    st.sampled_from([-0.5, 0.0, 0.3, 0.5, 2 / 3, 0.8, 1.0, 1.5]), st.integers(0, 9),
)  # fmt: skip
def test_all_pairs_are_those_of_two_plain_loops(
    engine: Engine, n: int, k: int, m: int, measure: Measure, floor: float, seed: int
) -> None:
    """Bit for bit, for every measure, with empty and full filters and empty sides among them."""
    a, b = filters(n, m, seed=seed, kin=4), filters(k, m, seed=seed + 100, kin=4)
    assert naive(a, b, floor, measure) == found(engine, a, b, floor, measure)


@pytest.mark.parametrize("m", LENGTHS)
@pytest.mark.parametrize("measure", MEASURES)
def test_a_floor_that_a_pair_attains_exactly_keeps_it(engine: Engine, m: int, measure: Measure) -> None:
    """The floor is compared with the rounded similarity itself; the next larger number leaves the pair out."""
    a, b = filters(9, m, kin=5), filters(8, m, seed=2, kin=5)
    for floor in sorted({similarity for _, _, similarity in naive(a, b, 0.2, measure)})[::7]:
        for bound in (floor, float(np.nextafter(floor, 2.0))):
            assert naive(a, b, bound, measure) == found(engine, a, b, bound, measure)


@pytest.mark.parametrize("n", [1, 63, 127, 128, 129])
@pytest.mark.parametrize("k", [1, 127, 129])
def test_awkward_sizes_lose_and_repeat_no_pair(engine: Engine, n: int, k: int) -> None:
    """Groups, quads and chunks end where the rows do not; a floor of 0 keeps every pair once."""
    a, b = filters(n, 100), filters(k, 100, seed=2)
    assert naive(a, b, 0.0) == found(engine, a, b, 0.0)


def test_more_rows_than_a_tile_holds_are_compared_with_all(engine: Engine) -> None:
    """Sizes above every engine's step; the expected pairs are the copies that were planted."""
    rng = np.random.default_rng(3)
    a = Bits(rng.integers(0, 2**63, (5000, 4), dtype=np.uint64), 256)
    order = rng.permutation(9000)[:5000]
    words = rng.integers(0, 2**63, (9000, 4), dtype=np.uint64)
    words[order] = a.words
    pairs = Pairs.concatenate(engine.all_pairs(a, Bits(words, 256), floor=1.0)).sorted()
    assert (list(range(5000)), order.tolist()) == (pairs.left.tolist(), pairs.right.tolist())


@PROPERTY
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 6)), max_size=40), st.sampled_from(LENGTHS), measures)
def test_similarities_of_a_list_follow_its_order(
    engine: Engine, pairs: list[tuple[int, int]], m: int, measure: Measure
) -> None:
    """Pairs come in any order and may repeat."""
    a, b = filters(9, m), filters(7, m, seed=2)
    x, y = numbers(a), numbers(b)
    rows = np.array(pairs, np.int32).reshape(-1, 2)
    expected = [exact(x[i], y[j], m, measure) for i, j in pairs]
    assert expected == engine.similarities(a, b, rows[:, 0], rows[:, 1], measure=measure).tolist()


codes = st.lists(st.lists(st.integers(-1, 3), min_size=3, max_size=3), max_size=30)


@PROPERTY
@given(codes, codes, measures, st.sampled_from([-1.0, 0.0, 0.5, 0.8]), st.sampled_from([64, 1000]))
def test_blocks_give_the_union_of_their_pairs_each_once(
    engine: Engine, left: list[list[int]], right: list[list[int]], measure: Measure, floor: float, m: int
) -> None:
    """Whatever the keys share, no pair is lost, repeated, or counted twice."""
    a, b = filters(len(left), m, kin=9), filters(len(right), m, seed=2, kin=9)
    blocks = Blocks(np.array(left, np.int64).reshape(-1, 3), np.array(right, np.int64).reshape(-1, 3), 0)
    counted = [0]
    pairs = engine.block_pairs(a, b, blocks, floor=floor, measure=measure, progress=counted.append)
    assert naive_blocks(a, b, blocks, floor, measure) == (listed(Pairs.concatenate(pairs)), counted[-1])


@PROPERTY
@given(codes, codes, measures, st.sampled_from([-1.0, 0.5]), st.sampled_from(["reference", "cpu"]))
def test_each_key_alone_gives_its_pairs_less_those_of_earlier_keys(
    left: list[list[int]], right: list[list[int]], measure: Measure, floor: float, name: str
) -> None:
    """So that keys may be compared in other places and at other times: together they are the union, each pair once."""
    compares = ReferenceEngine() if name == "reference" else CpuEngine(2)
    a, b = filters(len(left), 64, kin=9), filters(len(right), 64, seed=2, kin=9)
    blocks = Blocks(np.array(left, np.int64).reshape(-1, 3), np.array(right, np.int64).reshape(-1, 3), 0)
    every, counted = Counter[tuple[int, int, float]](), 0
    for key in range(3):
        seen = [0]
        found = compares.key_pairs(a, b, blocks, key, floor=floor, measure=measure, progress=seen.append)
        every.update(listed(Pairs.concatenate(found)))
        counted += seen[-1]
        up_to_here = Blocks(blocks.left[:, : key + 1], blocks.right[:, : key + 1], 0)
        expected, candidates = naive_blocks(a, b, up_to_here, floor, measure)
        assert (expected, candidates) == (sorted(every), counted)
    assert 1 == max(every.values(), default=1)


def test_few_huge_blocks_and_many_small_ones_agree_with_the_candidates(engine: Engine) -> None:
    """Both ways through the kernels, deduplicated against each other, with codes too sparse to count by."""
    rng = np.random.default_rng(5)
    a, b = filters(700, 128), filters(650, 128, seed=2)
    keys = [
        np.stack([rng.integers(0, 3, n), rng.integers(-1, 200, n) * 10**12, rng.integers(0, 2, n)], axis=1)
        for n in (700, 650)
    ]
    for codes_of_side in keys:
        codes_of_side[codes_of_side < 0] = -1
    blocks = Blocks(keys[0], keys[1], 0)
    left, right = (np.concatenate(part) for part in zip(*blocks.candidates(), strict=True))
    similarity = engine.similarities(a, b, left, right)
    kept = similarity >= 0.5
    expected = listed(Pairs(left[kept], right[kept], similarity[kept]))
    counted: list[int] = []
    pairs = Pairs.concatenate(engine.block_pairs(a, b, blocks, floor=0.5, progress=counted.append))
    assert (expected, len(left)) == (listed(pairs), counted[-1])


def test_progress_ends_with_the_number_of_pairs(engine: Engine) -> None:
    """A bar must reach its end, and skipped pairs are decided too."""
    told: list[int] = []
    list(engine.all_pairs(filters(300, 64), filters(200, 64, seed=2), floor=0.9, progress=told.append))
    assert 60_000 == told[-1]
    assert sorted(told) == told


def test_read_only_and_strided_filters_are_compared_where_they_lie(engine: Engine) -> None:
    """Filters arrive as read-only columns; a view with gaps is legal as well."""
    a, b = filters(20, 128, kin=5), filters(10, 128, seed=2, kin=5)
    frozen = Bits.from_bytes(a.to_bytes(), 128)
    wide = np.zeros((20, 2), np.uint64)
    wide[::2] = b.words
    assert naive(a, b, 0.4) == found(engine, frozen, Bits(wide[::2], 128), 0.4)


def test_filters_of_different_lengths_are_refused(engine: Engine) -> None:
    """Same number of words, other meaning: the result would look right."""
    rows = np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="cannot be compared"):
        engine.similarities(filters(2, 100), filters(2, 128), rows, rows)
    with pytest.raises(ValueError, match="cannot be compared"):
        list(engine.all_pairs(filters(2, 100), filters(2, 128), floor=0.5))


def test_comparing_counts_candidates_and_tells_progress(engine: Engine) -> None:
    """The record unit reports how many pairs were compared, whichever engine did it."""
    keys = np.full((3, 2, 16), 7, np.uint8)
    a, b = filters(3, 64), filters(3, 64, seed=2)
    told: list[int] = []
    result = comparing(engine, floor=0.3, max_block=100, progress=told.append)(Encoded(a, keys), Encoded(b, keys))
    assert (9, 9) == (result.compared, told[-1])
    assert naive(a, b, 0.3) == listed(result.pairs)


@pytest.mark.parametrize("neighbours", [Neighbours(), Neighbours(3, 10**9), Neighbours(3, 1)])
@pytest.mark.parametrize("keys", [0, 2])
def test_pairs_on_the_disk_are_those_in_memory(
    engine: Engine, tmp_path: Path, neighbours: Neighbours, keys: int
) -> None:
    """Where columns lie says nothing about what they hold: all pairs, blocks, neighbours, blocks that are cut."""
    rng = np.random.default_rng(8)
    sides = []
    for seed, rows in ((1, 120), (2, 90)):
        hashed = np.zeros((rows, keys, 16), np.uint8)
        hashed[:, :, 0], hashed[:, :, 15] = rng.integers(0, 5, (rows, keys)), 1
        sides.append(Encoded(filters(rows, 128, seed=seed, kin=60), hashed))
    tmp_path.chmod(0o700)
    in_memory, on_disk = (
        comparing(engine, floor=0.3, max_block=10**6, neighbours=neighbours, room=room)(*sides)
        for room in (None, ColumnsOnDisk(tmp_path, memory=300))
    )
    for column in ("left", "right", "similarity"):
        assert getattr(in_memory.pairs, column).tobytes() == getattr(on_disk.pairs, column).tobytes()
    assert (in_memory.compared, in_memory.skipped_blocks) == (on_disk.compared, on_disk.skipped_blocks)
    assert (in_memory.near is None) == (on_disk.near is None)
    if in_memory.near is not None and on_disk.near is not None:
        assert in_memory.near.tolist() == on_disk.near.tolist()
    if in_memory.tail is not None and on_disk.tail is not None:
        assert in_memory.tail.across.tobytes() == on_disk.tail.across.tobytes()
