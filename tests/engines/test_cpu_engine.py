"""What is the CPU engine's own: threads, buffers that fill up, early exits, compilation without a cache, memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from filter_fixture import MEASURES, filters, listed, naive
from numpy.typing import NDArray

from unveil.engines.cpu import engine as cpu_engine
from unveil.engines.cpu.engine import CpuEngine
from unveil.engines.cpu.layout import tasks, weigh
from unveil.engines.measure import needed, similarity
from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Measure
from unveil.linkage.pairs import Pairs

REFERENCE = ReferenceEngine()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("m", "floor"), [(1024, 0.7), (1024, 0.4), (500, 0.6), (64, 0.7), (4096, 0.5)])
def test_leaving_pairs_early_loses_none(threads: int, measure: Measure, m: int, floor: float) -> None:
    """From here on rows suffice for the engine to sample its pairs and stop after some of their words."""
    a, b = filters(700, m, kin=300), filters(650, m, seed=2, kin=300)
    expected = listed(Pairs.concatenate(REFERENCE.all_pairs(a, b, floor=floor, measure=measure)))
    found = listed(Pairs.concatenate(CpuEngine(threads).all_pairs(a, b, floor=floor, measure=measure)))
    assert expected == found
    assert 100 < len(found)


@pytest.mark.parametrize(("m", "prefix"), [(64, 0), (64, 1), (128, 2), (192, 2), (300, 4), (1088, 16), (1088, 17)])
def test_words_are_counted_by_twos_wherever_the_prefix_ends(
    m: int, prefix: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last word of an odd number stands alone, before the prefix's end or behind it."""
    monkeypatch.setattr(cpu_engine, "_with_prefix", lambda rule, *_: rule._replace(prefix=prefix))
    a, b = filters(61, m, kin=20), filters(77, m, seed=2, kin=20)
    for floor in (0.0, 0.5, 0.8):
        expected = listed(Pairs.concatenate(REFERENCE.all_pairs(a, b, floor=floor)))
        assert expected == listed(Pairs.concatenate(CpuEngine(1).all_pairs(a, b, floor=floor)))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("n", "k"), [(40, 50), (3, 200), (200, 3)])
def test_a_full_buffer_loses_no_hit_and_repeats_none(threads: int, n: int, k: int) -> None:
    """With room for a single quad and group, every task stops and goes on many times."""
    a, b = filters(n, 100), filters(k, 100, seed=2)
    parts = list(CpuEngine(threads, buffer=1).all_pairs(a, b, floor=0.0))
    assert 32 >= max(len(part) for part in parts)
    assert naive(a, b, 0.0) == listed(Pairs.concatenate(parts))


def test_a_full_buffer_counts_no_candidate_of_a_block_twice() -> None:
    """Going on in the middle of a block must not begin it again."""
    rng = np.random.default_rng(1)
    codes = [rng.integers(-1, 3, (60, 2)), rng.integers(-1, 3, (70, 2))]
    a, b, blocks = filters(60, 64), filters(70, 64, seed=2), Blocks(codes[0], codes[1], 0)
    counted: list[int] = []
    parts = CpuEngine(2, buffer=1).block_pairs(a, b, blocks, floor=0.0, progress=counted.append)
    expected = [
        (i, j) for left, right in blocks.candidates() for i, j in zip(left.tolist(), right.tolist(), strict=True)
    ]
    assert sorted(expected) == [(i, j) for i, j, _ in listed(Pairs.concatenate(parts))]
    assert len(expected) == counted[-1]


@pytest.mark.parametrize("m", [40, 512, 1000, 1024, 1536])
@pytest.mark.parametrize(("left", "right"), [(0, 0), (2, 2), (2, 5), (7, 0)])
def test_small_blocks_agree_wherever_in_memory_their_rows_begin(m: int, left: int, right: int) -> None:
    """Which words of a row are looked at first depends on where its array begins; what is found must not."""
    a, b = (_begun_at(filters(120, m, seed=seed, kin=60), skip) for seed, skip in ((1, left), (2, right)))
    rng = np.random.default_rng(3)
    codes = [np.append(np.arange(60), rng.integers(-1, 30, 60))[:, None] for _ in range(2)]
    blocks = Blocks(codes[0], codes[1], 0)
    for floor in (0.0, 0.4, 0.7):
        expected = listed(Pairs.concatenate(REFERENCE.block_pairs(a, b, blocks, floor=floor)))
        assert expected == listed(Pairs.concatenate(CpuEngine(1).block_pairs(a, b, blocks, floor=floor)))
        assert 10 < len(expected)


def _begun_at(bits: Bits, skip: int) -> Bits:
    """The same filters so many words behind the beginning of a line of memory."""
    whole = np.zeros(bits.words.size + 16, np.uint64)
    first = (-whole.ctypes.data // 8) % 8 + skip
    words = whole[first : first + bits.words.size].reshape(bits.words.shape)
    words[:] = bits.words
    return Bits(words, bits.m)


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_tasks_are_all_pieces_in_turn_and_none_is_much_larger_than_the_others(threads: int) -> None:
    """A gap would lose pairs; a task as large as all others together would leave threads idle."""
    rng = np.random.default_rng(1)
    sizes = rng.choice([1, 2, 300], (20_000, 2), p=[0.5, 0.49, 0.01])
    pieces = np.zeros((len(sizes), 4), np.int32)
    pieces[:, [1, 3]] = sizes
    work, largest = weigh(pieces)
    assert 300 * 300 == sizes[largest].prod()
    found = tasks(pieces, work, threads)
    assert list(range(len(pieces))) == [piece for first, last in found for piece in range(first, last)]
    assert 4 * threads < len(found) or work < 4 * threads << 17
    assert max(work // (8 * threads), 1 << 17) + 91_000 > max(
        int((sizes[first:last].prod(axis=1) + 64).sum()) for first, last in found
    )


def test_a_reader_who_stops_early_stops_the_threads() -> None:
    """Taking the first hits of a large comparison must not compute the rest."""
    a = filters(4000, 64)
    told: list[int] = []
    stream = CpuEngine(2).all_pairs(a, a, floor=0.0, progress=told.append)
    next(stream)
    assert isinstance(stream, Generator)
    stream.close()
    assert 4000 * 4000 > told[-1]


def test_a_long_list_is_shared_out_and_joined_up() -> None:
    """Lists longer than a thread's step give what their pairs give one by one."""
    a, b = filters(50, 128), filters(60, 128, seed=2)
    rng = np.random.default_rng(2)
    left, right = rng.integers(0, 50, 200_001, dtype=np.int32), rng.integers(0, 60, 200_001, dtype=np.int32)
    expected = REFERENCE.similarities(a, b, left, right)
    assert expected.tolist() == CpuEngine(2).similarities(a, b, left, right).tolist()


@pytest.mark.parametrize("row", [-1, 5])
def test_rows_that_are_not_there_are_refused(row: int) -> None:
    """Kernels check no bounds: a wrong row would read other memory."""
    with pytest.raises(IndexError, match="outside the 5 filters"):
        CpuEngine(1).similarities(filters(5, 64), filters(9, 64), np.array([row], np.int32), np.array([0], np.int32))
    with pytest.raises(ValueError, match="as many"):
        CpuEngine(1).similarities(filters(5, 64), filters(9, 64), np.zeros(2, np.int32), np.zeros(1, np.int32))


def common_ones(total: int) -> NDArray[np.int64]:
    return np.arange(total // 2 + 1)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("floor", [-1.0, 0.0, 0.1, 1 / 3, 0.5, 0.7, 0.8, 1.0, 1.1])
def test_needed_ones_are_the_fewest_that_reach_the_floor(measure: Measure, floor: float) -> None:
    """The kernels compare integers alone, so the table must decide as the similarity itself does, for every sum."""
    table = needed(floor, most=300, m=150, measure=measure)
    for total in range(301):
        common = common_ones(total)
        reached = similarity(common, np.full_like(common, total), 0 * common, m=150, measure=measure) >= floor
        assert reached.tolist() == (common >= table[total]).tolist()
    assert {0, 1} >= set(np.diff(table).tolist())


SCRIPT = """
import resource, sys
import numpy as np
from unveil.engines.cpu import engine as cpu_engine
from unveil.engines.cpu.engine import CpuEngine
from unveil.engines.cpu.layout import tasks, weigh
from unveil.linkage.bits import Bits
rng = np.random.default_rng(1)
words = [rng.integers(0, 2**63, (int(sys.argv[1]), 4), dtype=np.uint64) for _ in range(2)]
a, b = (Bits(part, 256) for part in words)
engine = CpuEngine(2)
list(engine.all_pairs(Bits(a.words[:99], 256), Bits(b.words[:99], 256), floor=0.9))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kept = sum(len(pairs) for pairs in engine.all_pairs(a, b, floor=float(sys.argv[2])))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, kept)
"""


def growth(rows: int, floor: float) -> tuple[int, int]:
    """Kilobytes that a process grew by while comparing, and the pairs that it found."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(rows), str(floor)], check=True, capture_output=True, text=True
    )
    kilobytes, kept = done.stdout.split()
    return int(kilobytes), int(kept)


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is reported in other units elsewhere")
def test_memory_is_bounded_by_the_buffers_however_many_pairs_there_are() -> None:
    """9 million pairs, all of them hits, would be 144 MB at once; 64 million compared would be 8 MB even as bits."""
    kilobytes, kept = growth(3000, 0.0)
    assert 9_000_000 == kept
    assert 60_000 > kilobytes
    kilobytes, kept = growth(8000, 0.95)
    assert 0 == kept
    assert 20_000 > kilobytes


def test_without_a_writable_folder_for_compiled_code_the_engine_still_works(tmp_path: Path) -> None:
    """A read-only installation for a user without a home folder has no place to keep machine code."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    script = (
        "import unveil.engines.cpu.compile\n"
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "from unveil.engines.cpu.layout import join\n"
        "import numpy as np\n"
        "print(join(np.array([0, 1], np.int32), np.array([0, 2], np.int32), 4, np.empty((0, 4), np.int32)))\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(blocked)}
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=environment)
    assert "1\n" == done.stdout


def test_compiled_code_is_renewed_when_any_kernel_changes() -> None:
    """A kernel contains the kernels of other files, which Numba alone would not look at."""
    from unveil.engines.cpu import compile as cpu_compile
    from unveil.engines.cpu.pieces import compare_pieces

    index = compare_pieces._cache._cache_file  # type: ignore[attr-defined]
    assert cpu_compile._sources() == index._source_stamp


def test_both_words_and_bits_of_an_odd_length_count() -> None:
    """1000 bits end inside a word; a copy of a filter is as similar as can be by every measure."""
    a = filters(20, 1000)
    rows = np.arange(1, 20, dtype=np.int32)
    rows = rows[a.popcounts[rows] > 0]
    for measure in MEASURES:
        assert {1.0} == set(CpuEngine(1).similarities(a, Bits(a.words, 1000), rows, rows, measure=measure).tolist())
