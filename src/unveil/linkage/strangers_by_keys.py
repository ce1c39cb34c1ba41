"""
How often strangers are how alike who share the same blocking keys, found within each owner's own register.

That two records share a date of birth and nothing else says one thing, that they share a street another, and how much
either says depends on the register: on how common its values are, on kin, and on hashes of keys that several values
share. All of that is at home in a register as it is between two of them. So pairs are counted by the keys that they
agree on and by how alike they are, across the owners and within each register, at every similarity.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import STEPS, ByKeys, Rows, steps_of
from unveil.linkage.strangers import CandidatePairs, drawn, middle_at_home

_MOST_COMPARED: Final = 10_000_000  # pairs that share a key, across the owners and within each register
#: Of pairs that agree on several keys: on two, and on more.
_SEVERAL: Final = 2
#: Of pairs that agree on no key.
NONE: Final = -1


def by_keys(compare: CandidatePairs, a: Bits, b: Bits, blocks: Blocks, middle: float) -> ByKeys:
    """The counts of two registers; `middle` is how alike records paired at random are across the owners."""
    across = _across(compare, a, b, blocks, middle)
    homes = [_home(compare, side, codes) for side, codes in ((a, blocks.left), (b, blocks.right))]
    # A pair within a register is found twice, once from either record, as if it were of two registers.
    scale = len(a) * len(b)
    worth = np.array([scale / max(1, len(side) * (len(side) - 1)) for side in (a, b)])
    return ByKeys(across, worth[:, None, None] * np.stack(homes))


def groups(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """
    By which keys each pair agrees, from the codes of both: the number of the only one, one of two groups, or NONE.

    The groups beyond the keys are of pairs that agree on two keys, and on more.
    """
    if not left.shape[1]:
        return np.full(len(left), NONE)
    count, only = np.zeros(len(left), np.int64), np.full(len(left), NONE)
    for key in range(left.shape[1]):  # key by key: NumPy is slow along rows of two or three
        agree = (left[:, key] >= 0) & (left[:, key] == right[:, key])
        count += agree
        only[agree] = key
    several = left.shape[1] - _SEVERAL + np.minimum(count, 1 + _SEVERAL)
    return np.where(count > 1, several, only)


def _across(compare: CandidatePairs, a: Bits, b: Bits, blocks: Blocks, middle: float) -> Reals:
    rows = drawn(len(a), _share(len(a), blocks))
    some = Blocks(blocks.left[rows], blocks.right, 0)
    found = _histogram(compare, (Bits(a.words[rows], a.m), b), some, middle)
    return found * (len(a) / max(1, len(rows)))


def _home(compare: CandidatePairs, side: Bits, codes: NDArray[np.int64]) -> Reals:
    rows = drawn(len(side), _share(len(side), Blocks(codes, codes, 0)))
    within = Blocks(codes[rows], codes, 0)
    found = _histogram(compare, (Bits(side.words[rows], side.m), side), within, middle_at_home(side), rows)
    return found * (len(side) / max(1, len(rows)))


def _share(records: int, blocks: Blocks) -> int:
    """How many records are looked at, so that not too many pairs are compared."""
    return int(records * min(1.0, _MOST_COMPARED / max(1, blocks.most_candidates)))


def _histogram(
    compare: CandidatePairs, sides: tuple[Bits, Bits], blocks: Blocks, middle: float, rows: Rows | None = None
) -> Reals:
    """Pairs by group and step of similarity; with `rows`, those of the left side, no record is paired with itself."""
    count = blocks.left.shape[1] + _SEVERAL
    found = np.zeros(count * (STEPS + 1))
    for part in compare(*sides, blocks, floor=0.0):
        left, right, similarity = part.left, part.right, part.similarity
        if rows is not None:
            others = rows[left] != right
            left, right, similarity = left[others], right[others], similarity[others]
        group = groups(blocks.left[left], blocks.right[right])
        found += np.bincount(group * (STEPS + 1) + steps_of(similarity, middle), minlength=len(found))
    return found.reshape(count, STEPS + 1)
