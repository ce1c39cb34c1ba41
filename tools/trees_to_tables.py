"""Boosted trees that look at no more than two pieces of evidence each, added up into one table for each two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from unveil.linkage.outcome import Flags, Reals
from unveil.models.tables import Direction, Tables, Term

_TREES: Final = 400
_BINS: Final = 48
_DIGITS: Final = 4


def boosted(
    features: Reals,
    truth: Flags,
    weight: Reals,
    evidence: Mapping[str, Direction],
    together: Sequence[tuple[str, str]],
) -> Tables:
    """The tables of trees learnt on these rows, never falling or rising where evidence says so."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    names = tuple(evidence)
    learner = HistGradientBoostingClassifier(
        max_iter=_TREES,
        learning_rate=0.08,
        max_leaf_nodes=16,
        min_samples_leaf=40,
        l2_regularization=5.0,
        max_bins=_BINS,
        monotonic_cst=list(evidence.values()),
        interaction_cst=[{names.index(one), names.index(other)} for one, other in together],
        early_stopping=False,
        random_state=0,
    )
    learner.fit(features, truth, sample_weight=weight / weight.mean())
    intercept = float(np.ravel(learner._baseline_prediction)[0])  # noqa: SLF001 - trees have no public form
    return summed([one[0].nodes for one in learner._predictors], evidence, intercept)  # noqa: SLF001


def summed(trees: Sequence[Any], evidence: Mapping[str, Direction], intercept: float) -> Tables:
    """The tables that these trees add up to."""
    inner = [tree[tree["is_leaf"] == 0] for tree in trees]
    edges = [
        np.unique(np.concatenate([nodes["num_threshold"][nodes["feature_idx"] == at] for nodes in inner]))
        for at in range(len(evidence))
    ]
    tables: dict[tuple[int, int], Reals] = {}
    for tree, nodes in zip(trees, inner, strict=True):
        used = sorted(set(nodes["feature_idx"].tolist())) or [0]
        first, second = used[0], used[-1]
        table = _table(tree, first, second, edges)
        tables[first, second] = tables.get((first, second), 0) + table
    terms = tuple(Term(first, second, table.round(_DIGITS)) for (first, second), table in sorted(tables.items()))
    return Tables(tuple(evidence), tuple(evidence.values()), tuple(edges), terms, round(intercept, _DIGITS))


def _table(tree: Any, first: int, second: int, edges: Sequence[Reals]) -> Reals:
    """The value of the leaf that every pair of bins ends in."""
    rows, columns = len(edges[first]) + 1, len(edges[second]) + 1 if first != second else 1
    row, column = (grid.ravel() for grid in np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"))
    node = np.zeros(rows * columns, np.int64)
    while not (leaf := tree["is_leaf"][node] == 1).all():
        feature, bound = tree["feature_idx"][node], tree["num_threshold"][node]
        goes_left = np.where(
            feature == first,
            row <= np.searchsorted(edges[first], bound),
            column <= np.searchsorted(edges[second], bound),
        )
        node = np.where(leaf, node, np.where(goes_left, tree["left"][node], tree["right"][node]))
    return tree["value"][node].reshape(rows, columns)
