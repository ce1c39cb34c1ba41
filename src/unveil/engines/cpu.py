"""
The CPU engine: Numba kernels on all cores, exact and bounded in memory.

* `cpu_vectors`  the innermost loops as vector code
* `cpu_tiles`    large pieces: packed rows, skipped by number of ones and left early
* `cpu_pieces`   pieces of any size, one after the other
* `cpu_lists`    lists of pairs
* `cpu_layout`   rows in order, pieces, tasks
* `cpu_threads`  tasks on threads, hits streamed out
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

from unveil.engines.cpu_layout import arrange, dense_codes, grid, join, left_step
from unveil.engines.cpu_lists import list_similarities, survivors
from unveil.engines.cpu_threads import HITS, Job, stream
from unveil.engines.cpu_vectors import LANES, ROWS
from unveil.engines.cpu_work import Int32s, Int64s, Rule, Side
from unveil.engines.measure import check_alike, needed
from unveil.errors import EngineError
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Measure, Progress
from unveil.linkage.pairs import Pairs, Rows

MEASURES: Final = get_args(Measure)
_SAMPLE: Final = 4096
_LIST_STEP: Final = 1 << 16
_SLOW: Final = 16  # what a group that is not left early costs beside its words, in words


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
            if len(rows) and not (0 <= rows.min() and rows.max() < len(side)):
                raise IndexError(f"a row is outside the {len(side)} filters")
        if len(left) != len(right):
            raise ValueError("a list of pairs needs as many left as right rows")
        words = [_words(side) for side in (a, b)]
        sides = [_side(w, side, _NO_ROWS, _NO_CODES) for w, side in zip(words, (a, b), strict=True)]
        out = np.empty(len(left))

        def step(start: int) -> None:
            part = slice(start, start + _LIST_STEP)
            list_similarities(
                *sides, MEASURES.index(measure), a.m, a.words.shape[1], left[part], right[part], out[part]
            )

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
        words = _words(a), _words(b)
        left, right = (
            _side(w, side, np.argsort(side.popcounts, kind="stable").astype(np.int32), _NO_CODES)
            for w, side in zip(words, (a, b), strict=True)
        )
        pieces = grid(len(a), len(b), left_step(len(a), self.threads))
        rule = _rule(a, b, floor, measure)
        rule = _with_prefix(rule, left, right, np.array([0, len(a), 0, len(b)]))
        job = Job(left, right, rule, pieces, words)
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
        check_alike(a, b)
        jobs = self._block_jobs(a, b, blocks, _rule(a, b, floor, measure))
        yield from stream(jobs, threads=self.threads, buffer=self._buffer, progress=progress)

    def _block_jobs(self, a: Bits, b: Bits, blocks: Blocks, rule: Rule) -> Iterator[Job]:
        """One job for each key: its blocks, less the pairs of the keys before."""
        words = _words(a), _words(b)
        codes = dense_codes(blocks)
        for key in range(codes[0].shape[0]):
            rows = [arrange(part[key], side.popcounts) for part, side in zip(codes, (a, b), strict=True)]
            left, right = (
                _side(w, side, order, part[:key, order])
                for w, side, order, part in zip(words, (a, b), rows, codes, strict=True)
            )
            pieces = _pieces(*(part[key][order] for part, order in zip(codes, rows, strict=True)), self.threads)
            if len(pieces):
                largest = pieces[((pieces[:, 1] - pieces[:, 0]) * (pieces[:, 3] - pieces[:, 2])).argmax()]
                yield Job(left, right, _with_prefix(rule, left, right, largest), pieces, words)


_NO_ROWS: Final = np.empty(0, np.int32)
_NO_CODES: Final = np.empty((0, 0), np.int32)


def _words(bits: Bits) -> NDArray[np.uint64]:
    """The filters row by row in this machine's byte order; a copy only if they are not so already."""
    return np.ascontiguousarray(bits.words, np.uint64)


def _side(words: NDArray[np.uint64], bits: Bits, rows: Int32s, codes: Int32s) -> Side:
    """The filters in that order; in their own if there is none."""
    ones = bits.popcounts[rows] if rows is not _NO_ROWS else bits.popcounts
    return Side(words.ctypes.data, rows, np.ascontiguousarray(ones), np.ascontiguousarray(codes))


def _rule(a: Bits, b: Bits, floor: float, measure: Measure) -> Rule:
    words = a.words.shape[1]
    most = int(a.popcounts.max(initial=0)) + int(b.popcounts.max(initial=0))
    return Rule(needed(floor, most=most, m=a.m, measure=measure), MEASURES.index(measure), a.m, words, words)


def _pieces(left: Int32s, right: Int32s, threads: int) -> Int64s:
    step = left_step(len(left), threads)
    pieces = np.empty((join(left, right, step, np.empty((0, 4), np.int64)), 4), np.int64)
    join(left, right, step, pieces)
    return pieces


def _with_prefix(rule: Rule, left: Side, right: Side, piece: Int64s) -> Rule:
    """
    The rule with the number of words after which it pays to ask whether pairs can still reach the floor.

    A sample of the piece's pairs tells the share that passes after each number of words. A group of pairs costs those
    words, and all of them again if any of its pairs passes. The choice changes the time alone, never the result.
    """
    (top, bottom, start, stop), words = piece.tolist(), rule.words
    if (bottom - top) * (stop - start) < 16 * _SAMPLE or words == 1:
        return rule
    steps = np.arange(_SAMPLE)
    # Strides by the golden ratio and the square root of two spread over any range and do not move in step.
    i = top + (steps * 0.6180339887498949 % 1 * (bottom - top)).astype(np.int64)
    j = start + (steps * 0.4142135623730951 % 1 * (stop - start)).astype(np.int64)
    alive = np.zeros(words, np.int64)
    counted = survivors(left, right, rule, i, j, alive)
    if not counted:
        return rule
    passes = 1 - (1 - alive / counted) ** (ROWS * LANES)
    again = np.where(np.arange(1, words + 1) < words, words + _SLOW, _SLOW)
    return rule._replace(prefix=int(np.argmin(np.arange(1, words + 1) + passes * again)) + 1)
