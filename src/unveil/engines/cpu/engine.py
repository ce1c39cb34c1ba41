"""
The CPU engine: Numba kernels on all cores, exact and bounded in memory.

* `cpu_vectors`  the innermost loops as vector code
* `cpu_tiles`    large pieces: packed rows, skipped by number of ones and left early
* `cpu_small`    small pieces: one line of memory of each row, asked for ahead
* `cpu_pieces`   pieces of any size, one after the other
* `cpu_lists`    lists of pairs
* `cpu_layout`   rows in order, pieces, tasks
* `cpu_threads`  tasks on threads, hits streamed out
* `cpu_memory`   arrays by address
* `cpu_work`     what the kernels work on
* `cpu_compile`  compilation, kept on disk
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.engines.cpu.layout import arrange, dense_codes, grid, join, left_step, weigh
from unveil.engines.cpu.lists import list_similarities, survivors
from unveil.engines.cpu.threads import HITS, Job, stream
from unveil.engines.cpu.vectors import LANES, ROWS
from unveil.engines.cpu.work import Int32s, Int64s, Ordered, Rule, chunk_rows
from unveil.engines.measure import check_alike, needed
from unveil.errors import EngineError
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Measure, Progress
from unveil.linkage.pairs import Pairs, Rows

MEASURES: Final = get_args(Measure)
_SAMPLE: Final = 1024
_LIST_STEP: Final = 1 << 16
_SORT_ALONE: Final = 1 << 15
_BREAK: Final = 2  # what it costs to go on after the prefix, in words


def problem() -> EngineError | None:
    """Why this engine cannot work here; None if it can, as it can wherever Numba could be imported."""
    return None


def cores() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


class CpuEngine:
    """Compares on `threads` threads, as many as there are cores if not given."""

    name = "cpu"

    def __init__(self, threads: int | None = None, *, buffer: int = HITS) -> None:
        self.threads = threads or cores()
        self._buffer = max(buffer, ROWS * LANES)

    def similarities(
        self, a: Bits, b: Bits, left: Rows, right: Rows, *, measure: Measure = "dice"
    ) -> NDArray[np.float64]:
        """Similarity of each given pair of rows."""
        check_alike(a, b)
        left, right = (np.ascontiguousarray(rows, np.int32) for rows in (left, right))
        for rows, side in ((left, a), (right, b)):
            # The kernels do not check bounds, so a wrong row must not get as far.
            if len(rows) and not (rows.min() >= 0 and rows.max() < len(side)):
                raise IndexError(f"a row is outside the {len(side)} filters")
        if len(left) != len(right):
            raise ValueError("a list of pairs needs as many left as right rows")
        sides = [
            Ordered.of(_words(side), rows, side.popcounts, _no_codes(rows)) for side, rows in ((a, left), (b, right))
        ]
        out = np.empty(len(left))
        rule = _rule(np.empty(0, np.int32), a, measure)
        plain = tuple(sides[0].side), tuple(sides[1].side), tuple(rule)

        def step(start: int) -> None:
            stop = min(start + _LIST_STEP, len(out))
            list_similarities(*plain, start, stop, out.ctypes.data)

        starts = range(0, len(left), _LIST_STEP)
        if len(starts) > 1 and self.threads > 1:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(step, starts))
        else:
            for start in starts:
                step(start)
        return out

    def all_pairs(
        self, a: Bits, b: Bits, *, floor: float, measure: Measure = "dice", progress: Progress | None = None
    ) -> Iterator[Pairs]:
        """Every pair at or above the floor, streamed; memory is bounded by the buffers and the pairs not yet taken."""
        check_alike(a, b)
        left, right = _by_ones(a), _by_ones(b)
        pieces = grid(len(a), len(b), left_step(len(a), self.threads))
        need = _needed(a, b, floor, measure)
        rule = _with_prefix(_rule(need, a, measure), left, right, np.array([0, len(a), 0, len(b)], np.int32))
        job = Job(left, right, rule, need, pieces, weigh(pieces)[0])
        yield from stream([job], threads=self.threads, buffer=self._buffer, progress=progress)

    def block_pairs(
        self,
        a: Bits,
        b: Bits,
        blocks: Blocks,
        *,
        floor: float,
        measure: Measure = "dice",
        progress: Progress | None = None,
    ) -> Iterator[Pairs]:
        """Every candidate pair of the blocks at or above the floor, once."""
        yield from self._in_blocks(a, b, blocks, range(blocks.left.shape[1]), floor, measure, progress)

    def key_pairs(
        self,
        a: Bits,
        b: Bits,
        blocks: Blocks,
        key: int,
        *,
        floor: float,
        measure: Measure = "dice",
        progress: Progress | None = None,
    ) -> Iterator[Pairs]:
        """The candidate pairs of one key less those of the keys before it; progress counts these alone."""
        yield from self._in_blocks(a, b, blocks, range(key, key + 1), floor, measure, progress)

    def _in_blocks(
        self, a: Bits, b: Bits, blocks: Blocks, keys: range, floor: float, measure: Measure, progress: Progress | None
    ) -> Iterator[Pairs]:
        check_alike(a, b)
        need = _needed(a, b, floor, measure)
        jobs = self._block_jobs(a, b, blocks, keys, need, _rule(need, a, measure))
        yield from stream(jobs, threads=self.threads, buffer=self._buffer, progress=progress)

    def _orders(
        self, codes: tuple[Int64s, Int64s], key: int, ones: tuple[Int32s, Int32s], size: int
    ) -> list[tuple[Int32s, Int32s, Int32s]]:
        """Both sides arranged by one key, at the same time if that repays a thread."""
        arguments = codes, (key, key), ones, (size, size)
        if self.threads == 1 or min(len(ones[0]), len(ones[1])) < _SORT_ALONE:
            return list(map(arrange, *arguments))
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(arrange, *arguments))

    def _block_jobs(self, a: Bits, b: Bits, blocks: Blocks, keys: range, need: Int32s, rule: Rule) -> Iterator[Job]:
        """One job for each of these keys: its blocks, less the pairs of the keys before."""
        left, right, size = dense_codes(blocks)
        for key in keys:
            orders = self._orders((left, right), key, (a.popcounts, b.popcounts), size)
            pieces = _pieces(orders[0][2], orders[1][2], self.threads)
            if not len(pieces):
                continue
            sides = [
                Ordered.of(_words(side), rows, ones, _earlier(codes, rows, key))
                for side, codes, (rows, ones, _) in zip((a, b), (left, right), orders, strict=True)
            ]
            work, largest = weigh(pieces)
            with_prefix = _with_prefix(rule, sides[0], sides[1], pieces[largest])
            yield Job(sides[0], sides[1], with_prefix, need, pieces, work)


def _words(bits: Bits) -> NDArray[np.uint64]:
    """The filters row by row in this machine's byte order; a copy only if they are not so already."""
    return np.ascontiguousarray(bits.words, np.uint64)


def _no_codes(rows: Int32s) -> Int32s:
    """No earlier keys."""
    return np.empty((0, len(rows)), np.int32)


def _earlier(codes: Int64s, rows: Int32s, keys: int) -> Int32s:
    """The codes of the first so many keys, key after key, in the order of rows."""
    return np.ascontiguousarray(codes.take(rows, axis=0)[:, :keys].T, np.int32) if keys else _no_codes(rows)


def _by_ones(bits: Bits) -> Ordered:
    """All filters in order of their numbers of ones."""
    rows = np.argsort(bits.popcounts, kind="stable").astype(np.int32)
    return Ordered.of(_words(bits), rows, bits.popcounts[rows], _no_codes(rows))


def _needed(a: Bits, b: Bits, floor: float, measure: Measure) -> Int32s:
    most = int(a.popcounts.max(initial=0)) + int(b.popcounts.max(initial=0))
    return needed(floor, most=most, m=a.m, measure=measure)


def _rule(need: Int32s, bits: Bits, measure: Measure) -> Rule:
    """The rule without a prefix; it points into `need`."""
    words = bits.words.shape[1]
    return Rule(need.ctypes.data, MEASURES.index(measure), bits.m, words, words, chunk_rows(words))


def _pieces(left: Int32s, right: Int32s, threads: int) -> Int32s:
    """The pieces of one key's blocks, given where each code's rows begin."""
    step = left_step(int(left[-1]), threads)
    pieces = np.empty((join(left, right, step, np.empty((0, 4), np.int32)), 4), np.int32)
    join(left, right, step, pieces)
    return pieces


def _with_prefix(rule: Rule, left: Ordered, right: Ordered, piece: Int32s) -> Rule:
    """
    The rule with the number of words after which it pays to ask whether pairs can still reach the floor.

    A sample of the piece's pairs tells the share that passes after each number of words. A group of pairs costs those
    words, and the others as well if any of its pairs passes. The choice changes the time alone, never the result.
    """
    (top, bottom, start, stop), words = piece.tolist(), rule.words
    if (bottom - top) * (stop - start) < 64 * _SAMPLE or words == 1:
        return rule
    steps = np.arange(_SAMPLE)
    # Strides by the golden ratio and the square root of two spread over any range and do not move in step.
    i = top + (steps * 0.6180339887498949 % 1 * (bottom - top)).astype(np.int64)
    j = start + (steps * 0.4142135623730951 % 1 * (stop - start)).astype(np.int64)
    alive = np.zeros(words, np.int64)
    counted = survivors(tuple(left.side), tuple(right.side), tuple(rule), np.stack([i, j], axis=1), alive)
    if not counted:
        return rule
    passes = 1 - (1 - alive / counted) ** (ROWS * LANES)
    prefixes = np.append(np.arange(2, words, 2), words)
    cost = prefixes + passes[prefixes - 1] * (words - prefixes + _BREAK)
    return rule._replace(prefix=int(prefixes[np.argmin(cost)]))
