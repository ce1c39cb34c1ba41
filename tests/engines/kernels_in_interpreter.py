"""Run by test_gpu_engine.py with TRITON_INTERPRET=1: the GPU kernels on the processor, against the reference."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

from unveil.engines.gpu.engine import GpuEngine, Shape
from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Measure
from unveil.linkage.pairs import Pairs

CASES: tuple[tuple[Measure, float], ...] = (("dice", 0.4), ("dice", 0.0), ("jaccard", 0.3), ("hamming", 0.55))


def filters(n: int, m: int, seed: int) -> Bits:
    """Random filters, the first one empty and the second one full."""
    ones = np.zeros((n, -(-m // 64) * 64), np.uint8)
    ones[:, :m] = np.random.default_rng(seed).random((n, m)) < 0.4
    ones[:1, :m], ones[1:2, :m] = 0, 1
    return Bits(np.packbits(ones, axis=1, bitorder="little").view(np.uint64), m)


def main() -> None:
    """Fail at the first pair that differs."""
    for copies, m, (rows, columns) in product((False, True), (64, 100, 1024), ((1, 1), (33, 40), (127, 129))):
        # Few hits and few rows at a time, so that tiles are written in turns and sides come in slabs.
        engine = GpuEngine("cpu", Shape(16, 32, 64, 4, 4, 1), copies=copies, most_hits=50, slab=96)
        a, b = filters(rows, m, 1), filters(columns, m, 2)
        for measure, floor in CASES:
            done: list[int] = []
            expected = Pairs.concatenate(ReferenceEngine().all_pairs(a, b, floor=floor, measure=measure)).sorted()
            stream = engine.all_pairs(a, b, floor=floor, measure=measure, progress=done.append)
            actual = Pairs.concatenate(stream).sorted()
            for column in ("left", "right", "similarity"):
                assert np.array_equal(getattr(expected, column), getattr(actual, column)), (m, rows, measure, column)
            assert rows * columns == done[-1]
    sys.stdout.write("agreed\n")


if __name__ == "__main__":
    main()
