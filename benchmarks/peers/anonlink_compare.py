"""
Compare all pairs of filters with anonlink, write the pairs that are alike, and print the seconds it took.

    python anonlink_compare.py FILTERS.npz PAIRS.npz THRESHOLD PROCESSES

Run by `unveil bench compare` with the Python of .venv-peers, which has anonlink and nothing of Unveil. FILTERS.npz has
the arrays a and b, one row of words for each filter; PAIRS.npz gets similarity, left and right. Start-up, reading and
writing are left out of the time.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

import numpy as np
from anonlink.similarities import dice_coefficient_accelerated
from bitarray import bitarray

_WARM_UP = 64  # pieces of work that make every process start before the clock does

#: The filters of both sides. Forked processes find them here and need not be sent them.
_SIDES: dict[str, list[bitarray]] = {}


def main() -> None:
    """Compare, write and print."""
    path, out, threshold, processes = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    with np.load(path) as loaded:
        _SIDES.update({side: _filters(loaded[side]) for side in ("a", "b")})
    cuts = np.linspace(0, len(_SIDES["a"]), processes + 1).astype(int).tolist()
    pieces = list(pairwise(cuts))
    work = partial(_alike, threshold)
    if processes == 1:
        start = time.perf_counter()
        parts = [work(pieces[0])]
        seconds = time.perf_counter() - start
    else:
        with get_context("fork").Pool(processes) as pool:
            pool.map(abs, range(_WARM_UP))
            start = time.perf_counter()
            parts = pool.map(work, pieces, chunksize=1)
            seconds = time.perf_counter() - start
    similarity, left, right = (np.concatenate(column) for column in zip(*parts, strict=True))
    np.savez(out, similarity=similarity, left=left, right=right)
    print(json.dumps(seconds))


def _filters(words: Any) -> list[bitarray]:
    made = []
    for row in words:
        bits = bitarray(endian="little")
        bits.frombytes(row.tobytes())
        made.append(bits)
    return made


def _alike(threshold: float, piece: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Similarities and rows of all pairs of a piece of a with b."""
    first, last = piece
    sides = (_SIDES["a"][first:last], _SIDES["b"])
    found, (left, right) = dice_coefficient_accelerated(sides, threshold, k=None)
    return np.array(found), np.array(left, np.int64) + first, np.array(right, np.int64)


if __name__ == "__main__":
    main()
