"""
One layer of the chain.

A layer holds pairs, their features and a model. It classifies them, asks the layer below about uncertain ones, takes
the labels that come back, learns, and reports what changed to the layer above. How many layers there are is not its
business: the lowest one asks nobody, the highest reports to nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.model import Model
from unveil.linkage.outcome import CERTAIN, Flags, Outcomes, Reals, posterior
from unveil.linkage.query import FUNCTIONS as STRATEGIES
from unveil.schema import ProtocolSettings

M = TypeVar("M", bound=Model)
Positions = NDArray[np.int64]
_AGAIN = 1.3  # a label that has taught the model is weighed against its word as if reviewers erred so much more
_ABOVE_SURE = 0.8  # p from above of a pair that both layers are taken to be sure of
_AT_ONCE = 1 << 18  # pairs that the model is asked about at once, so that no copy of all evidence is made


@dataclass(frozen=True, slots=True, repr=False)
class RememberedWord(Generic[M]):
    """How a layer decided about its first pairs at some moment; cheap to keep, and worked out when it is asked for."""

    model: M
    reviewer_error: float | None
    labelled: Flags
    label: Outcomes

    def outcomes(self, features: Reals) -> Outcomes:
        """(g, p) of these pairs as they were then; `features` are those of all pairs in their order."""
        word = self.model.predict(features[: len(self.labelled)])
        g, p, at = word.g.copy(), word.p.copy(), np.flatnonzero(self.labelled)
        label = Outcomes(self.label.g[at], self.label.p[at])
        if self.reviewer_error is not None:
            label = weighed(Outcomes(g[at], p[at]), label, self.reviewer_error)
        g[at], p[at] = label.g, label.p
        return Outcomes(g, p)


def weighed(word: Outcomes, label: Outcomes, error: float) -> Outcomes:
    """What follows from the model's word and people's labels together, if people err so often."""
    return posterior(word, label, min(_AGAIN * error, 1.0))


class Layer(Generic[M]):
    """Pairs in the order in which they came. `outcomes` is the layer's current word on each of them."""

    def __init__(
        self,
        model: M,
        settings: ProtocolSettings,
        *,
        clerical_weight: float,
        asks_people: bool = False,
        learns_from_above: bool = True,
    ) -> None:
        self.model = model
        self.reviewer_error: float | None = None  # if known, a person's label is weighed against the model's word
        self._asks_people = asks_people  # every label from below is a person's, however sure they were
        self._learns_from_above = learns_from_above  # what it thought is taught where there is no label
        self._settings = settings
        self._clerical_weight = clerical_weight
        self.features: Reals = np.empty(0)
        self._g: Flags = np.empty(0, bool)
        self._p: Reals = np.empty(0)
        self._stale = False  # the model has changed since it was last asked
        self.asked: Flags = np.empty(0, bool)  # sent to the layer below, whether or not it answers
        self.labelled: Flags = np.empty(0, bool)  # has a label from below
        self.label_g: Flags = np.empty(0, bool)  # the label itself, where the outcome weighs it against the model
        self.label_p: Reals = np.empty(0)
        self.above: Outcomes = Outcomes(np.empty(0, bool), np.empty(0))  # what the layer above thought
        self._reported: Outcomes = Outcomes(np.empty(0, bool), np.full(0, CERTAIN))
        self._fresh: Flags = np.empty(0, bool)  # never reported

    def __len__(self) -> int:
        return len(self._g)

    @property
    def g(self) -> Flags:
        """Current decision about every pair."""
        self._refresh()
        return self._g

    @property
    def p(self) -> Reals:
        """How sure each decision is."""
        self._refresh()
        return self._p

    @property
    def outcomes(self) -> Outcomes:
        """Current (g, p) of every pair: the label from below where there is one, else the model's word."""
        return Outcomes(self.g, self.p)

    def add(self, features: Reals, above: Outcomes | None = None) -> None:
        """Take in pairs, with what the layer above thought of them when it asked. They are not classified yet."""
        n = len(features)
        self.features = features if not len(self) else np.concatenate([self.features, features])
        self._g = np.concatenate([self._g, np.zeros(n, bool)])
        self._p = np.concatenate([self._p, np.full(n, 0.5)])
        self.asked = np.concatenate([self.asked, np.zeros(n, bool)])
        self.labelled = np.concatenate([self.labelled, np.zeros(n, bool)])
        self.label_g = np.concatenate([self.label_g, np.zeros(n, bool)])
        self.label_p = np.concatenate([self.label_p, np.full(n, 0.5)])
        self._fresh = np.concatenate([self._fresh, np.ones(n, bool)])
        self._reported = _joined(self._reported, Outcomes(np.zeros(n, bool), np.full(n, 0.5)))
        if above is not None:
            self.above = _joined(self.above, above)

    def settle(self) -> None:
        """Let the model look at all pairs, without their labels."""
        self.model = self.model.settled(self.features)

    def classify(self) -> None:
        """Let the model speak anew about every pair; it is asked when its word is needed."""
        # A log that is applied again passes through many models of which only the last one is ever asked.
        self._stale = True

    def _refresh(self) -> None:
        """Ask the model about every pair that has no label from below, and about all where labels may be wrong."""
        if not self._stale:
            return
        self._stale = False
        open_pairs = np.flatnonzero(~self.labelled)
        for start in range(0, len(open_pairs), _AT_ONCE):
            some = open_pairs[start : start + _AT_ONCE]
            word = self.model.predict(self.features[some])
            self._g[some], self._p[some] = word.g, word.p
        labelled = np.flatnonzero(self.labelled)
        if self.reviewer_error is not None and len(labelled):
            word = self.model.predict(self.features[labelled])
            label = Outcomes(self.label_g[labelled], self.label_p[labelled])
            both = weighed(word, label, self.reviewer_error)
            self._g[labelled], self._p[labelled] = both.g, both.p

    def remembered(self) -> RememberedWord[M]:
        """What is needed to tell later how the layer decides now."""
        label = Outcomes(self.label_g.copy(), self.label_p.copy())
        return RememberedWord(self.model, self.reviewer_error, self.labelled.copy(), label)

    def select(self, size: int, rng: np.random.Generator) -> Positions:
        """Draw up to `size` uncertain pairs that were never asked about."""
        settings = self._settings
        pool = np.flatnonzero(~self.asked & ~self.labelled & (self.p < settings.p_t))
        drawn = STRATEGIES[settings.strategy](self.p[pool], settings, size=size, rng=rng)
        return pool[drawn]

    def sure(self, above: float, size: int, rng: np.random.Generator) -> Positions:
        """Draw up to `size` pairs that were never asked about and whose decision is surer than that."""
        pool = np.flatnonzero(~self.asked & ~self.labelled & (self.p > above))
        return rng.permutation(pool)[:size] if size else pool[:0]

    def agreed(self, above: float, size: int, rng: np.random.Generator) -> Positions:
        """Draw up to `size` pairs of these that the layer above, too, was sure of, and decided likewise."""
        pool = self.sure(above, len(self), rng)
        same = (self.above.g[pool] == self.g[pool]) & (self.above.p[pool] > _ABOVE_SURE)
        return pool[same][:size]

    def ask(self, positions: Positions) -> None:
        """These pairs go to the layer below, whether or not it answers."""
        self.asked[positions] = True

    @property
    def answered(self) -> float:
        """The share of the pairs asked about that have a label from below; 1 before any was asked about."""
        asked = int(self.asked.sum())
        return int(self.labelled.sum()) / asked if asked else 1.0

    def take(self, positions: Positions, labels: Outcomes) -> None:
        """Take labels from below; a later label for the same pair replaces the earlier one."""
        self._g[positions], self._p[positions] = labels.g, labels.p
        self.label_g[positions], self.label_p[positions] = labels.g, labels.p
        self.labelled[positions] = True

    def judge_reviewers(self) -> None:
        """Estimate from all labels so far how often reviewers err, if the model can."""
        labelled = np.flatnonzero(self.labelled)
        labels = Outcomes(self.label_g[labelled], self.label_p[labelled])
        self.model, self.reviewer_error = self.model.judging_reviewers(self.features[labelled], labels)

    def learn(self) -> None:
        """
        Update the model from every label there is.

        A label from below counts with its p, a reviewer's with the clerical weight. Where there is none, what the layer
        above thought at selection time is used, never the model's own word, which would only confirm itself.
        """
        known = self.labelled.copy()
        from_above = self._learns_from_above and len(self.above) > 0
        if from_above:
            known[:] = True
        g, weight = self.label_g.copy(), self.label_p.copy()
        weight[self.labelled & ((self.label_p == CERTAIN) | self._asks_people)] *= self._clerical_weight
        if from_above:
            rest = ~self.labelled
            g[rest], weight[rest] = self.above.g[rest], self.above.p[rest]
        self.model = self.model.updated(self.features[known], g[known], weight[known])

    def changes(self, *, once: bool = False) -> Positions:
        """
        Pairs whose outcome is new or has changed since it was last reported.

        With `once`, a changed word of the model is not reported again; a label from below still is.
        """
        changed = self._fresh | (self.g != self._reported.g) | (self.p != self._reported.p)
        if once:
            changed &= self._fresh | self.labelled
        return np.flatnonzero(changed)

    def reported(self, positions: Positions, word: Outcomes) -> None:
        """From now on this is what the layer above knows of these pairs."""
        self._fresh[positions] = False
        g, p = self._reported.g.copy(), self._reported.p.copy()
        g[positions], p[positions] = word.g, word.p
        self._reported = Outcomes(g, p)


def _joined(first: Outcomes, second: Outcomes) -> Outcomes:
    return Outcomes(np.concatenate([first.g, second.g]), np.concatenate([first.p, second.p]))
