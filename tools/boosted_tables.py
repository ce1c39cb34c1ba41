"""
Tables over one or two pieces of evidence, learnt by boosting.

Evidence is cut into bins once. Round by round every table in turn takes a small step towards what the others leave
unexplained: gradients are summed up in the table's cells, and one small tree over the cells, which never falls or rises
where evidence says so, is added to it. A sum of tables that never fall never falls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Reals
from unveil.models.tables import Direction, Tables, Term

_STEP: Final = 0.15
_LEAVES: Final = 12
_FIRM: Final = 5.0  # pairs that say nothing, in every leaf
_DIGITS: Final = 3
_FARTHEST: Final = 4.0  # residuals in units of their own spread


def boosted(
    features: Reals,
    truth: Flags,
    weight: Reals,
    evidence: Mapping[str, Direction],
    together: Sequence[tuple[str, str]],
    *,
    rounds: int,
    bins: int = 40,
) -> Tables:
    """The tables learnt on these rows: one for each piece of evidence, and one for each two that stand together."""
    names, directions = tuple(evidence), tuple(evidence.values())
    edges = [_edges(features[:, at], bins) for at in range(len(names))]
    binned = [np.searchsorted(edge, features[:, at], side="left") for at, edge in enumerate(edges)]
    ones = [(at, at) for at in range(len(names)) if len(edges[at])]
    chosen = ones + [(names.index(one), names.index(other)) for one, other in together]
    weight = weight / weight.mean()
    share = float(np.average(truth, weights=weight))
    odds = np.full(len(truth), np.log(share / (1 - share)))
    tables = {pair: np.zeros(_shape(pair, edges)) for pair in chosen}
    cells = {pair: binned[pair[0]] * _shape(pair, edges)[1] + _column(pair, binned) for pair in chosen}
    for _ in range(rounds):
        for pair in chosen:
            table = tables[pair]
            p = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
            pull: Reals = np.bincount(cells[pair], (truth - p) * weight, table.size).astype(np.float64)
            mass: Reals = np.bincount(cells[pair], p * (1 - p) * weight, table.size).astype(np.float64)
            step = _step(pull, mass, table.shape, [directions[at] for at in pair])
            tables[pair] = table + step
            odds += step.ravel()[cells[pair]]
    terms = tuple(Term(*pair, table.round(_DIGITS)) for pair, table in tables.items())
    return Tables(names, directions, tuple(edges), terms, round(float(np.log(share / (1 - share))), _DIGITS))


def _edges(values: Reals, bins: int) -> Reals:
    """Bounds between about equally many of the values."""
    distinct = np.unique(values)
    if len(distinct) <= bins:
        return (distinct[1:] + distinct[:-1]) / 2
    return np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]).round(6))


def _shape(pair: tuple[int, int], edges: Sequence[Reals]) -> tuple[int, int]:
    first, second = pair
    return len(edges[first]) + 1, len(edges[second]) + 1 if first != second else 1


def _column(pair: tuple[int, int], binned: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    first, second = pair
    return binned[second] if first != second else np.zeros_like(binned[first])


def _step(pull: Reals, mass: Reals, shape: tuple[int, ...], directions: Sequence[Direction]) -> Reals:
    """A small tree over the cells of a table, a fraction of the way to what is left unexplained there."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    target = np.clip(pull / np.maximum(mass, 1e-9), -_FARTHEST, _FARTHEST)
    row, column = (grid.ravel() for grid in np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij"))
    tree = HistGradientBoostingRegressor(
        max_iter=1,
        learning_rate=1.0,
        max_leaf_nodes=_LEAVES,
        min_samples_leaf=1,
        l2_regularization=_FIRM,
        monotonic_cst=list(directions),
        early_stopping=False,
        random_state=0,
    )
    grid = np.stack([row, column], axis=1)
    tree.fit(grid, target, sample_weight=mass + 1e-6)
    return _STEP * tree.predict(grid).reshape(shape)
