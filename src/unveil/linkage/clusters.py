"""From matched pairs to people: the optional one-to-one step and connected components."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import Rows

HARDLY_ANY: Final = 0.03  # of the matched records of a register, matched twice


def symmetric_best(left: Rows, right: Rows, score: Reals) -> Flags:
    """True for pairs that are the best of both their records; equal scores go to the pair that stands first."""
    return _best(left, score) & _best(right, score)


def without_rivals(left: Rows, right: Rows, score: Reals) -> Flags:
    """
    True for pairs that stay: where hardly any record is matched twice, all but the best match of a record go.

    So a register whose people stand in it once is linked one to one, and one with second entries keeps them.
    """
    stays = np.ones(len(left), bool)
    for rows in (left, right):
        _, count = np.unique(rows, return_counts=True)
        if len(count) and (count > 1).mean() < HARDLY_ANY:
            stays &= _best(rows, score)
    return stays


def _best(rows: Rows, score: Reals) -> Flags:
    order = np.lexsort((np.arange(len(rows)), -score, rows))
    ordered = rows[order]
    first = np.ones(len(rows), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    best = np.zeros(len(rows), bool)
    best[order[first]] = True
    return best


def components(left: Rows, right: Rows, sizes: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number of the component that each record of either owner belongs to; an unmatched record is its own."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    total = sum(sizes)
    edges = coo_array((np.ones(len(left), bool), (left, right.astype(np.int64) + sizes[0])), shape=(total, total))
    _, number = connected_components(edges, directed=False)
    return number[: sizes[0]].astype(np.int32), number[sizes[0] :].astype(np.int32)
