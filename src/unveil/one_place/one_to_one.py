"""Links by similarity in which each record stands once, as greedy solvers of other tools choose them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Rows

#: Pairs that are looked at at a time: those of them whose records are taken by then are dropped without a look.
_BLOCK: Final = 1 << 18


def most_alike_first(left: Rows, right: Rows, similarity: Reals) -> NDArray[np.int64]:
    """
    Which pairs stay, in rising order: the most similar of all, then the most similar of two free records, and so on.

    Of equally similar pairs the one goes first whose left record stands first, then the one whose right record does.
    anonlink's solver does the same. Pairs that are each other's best are among them, and more: whoever's best is taken
    has the best of those that are left.
    """
    order = np.lexsort((right, left, -similarity))
    taken = np.zeros(1 + left.max(initial=-1), bool), np.zeros(1 + right.max(initial=-1), bool)
    stay: list[int] = []
    for begin in range(0, len(order), _BLOCK):
        some = order[begin : begin + _BLOCK]
        some = some[~(taken[0][left[some]] | taken[1][right[some]])]
        for at, one, other in zip(some.tolist(), left[some].tolist(), right[some].tolist(), strict=True):
            if not (taken[0][one] or taken[1][other]):
                taken[0][one] = taken[1][other] = True
                stay.append(at)
    return np.sort(np.array(stay, np.int64))
