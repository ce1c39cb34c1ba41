"""
Whose record is whose, from a few people on along shared blocking keys: each one who is found leads to others.

Somebody who shares a key with a person whose entry is believed to be known is among those entries that share the key's
value with it. These are few, and similarities of filters tell which of them it is, or that it is none. Whoever is found
so leads further, and where records have enough neighbours that is most of the register. Only pairs of a record and an
entry that are reached are weighed, so it takes seconds where all pairs would take hours, and the larger a register is
the further it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix, View, around, squares
from unveil.privacy.attacks.blocks import KeyGraphs, edges, lost

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Rounds, each of which goes one step further along shared keys.
ROUNDS: Final = 16
#: How much of a round's outcome is believed; the rest is what was believed before.
_BELIEVED: Final = 0.7
#: Rounds of scaling that make the weights of a record add up to 1, and those of an entry to no more.
_SCALINGS: Final = 3
#: Beliefs below this lead nowhere.
_LEAST: Final = 0.003
#: Evidence of shared keys that a pair must have to be weighed.
_WEIGHED: Final = 3.0
#: Pairs that are weighed at most.
_MOST: Final = 3_000_000
#: Evidence beyond which exponents would overflow; it is certainty long before.
_CERTAIN: Final = 60.0
_AT_ONCE: Final = 20_000

Reached = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def started(pairs: NDArray[np.int64], shape: tuple[int, int], weight: float) -> csr_array:
    """What to begin with: these pairs of a record and an entry, each believed so far."""
    from scipy.sparse import csr_array

    values = np.full(len(pairs), weight, np.float32)
    return csr_array((values, (pairs[:, 0], pairs[:, 1])), shape=shape)


def spread(
    views: Sequence[View],
    blocks: Sequence[KeyGraphs],
    begin: csr_array,
    *,
    sure: bool,
    rounds: int = ROUNDS,
    told: Callable[[int, int], None] = lambda _, __: None,
) -> csr_array:
    """
    How likely each record (row) is each entry's (column), beginning with a few that are believed; sparse.

    With `sure` these are known and stay as they are; otherwise they are guesses, to be weighed like all others.
    """
    signs = np.hstack([view.signs for view in views])
    believed = begin
    for number in range(rounds):
        rows, columns, evidence = _reached(blocks, believed, begin if sure else None)
        if len(rows):
            evidence += _by_filters(views, signs, believed, rows, columns)
        found = _scaled(rows, columns, evidence, begin.shape)
        believed = believed * (1 - _BELIEVED) + found * _BELIEVED
        believed.data[believed.data < _LEAST] = 0
        believed.eliminate_zeros()
        if sure:
            believed = _with_known(believed, begin)
        told(number + 1, rounds)
    return believed


def _reached(blocks: Sequence[KeyGraphs], believed: csr_array, known: csr_array | None) -> Reached:
    """Pairs of a record and an entry that shared keys lead to, and their evidence for each."""
    from scipy.sparse import coo_array

    held = np.asarray(believed.sum(axis=0), np.float32).ravel()
    met: Any = coo_array(believed.shape, dtype=np.float32).tocsr()
    less = np.zeros(believed.shape[1], np.float32)
    for each in blocks:
        met = met + edges(each, believed, 1.0).tocsr()
        less += lost(each, held, 1.0)
    met = met.tocoo()
    chosen = met.data > _WEIGHED
    if known is not None:
        pairs = known.tocoo()
        chosen &= ~np.isin(met.row, pairs.row) & ~np.isin(met.col, pairs.col)
    if chosen.sum() > _MOST:
        chosen &= met.data >= np.partition(met.data[chosen], -_MOST)[-_MOST]
    rows, columns = met.row[chosen].astype(np.int64), met.col[chosen].astype(np.int64)
    return rows, columns, met.data[chosen].astype(np.float64) - less[columns]


def _by_filters(
    views: Sequence[View], signs: Matrix, believed: Any, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """What the filters of these records say about being these entries', if the others are whom they are believed."""
    mean = np.asarray(believed.T @ signs, np.float32)
    held = np.asarray(believed.sum(axis=0), np.float32).ravel()
    neighbours, less, start = np.empty_like(mean), np.zeros(len(mean), np.float32), 0
    own: Any = None
    for view in views:
        part = slice(start, start + view.signs.shape[1])
        weight = np.float32(1 / view.noise)
        neighbours[:, part] = around(view.expected, mean[:, part])
        neighbours[:, part] *= weight / np.float32(view.signs.shape[1])
        less += squares(view.expected, held) * (weight / 2)
        # Nobody is a neighbour of their own.
        expected = view.expected if isinstance(view.expected, np.ndarray) else view.expected.sparse
        itself = (believed @ expected) * weight
        own = itself if own is None else own + itself
        start = part.stop
    out = np.empty(len(rows))
    for first in range(0, len(rows), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        out[some] = np.einsum("ij,ij->i", signs[rows[some]], neighbours[columns[some]])
    return out - less[columns] - np.asarray(own[rows, columns]).ravel()


def _scaled(
    rows: NDArray[np.int64], columns: NDArray[np.int64], evidence: NDArray[np.float64], shape: tuple[int, int]
) -> csr_array:
    """Evidence as weights: a record is one of the entries it was led to or any other, an entry one record's at most."""
    from scipy.sparse import csr_array

    weights = np.exp(np.minimum(evidence - log(shape[1]), _CERTAIN))
    # Of all the entries that were not reached each has evidence of about nothing, so together they weigh 1.
    another = np.ones(shape[0])
    for _ in range(_SCALINGS):
        total = np.bincount(rows, weights, shape[0]) + another
        weights /= total[rows]
        another /= total
        weights /= np.maximum(np.bincount(columns, weights, shape[1]), 1)[columns]
    return csr_array((weights.astype(np.float32), (rows, columns)), shape=shape)


def _with_known(believed: csr_array, known: csr_array) -> csr_array:
    from scipy.sparse import csr_array

    pairs, found = known.tocoo(), believed.tocoo()
    others = ~np.isin(found.row, pairs.row)
    return csr_array(
        (
            np.concatenate([found.data[others], pairs.data]),
            (np.concatenate([found.row[others], pairs.row]), np.concatenate([found.col[others], pairs.col])),
        ),
        shape=known.shape,
    )
