"""
M_A: a random forest that evolves. Every update adds trees grown on all labels so far; the oldest leave.

Trees are grown by scikit-learn, which handles missing values natively, and kept as flat arrays. Prediction walks the
arrays, so a saved forest is nothing but numbers: reading one executes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log2

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.model import Uncalibrated
from unveil.linkage.outcome import SUREST, Flags, Outcomes, Reals, log_odds
from unveil.schema import ForestSettings

_LEAF = -1
_PROBA_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree, a node per entry. A leaf has left = -1. Missing values go left where `missing_left` says so."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Reals
    missing_left: Flags
    match: Reals  # share of matches among the training pairs that ended here

    def walk(self, features: NDArray[np.float32]) -> Reals:
        """Share of matches in the leaf that each row ends in."""
        node = np.zeros(len(features), np.int32)
        active = np.flatnonzero(self.left[node] != _LEAF)
        while len(active):
            at = node[active]
            value = features[active, self.feature[at]]
            goes_left = np.where(np.isnan(value), self.missing_left[at], value <= self.threshold[at])
            node[active] = np.where(goes_left, self.left[at], self.right[at])
            active = active[self.left[node[active]] != _LEAF]
        return self.match[node]


@dataclass(frozen=True, slots=True)
class Forest(Uncalibrated):
    """An evolving forest; `updates` counts how often it has grown."""

    settings: ForestSettings
    trees: tuple[Tree, ...] = ()
    updates: int = 0

    @property
    def ready(self) -> bool:
        """A forest can decide once it has grown."""
        return bool(self.trees)

    @property
    def threshold(self) -> None:
        """A forest looks at every attribute."""
        return

    def predict(self, features: Reals) -> Outcomes:
        """
        Return g and p of each row.

        p is the mean leaf probability of the winning class; a tie is a non-match.
        """
        if not self.trees:
            raise ValueError("the forest has no trees yet")
        rows = features.astype(np.float32)
        match = np.mean([tree.walk(rows) for tree in self.trees], axis=0).round(_PROBA_DIGITS)
        g = match > 0.5  # noqa: PLR2004 - the winning class
        return Outcomes(g, np.clip(np.where(g, match, 1 - match), 0.5, SUREST))

    def log_odds(self, features: Reals) -> Reals:
        """The log odds behind each outcome."""
        return log_odds(self.predict(features))

    def band(self, p_t: float) -> None:
        """A forest looks at every attribute."""
        del p_t

    def updated(self, features: Reals, g: Flags, weight: Reals) -> Forest:
        """The forest with trees grown on these labels added, and the oldest dropped beyond the cap."""
        if not len(g):
            return self
        settings = self.settings
        count = settings.added if self.trees else settings.initial
        rng = np.random.default_rng([settings.seed, self.updates])
        grown = tuple(_grow(features, g, weight, settings, rng) for _ in range(count))
        return replace(self, trees=(self.trees + grown)[-settings.cap :], updates=self.updates + 1)


def _grow(features: Reals, g: Flags, weight: Reals, settings: ForestSettings, rng: np.random.Generator) -> Tree:
    """One tree on a bag drawn with replacement, in proportion to weight."""
    from sklearn.tree import DecisionTreeClassifier  # slow to import, needed only when a tree grows

    size = max(1, round(settings.bag * len(g)))
    bag = rng.choice(len(g), size=size, p=weight / weight.sum())
    width = features.shape[1]
    learner = DecisionTreeClassifier(
        criterion="entropy",
        max_depth=settings.depth,
        max_features=min(width, floor(log2(width)) + 1),
        random_state=int(rng.integers(2**31)),
    )
    learner.fit(features[bag].astype(np.float32), g[bag])
    tree = learner.tree_
    share = tree.value[:, 0, :] / tree.value[:, 0, :].sum(axis=1, keepdims=True)
    classes = list(learner.classes_)
    match = share[:, classes.index(True)] if True in classes else np.zeros(len(share))
    return Tree(
        tree.children_left.astype(np.int32),
        tree.children_right.astype(np.int32),
        np.maximum(tree.feature, 0).astype(np.int32),
        tree.threshold.astype(np.float64),
        tree.missing_go_to_left.astype(bool),
        match.astype(np.float64),
    )
