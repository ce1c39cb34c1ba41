"""
One layer of the chain.

A layer holds pairs, their features and a model. It classifies them, asks the layer below about uncertain ones, takes
the labels that come back, learns, and reports what changed to the layer above. How many layers there are is not its
business: the lowest one asks nobody, the highest reports to nobody.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.noise import posterior
from unveil.linkage.outcome import CERTAIN, Flags, Model, Outcomes, Reals
from unveil.linkage.query import bucket_sample, closest_sample, uniform_sample
from unveil.schema import Protocol

M = TypeVar("M", bound=Model)
Positions = NDArray[np.int64]


class Layer(Generic[M]):
    """Pairs in the order in which they came. `outcomes` is the layer's current word on each of them."""

    def __init__(
        self,
        model: M,
        settings: Protocol,
        *,
        clerical_weight: float,
        asks_people: bool = False,
        heeds_above: bool = True,
    ) -> None:
        self.model = model
        self.reviewer_error: float | None = None  # if known, a person's label is weighed against the model's word
        self._asks_people = asks_people  # every label from below is a person's, however sure they were
        self._heeds_above = heeds_above  # what the layer above thought is training material where no label is
        self._settings = settings
        self._clerical_weight = clerical_weight
        self.features: Reals = np.empty(0)
        self.g: Flags = np.empty(0, bool)
        self.p: Reals = np.empty(0)
        self.asked: Flags = np.empty(0, bool)  # sent to the layer below, whether or not it answers
        self.labelled: Flags = np.empty(0, bool)  # has a label from below
        self.label_g: Flags = np.empty(0, bool)  # the label itself, where the outcome weighs it against the model
        self.label_p: Reals = np.empty(0)
        self.told: Outcomes = Outcomes(np.empty(0, bool), np.empty(0))  # what the layer above thought
        self._reported: Outcomes = Outcomes(np.empty(0, bool), np.full(0, CERTAIN))
        self._fresh: Flags = np.empty(0, bool)  # never reported

    def __len__(self) -> int:
        return len(self.g)

    @property
    def outcomes(self) -> Outcomes:
        """Current (g, p) of every pair: the label from below where there is one, else the model's word."""
        return Outcomes(self.g, self.p)

    def add(self, features: Reals, told: Outcomes | None = None) -> None:
        """Take in pairs, with what the layer above thought of them when it asked. They are not classified yet."""
        n = len(features)
        self.features = features if not len(self) else np.concatenate([self.features, features])
        self.g = np.concatenate([self.g, np.zeros(n, bool)])
        self.p = np.concatenate([self.p, np.full(n, 0.5)])
        self.asked = np.concatenate([self.asked, np.zeros(n, bool)])
        self.labelled = np.concatenate([self.labelled, np.zeros(n, bool)])
        self.label_g = np.concatenate([self.label_g, np.zeros(n, bool)])
        self.label_p = np.concatenate([self.label_p, np.full(n, 0.5)])
        self._fresh = np.concatenate([self._fresh, np.ones(n, bool)])
        self._reported = _joined(self._reported, Outcomes(np.zeros(n, bool), np.full(n, 0.5)))
        if told is not None:
            self.told = _joined(self.told, told)

    def classify(self) -> None:
        """Ask the model about every pair that has no label from below, and about all where labels may be wrong."""
        open_pairs = np.flatnonzero(~self.labelled)
        if len(open_pairs):
            word = self.model.predict(self.features[open_pairs])
            self.g[open_pairs], self.p[open_pairs] = word.g, word.p
        labelled = np.flatnonzero(self.labelled)
        if self.reviewer_error is not None and len(labelled):
            word = self.model.predict(self.features[labelled])
            label = Outcomes(self.label_g[labelled], self.label_p[labelled])
            weighed = posterior(word, label, self.reviewer_error)
            self.g[labelled], self.p[labelled] = weighed.g, weighed.p

    def select(self, size: int, rng: np.random.Generator) -> Positions:
        """Draw up to `size` uncertain pairs that were never asked about, and mark them as asked."""
        settings = self._settings
        pool = np.flatnonzero(~self.asked & ~self.labelled & (self.p < settings.p_t))
        if settings.strategy == "buckets":
            drawn = bucket_sample(self.p[pool], p_t=settings.p_t, x=settings.x, size=size, rng=rng)
        elif settings.strategy == "closest":
            drawn = closest_sample(self.p[pool], p_t=settings.p_t, size=size, rng=rng)
        else:
            drawn = uniform_sample(self.p[pool], p_t=settings.p_t, size=size, rng=rng)
        chosen = pool[drawn]
        self.asked[chosen] = True
        return chosen

    def take(self, positions: Positions, labels: Outcomes) -> None:
        """Take labels from below; a later label for the same pair replaces the earlier one."""
        self.g[positions], self.p[positions] = labels.g, labels.p
        self.label_g[positions], self.label_p[positions] = labels.g, labels.p
        self.labelled[positions] = True

    def learn(self) -> None:
        """
        Update the model from every label there is.

        A label from below counts with its p, a reviewer's with the clerical weight. Where there is none, what the layer
        above thought at selection time is used, never the model's own word, which would only confirm itself.
        """
        known = self.labelled.copy()
        heeded = self._heeds_above and len(self.told) > 0
        if heeded:
            known[:] = True
        g, weight = self.label_g.copy(), self.label_p.copy()
        weight[self.labelled & ((self.label_p == CERTAIN) | self._asks_people)] *= self._clerical_weight
        if heeded:
            above = ~self.labelled
            g[above], weight[above] = self.told.g[above], self.told.p[above]
        self.model = self.model.updated(self.features[known], g[known], weight[known])

    def changes(self, *, once: bool = False) -> Positions:
        """
        Pairs whose outcome is new or has changed since it was last reported; from now on they count as reported.

        With `once`, a changed word of the model is not reported again; a label from below still is.
        """
        changed = self._fresh | (self.g != self._reported.g) | (self.p != self._reported.p)
        if once:
            changed &= self._fresh | self.labelled
        positions = np.flatnonzero(changed)
        self._fresh[positions] = False
        g, p = self._reported.g.copy(), self._reported.p.copy()
        g[positions], p[positions] = self.g[positions], self.p[positions]
        self._reported = Outcomes(g, p)
        return positions


def _joined(first: Outcomes, second: Outcomes) -> Outcomes:
    return Outcomes(np.concatenate([first.g, second.g]), np.concatenate([first.p, second.p]))
