"""
How alike two records are in each part of filters that are salted by fields.

In the part of a field records are alike only if they agree on it. So that two are alike in one part and not in another
says which of the fields differ, and how alike they are in what is not lost to that: more than the whole filter does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unveil.linkage.bits import Bits
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Rows
from unveil.linkage.unhardened import agreement, unhardened
from unveil.schema import Hardening
from unveil.schema.hardening import salted_parts

#: Bits of a word.
_WORD = 64


def weakest_and_strongest(
    sides: tuple[Bits, Bits], rows: tuple[Rows, Rows], whole: Reals, hardening: Sequence[Hardening], middle: float
) -> tuple[Reals, Reals]:
    """
    How alike the records of each pair are in the part where they are least alike, and in that where they are most.

    On the scale of `whole`, how alike they are in all: 0 as strangers are, whose agreement before hardening is the
    `middle`, and 1 identical. A filter without salts is one part.
    """
    a, b = sides
    borders = salted_parts(hardening, a.m)
    if len(borders) == 1:
        return whole, whole
    weakest, strongest = np.full(len(whole), np.inf), np.full(len(whole), -np.inf)
    for start, end in borders:
        words = slice(start // _WORD, -(-end // _WORD))
        differing = np.bitwise_count(a.words[rows[0], words] ^ b.words[rows[1], words]).sum(axis=1, dtype=np.int64)
        found = unhardened(agreement(differing.astype(np.float64), end - start), hardening)
        found = (found - middle) / max(1 - middle, 1e-3)
        weakest, strongest = np.minimum(weakest, found), np.maximum(strongest, found)
    return weakest, strongest
