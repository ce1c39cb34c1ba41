"""Filters for the tests of the engines, and the plain loops that say what is right."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Measure
from unveil.linkage.pairs import Pairs

Found = list[tuple[int, int, float]]
MEASURES: tuple[Measure, ...] = ("dice", "jaccard", "hamming")


def filters(n: int, m: int, *, seed: int = 1, fill: float = 0.4, kin: int = 0) -> Bits:
    """
    Filters of m bits, with an empty and a full one among them from three rows on.

    The first `kin` rows are like those of any other seed in all but a few bits, so that similar pairs exist.
    """
    rng = np.random.default_rng([seed, n, m])
    bits = rng.random((n, m)) < fill
    shared = np.random.default_rng(m).random((kin, m)) < fill
    bits[:kin] = shared[:n] ^ (rng.random((min(kin, n), m)) < 0.08)
    if n >= 3:
        bits[n // 2], bits[n - 1] = False, True
    packed = np.zeros((n, -(-m // 64) * 8), np.uint8)
    packed[:, : -(-m // 8)] = np.packbits(bits, axis=1, bitorder="little")
    return Bits(packed.view("<u8").astype(np.uint64), m)


def numbers(bits: Bits) -> list[int]:
    """Each filter as one large Python integer."""
    return [int.from_bytes(row.astype("<u8").tobytes(), "little") for row in bits.words]


def exact(x: int, y: int, m: int, measure: Measure) -> float:
    """The similarity as a fraction of integers, rounded once."""
    common, total = (x & y).bit_count(), x.bit_count() + y.bit_count()
    if measure == "hamming":
        return float(Fraction(m - (x ^ y).bit_count(), m))
    if not total:
        return 0.0
    return float(Fraction(2 * common, total) if measure == "dice" else Fraction(common, (x | y).bit_count()))


def naive(a: Bits, b: Bits, floor: float, measure: Measure = "dice") -> Found:
    """All pairs at or above the floor by two plain loops over Python integers."""
    rows = [(i, j, exact(x, y, a.m, measure)) for i, x in enumerate(numbers(a)) for j, y in enumerate(numbers(b))]
    return [row for row in rows if row[2] >= floor]


def naive_blocks(a: Bits, b: Bits, blocks: Blocks, floor: float, measure: Measure = "dice") -> tuple[Found, int]:
    """The candidates at or above the floor, and how many candidates there are."""
    left, right = blocks.left.tolist(), blocks.right.tolist()
    candidates = [
        row
        for row in naive(a, b, -1.0, measure)
        if any(x == y >= 0 for x, y in zip(left[row[0]], right[row[1]], strict=True))
    ]
    return [row for row in candidates if row[2] >= floor], len(candidates)


def listed(pairs: Pairs) -> Found:
    """The pairs in order of their rows, for comparison bit for bit."""
    ordered = pairs.sorted()
    return list(zip(ordered.left.tolist(), ordered.right.tolist(), ordered.similarity.tolist(), strict=True))
