"""Kernels for lists of pairs: their similarities, and where along the words a sample of them fails."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.engines.cpu_compile import kernel
from unveil.engines.cpu_tiles import ratio
from unveil.engines.cpu_vectors import LINE, common, prefetch
from unveil.engines.cpu_work import Int32s, Int64s, Rule, Side

_AHEAD: Final = 12  # pairs between asking memory for their rows and comparing them


@kernel
def list_similarities(
    a: Side, b: Side, measure: int, m: int, words: int, left: Int32s, right: Int32s, out: NDArray[np.float64]
) -> None:
    """Write the similarity of each pair of rows to out. Positions are rows here."""
    size = words * 8
    for pair in range(len(left)):
        if pair + _AHEAD < len(left):
            for line in range(0, size, LINE):
                prefetch(a.filters + np.int64(left[pair + _AHEAD]) * size + line)
                prefetch(b.filters + np.int64(right[pair + _AHEAD]) * size + line)
        i, j = np.int64(left[pair]), np.int64(right[pair])
        both = common(a.filters + i * size, b.filters + j * size, words)
        out[pair] = ratio(measure, both, a.ones[i], b.ones[j], m)


@kernel
def survivors(a: Side, b: Side, rule: Rule, left: Int64s, right: Int64s, alive: Int64s) -> int:
    """For each number of words the pairs of positions that could still reach the floor after them; pairs counted."""
    counted = 0
    for pair in range(len(left)):
        i, j = left[pair], right[pair]
        need = rule.need[a.ones[i] + b.ones[j]]
        if need > a.ones[i] or need > b.ones[j]:
            continue
        counted += 1
        both, rest = 0, a.ones[i]
        x = a.filters + np.int64(a.rows[i]) * rule.words * 8
        y = b.filters + np.int64(b.rows[j]) * rule.words * 8
        for w in range(rule.words):
            both += common(x + 8 * w, y + 8 * w, 1)
            rest -= common(x + 8 * w, x + 8 * w, 1)
            alive[w] += both + rest >= need
    return counted
