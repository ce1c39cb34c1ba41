"""Boosted trees become tables without loss: the tables say to every pair what the trees say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tools import trees_to_tables
from tools.trees_to_tables import boosted, summed
from unveil.linkage.outcome import Flags, Reals
from unveil.models.tables import Direction

EVIDENCE: dict[str, Direction] = {"a": 1, "b": -1, "c": 0, "d": 1}
ROWS = 1500
SHARED = pytest.mark.xfail(reason="branches of one tree may go on with different evidence; see trees_to_tables.patch")


def rows(seed: int) -> Reals:
    """Four pieces of evidence; those of the last are few different numbers, so that many stand on an edge."""
    found = np.random.default_rng(seed).normal(size=(ROWS, 4))
    found[:, 3] = found[:, 3].round(1)
    return found


def truth_of(features: Reals) -> Flags:
    """Which pairs are true: by each piece of evidence, and by what two say together."""
    a, b, c, d = features.T
    return a - b + np.abs(c) + d + a * (d > 0) * 2 - b * (c > 0) + np.random.default_rng(9).normal(size=len(a)) > 1


def learnt(together: list[set[int]] | None, trees: int, leaves: int = 16) -> Any:
    """Trees learnt by scikit-learn."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    learner = HistGradientBoostingClassifier(
        max_iter=trees,
        max_leaf_nodes=leaves,
        max_bins=48,
        monotonic_cst=list(EVIDENCE.values()),
        interaction_cst=together,
        early_stopping=False,
        random_state=0,
    )
    features = rows(1)
    return learner.fit(features, truth_of(features))


@pytest.mark.parametrize(
    "together",
    [
        pytest.param([{0}, {1}, {2}, {3}], id="each alone"),
        pytest.param([{0, 1}, {2, 3}], id="two and two"),
        pytest.param([{0, 3}, {1}, {2}], id="a pair and the rest alone"),
        pytest.param([{0, 1}, {0, 2}, {0, 3}], id="one with every other", marks=SHARED),
        pytest.param([{0, 1}, {1, 2}, {2, 3}, {0, 3}], id="in a ring", marks=SHARED),
    ],
)
def test_tables_say_what_the_trees_say(together: list[set[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last digits, on the rows learnt from and on others, edges included."""
    monkeypatch.setattr(trees_to_tables, "_DIGITS", 12)
    learner = learnt(together, trees=30)
    tables = summed([one[0].nodes for one in learner._predictors], EVIDENCE, float(learner._baseline_prediction[0, 0]))
    for features in (rows(1), rows(2) * 1.5):
        np.testing.assert_allclose(tables.log_odds(features), learner.decision_function(features), atol=1e-9)
    edges = np.array([np.resize(np.append(column, 0.0), 60) for column in tables.edges]).T
    np.testing.assert_allclose(tables.log_odds(edges), learner.decision_function(edges), atol=1e-9)


def test_tables_are_rounded_and_still_say_nearly_the_same() -> None:
    """Four digits, so that files stay small; each of a few tables is off by half a unit of the last at most."""
    learner = learnt([{0, 1}, {2, 3}], trees=30)
    tables = summed([one[0].nodes for one in learner._predictors], EVIDENCE, float(learner._baseline_prediction[0, 0]))
    off = np.abs(tables.log_odds(rows(2)) - learner.decision_function(rows(2)))
    assert off.max() <= 0.5e-4 * (len(tables.terms) + 1) + 1e-12
    assert all((term.values.round(4) == term.values).all() for term in tables.terms)


def test_a_tree_that_is_a_single_leaf_adds_its_value_everywhere() -> None:
    """Where nothing is left to split, scikit-learn still makes a tree."""
    leaf = np.zeros(1, [("is_leaf", "u1"), ("feature_idx", "i8"), ("num_threshold", "f8"), ("value", "f8")])
    leaf["is_leaf"], leaf["value"] = 1, 0.25
    tables = summed([leaf, leaf], EVIDENCE, -1.0)
    assert [-0.5] * 3 == tables.log_odds(rows(1)[:3]).tolist()


def boosted_here(together: list[tuple[str, str]], weight: Reals) -> Reals:
    """The log odds of other rows by tables learnt on these."""
    features = rows(1)
    tables = boosted(features, truth_of(features), weight, EVIDENCE, together)
    assert (tuple(EVIDENCE), tuple(EVIDENCE.values())) == (tables.names, tables.directions)
    pairs = {(tables.names[term.first], tables.names[term.second]) for term in tables.terms}
    assert {pair for pair in pairs if pair[0] != pair[1]} <= set(together)
    return tables.log_odds(rows(2))


def test_learnt_tables_tell_true_pairs_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """And look at two pieces of evidence together only where that is allowed; only proportions of weights matter."""
    monkeypatch.setattr(trees_to_tables, "_TREES", 40)
    together = [("a", "d"), ("b", "c")]
    odds = boosted_here(together, np.ones(ROWS))
    right = (odds > 0) == truth_of(rows(2))
    assert right.mean() > 0.85
    assert odds.tolist() == boosted_here(together, np.full(ROWS, 7.0)).tolist()
    assert odds.tolist() != boosted_here(together, np.linspace(0, 2, ROWS)).tolist()
