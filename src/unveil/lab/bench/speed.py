"""How fast an engine compares on this machine, within about a second, and how fast its processor could."""

from __future__ import annotations

import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.engine import Engine

_FILL: Final = 0.4  # of a typical filter
_LARGEST: Final = 1 << 18


def random_filters(rows: int, *, m: int = 1024, seed: int = 1) -> Bits:
    """Filters as full as typical ones, of nobody."""
    rng = np.random.default_rng(seed)
    packed = [np.packbits(rng.random((len(part), m)) < _FILL, axis=1) for part in np.array_split(np.arange(rows), 64)]
    return Bits(np.concatenate(packed).view(np.uint64), m)


def comparisons_per_second(engine: Engine, *, floor: float = 0.8, seconds: float = 0.4) -> float:
    """All pairs of random filters, twice as many rows each time until it takes so long; the rate of the last time."""
    rows = 512
    filters = random_filters(rows), random_filters(rows, seed=2)
    _all_pairs(engine, *filters, floor)  # compiles, or loads what is compiled
    while True:
        taken = _all_pairs(engine, *filters, floor)
        if taken >= seconds or rows >= _LARGEST:
            return rows * rows / taken
        # Aim past the goal at once: making filters takes time as well.
        rows = min(_LARGEST, rows * max(2, int((seconds / taken) ** 0.5) + 1))
        filters = tuple(_repeated(part, rows) for part in filters)  # type: ignore[assignment]


def popcount_ceiling(words: int = 16, *, laps: int = 5) -> float:
    """Words that one thread can AND and count per second when all of them lie in the nearest cache."""
    from unveil.lab.bench.kernels import count_again

    quad, group = np.ones(4 * words, np.uint64), np.ones(8 * (words + 2), np.uint64)
    start = np.full(4 + 32, -(1 << 40), np.int64)
    times = 200_000
    best = float("inf")
    for _ in range(laps):
        begun = time.perf_counter()
        count_again(quad.ctypes.data, group.ctypes.data, words // 2, start.ctypes.data, times)
        best = min(best, time.perf_counter() - begun)
    return times * words * 32 / best


def _all_pairs(engine: Engine, a: Bits, b: Bits, floor: float) -> float:
    begun = time.perf_counter()
    for _ in engine.all_pairs(a, b, floor=floor):
        pass
    return time.perf_counter() - begun


def _repeated(bits: Bits, rows: int) -> Bits:
    """More rows of the same fill: each a mixture of two of the given ones, word by word."""
    rng = np.random.default_rng(rows)
    first, second = (rng.integers(0, len(bits), rows) for _ in range(2))
    words: NDArray[np.uint64] = bits.words[first].copy()
    words[:, ::2] = bits.words[second, ::2]
    return Bits(words, bits.m)
