from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.outcome import SUREST, Flags, Reals
from unveil.models.forest import Forest, Tree
from unveil.schema import ForestSettings as Settings

WIDTH = 10


def lesson(n: int = 120, *, seed: int = 1, missing: float = 0.2) -> tuple[Reals, Flags, Reals]:
    """Similarities of invented pairs, some missing; matches are alike on average, one label in ten is wrong."""
    rng = np.random.default_rng(seed)
    features = rng.random((n, WIDTH))
    g = (features.mean(axis=1) > 0.5) ^ (rng.random(n) < 0.1)
    features[rng.random((n, WIDTH)) < missing] = np.nan
    return features, g, rng.uniform(0.5, 2.0, n)


def stump(match: float) -> Tree:
    """A tree that is one leaf."""
    none = np.array([-1], np.int32)
    return Tree(none, none, np.zeros(1, np.int32), np.zeros(1), np.zeros(1, bool), np.array([match]))


def test_sizes_grow_by_ten_to_the_cap_and_the_bootstrap_trees_leave_at_update_ten() -> None:
    """10, 20, …, 100, 100: 110 trees would be grown by then, so exactly the first ten are gone."""
    forest = Forest(Settings())
    features, g, weight = lesson(30)
    forest = forest.updated(features, g, weight)
    bootstrap = forest.trees
    sizes, left = [len(forest.trees)], []
    for _ in range(11):
        forest = forest.updated(features, g, weight)
        sizes.append(len(forest.trees))
        left.append(sum(any(tree is old for tree in forest.trees) for old in bootstrap))
    assert [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 100, 100] == sizes
    assert [10] * 9 + [0, 0] == left
    assert 12 == forest.updates


def _noted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The scikit-learn trees that forests are made from, from now on."""
    learners: list[Any] = []

    class Noted(sklearn.tree.DecisionTreeClassifier):  # type: ignore[misc]
        def fit(self, *args: Any) -> Any:
            learners.append(self)
            return super().fit(*args)

    monkeypatch.setattr(sklearn.tree, "DecisionTreeClassifier", Noted)
    return learners


@pytest.mark.parametrize("missing", [0.0, 0.2, 0.6])
def test_prediction_is_that_of_the_same_trees_in_scikit_learn(monkeypatch: pytest.MonkeyPatch, missing: float) -> None:
    """Missing values included, even in features that had none in training."""
    learners = _noted(monkeypatch)
    forest = Forest(Settings()).updated(*lesson(missing=missing))
    features = lesson(400, seed=2, missing=0.3)[0]
    share = np.mean([learner.predict_proba(features.astype(np.float32))[:, 1] for learner in learners], axis=0)
    word = forest.predict(features)
    assert 10 == len(learners)
    assert (share.round(12) > 0.5).tolist() == word.g.tolist()
    np.testing.assert_allclose(np.minimum(np.maximum(share, 1 - share), SUREST), word.p, rtol=0, atol=1e-11)


def test_a_value_on_the_threshold_goes_left_as_in_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thresholds lie halfway between values; trained on eighths and asked about sixteenths, many are met exactly."""
    learners = _noted(monkeypatch)
    features, g, weight = lesson(missing=0.0)
    forest = Forest(Settings()).updated(np.round(features * 8) / 8, g, weight)
    probe = np.round(lesson(400, seed=2, missing=0.1)[0] * 16) / 16
    share = np.mean([learner.predict_proba(probe.astype(np.float32))[:, 1] for learner in learners], axis=0)
    assert (share.round(12) > 0.5).tolist() == forest.predict(probe).g.tolist()
    assert sum(np.isin(tree.threshold, np.arange(17) / 16).sum() for tree in forest.trees) > 50


def test_trees_have_the_published_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """Depth at most 6, ⌊log2 10⌋ + 1 = 4 features per split, 70 % of the pairs drawn for each tree."""
    learners = _noted(monkeypatch)
    Forest(Settings()).updated(*lesson(400))
    assert {4} == {learner.max_features_ for learner in learners}
    assert 6 == max(learner.get_depth() for learner in learners)
    assert {280} == {int(learner.tree_.n_node_samples[0]) for learner in learners}


def test_leaves_hold_the_share_of_matches_that_ended_there() -> None:
    """Depth 1 on one feature can be counted by hand: three of four matches on one side, none on the other."""
    features = np.array([[0.1]] * 4 + [[0.9]] * 4)
    g = np.array([False] * 4 + [True, True, True, False])
    forest = Forest(Settings(depth=1, initial=200, cap=200)).updated(features, g, np.ones(8))
    shares = forest.predict(np.array([[0.1], [0.9]]))
    assert [False, True] == shares.g.tolist()
    # Bags differ, so the mean over trees comes near 3/4; every leaf is a share of its bag.
    assert abs(shares.p[1] - 0.75) < 0.05
    assert all(0 <= value <= 1 for tree in forest.trees for value in tree.match.tolist())


def test_a_tie_is_a_non_match() -> None:
    """Two trees that contradict each other: without evidence for a match there is none."""
    word = Forest(Settings(), (stump(1.0), stump(0.0))).predict(np.zeros((1, WIDTH)))
    assert ([False], [0.5]) == (word.g.tolist(), word.p.tolist())


@pytest.mark.parametrize("match", [0.0, 1.0])
def test_a_model_is_never_as_sure_as_a_person(match: float) -> None:
    """p = 1 is kept for reviewed pairs, so that upstream can tell them apart."""
    word = Forest(Settings(), (stump(match),)).predict(np.zeros((1, WIDTH)))
    assert [SUREST] == word.p.tolist()
    assert SUREST < 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=WIDTH, max_size=WIDTH), min_size=1))
def test_every_pair_gets_an_outcome(rows: list[list[float]]) -> None:
    """Whatever is missing: p lies in [0.5, 1)."""
    word = Forest(Settings()).updated(*lesson(40)).predict(np.array(rows))
    assert len(rows) == len(word)
    assert np.all((word.p >= 0.5) & (word.p < 1))


def test_the_same_seed_grows_the_same_forest() -> None:
    """And another seed another one."""
    data, probe = lesson(), lesson(seed=3)[0]
    p = [Forest(Settings(seed=seed)).updated(*data).predict(probe).p.tolist() for seed in (1, 1, 2)]
    assert p[0] == p[1]
    assert p[0] != p[2]


def test_each_update_grows_other_trees() -> None:
    """Bags are drawn anew, else an update on the same pairs would add nothing but copies."""
    once = Forest(Settings()).updated(*lesson())
    twice = once.updated(*lesson())
    assert once.trees == twice.trees[:10]
    assert [t.threshold.tolist() for t in twice.trees[:10]] != [t.threshold.tolist() for t in twice.trees[10:]]


def test_heavy_pairs_outvote_light_ones() -> None:
    """The same features with contradicting labels: the label that weighs more is drawn more often and wins."""
    features, g = np.full((40, WIDTH), 0.5), np.array([True] * 20 + [False] * 20)
    heavy = np.array([2.0] * 20 + [0.5] * 20)
    assert Forest(Settings()).updated(features, g, heavy).predict(features[:1]).g[0]
    assert not Forest(Settings()).updated(features, g, heavy[::-1]).predict(features[:1]).g[0]


@pytest.mark.parametrize("g", [True, False])
def test_labels_of_one_class_make_a_forest_that_knows_nothing_else(*, g: bool) -> None:
    """scikit-learn then has one class only; the share of matches must still be read from the right column."""
    features, _, weight = lesson(20)
    word = Forest(Settings()).updated(features, np.full(20, g), weight).predict(features)
    assert ({g}, {SUREST}) == (set(word.g.tolist()), set(word.p.tolist()))


def test_an_attribute_that_nobody_has_is_no_obstacle() -> None:
    """A column of nothing but missing values splits nothing."""
    features, g, weight = lesson(60, missing=0.0)
    features[:, 3] = np.nan
    assert 60 == len(Forest(Settings()).updated(features, g, weight).predict(features))


def test_a_forest_learns_nothing_from_nothing_and_says_nothing_without_trees() -> None:
    """Both happen before the first pair that both owners answered."""
    empty = Forest(Settings())
    assert empty is empty.updated(np.empty((0, WIDTH)), np.empty(0, bool), np.empty(0))
    with pytest.raises(ValueError, match="no trees"):
        empty.predict(np.zeros((1, WIDTH)))
