"""Run by test_gpu_engine.py: blocks of the GPU engine as PyTorch computes them on the processor, and the reference."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from kernels_in_interpreter import CASES, filters
from numpy.typing import NDArray

from unveil.engines.gpu.engine import GpuEngine
from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Engine
from unveil.linkage.pairs import Pairs


def codes(rows: int, seed: int) -> NDArray[np.int64]:
    """A key with few large blocks, one with many small ones, one that is often omitted, one with huge codes."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(low, high, rows) for low, high in ((0, 3), (-1, 60), (-5, 4), (-1, 9))]
    columns[3] = np.where(columns[3] < 0, -1, columns[3] * 10**15)
    return np.stack([np.maximum(column, -1) for column in columns], axis=1).astype(np.int64)


def main() -> None:
    """Fail at the first pair that differs."""
    engines: list[Engine]
    for m, (rows, columns) in product((64, 100, 2048), ((0, 3), (1, 1), (2, 0), (90, 130), (301, 257))):
        # Few candidates and few rows at a time, so that blocks are cut in the middle and sides come in slabs.
        engines = [ReferenceEngine(), GpuEngine("cpu", slab=100, step_bytes=1 << 12)]
        a, b = filters(rows, m, 1), filters(columns, m, 2)
        blocks = Blocks(codes(rows, 3), codes(columns, 4), 0)
        for measure, floor in CASES:
            told: list[list[int]] = [[0], [0]]
            expected, actual = (
                Pairs.concatenate(
                    each.block_pairs(a, b, blocks, floor=floor, measure=measure, progress=counts.append)
                ).sorted()
                for each, counts in zip(engines, told, strict=True)
            )
            for column in ("left", "right", "similarity"):
                left, right = getattr(expected, column), getattr(actual, column)
                assert left.dtype == right.dtype, (m, rows, measure, column)
                assert np.array_equal(left, right), (m, rows, measure, column)
            assert told[0][-1] == told[1][-1]
            assert sorted(told[1]) == told[1]
    sys.stdout.write("agreed\n")


if __name__ == "__main__":
    main()
