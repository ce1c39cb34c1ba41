"""
What is known before the first label, as a sum of small tables: each looks at one piece of evidence, or at two together.

Every piece of evidence is cut into bins; a table has a number for each bin, or for each pair of bins, and the log odds
are the sum of the numbers that a pair of records meets. Where more of a piece of evidence may only speak for a match,
numbers never fall along it: such a model cannot be made to say otherwise by any pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from unveil.linkage.outcome import Reals

#: How a piece of evidence may change the odds: more of it never lowers, never raises them, or either.
Direction = Literal[1, -1, 0]
_TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Term:
    """One table over the bins of two pieces of evidence; of one, if both are the same and it has a single column."""

    first: int
    second: int
    values: Reals


@dataclass(frozen=True, slots=True)
class Tables:
    """Log odds = intercept + Σ of one value of each table. Bin b of a column holds edges[b − 1] < x ≤ edges[b]."""

    names: tuple[str, ...]
    directions: tuple[Direction, ...]
    edges: tuple[Reals, ...]
    terms: tuple[Term, ...]
    intercept: float

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.directions) == len(self.edges):
            raise ValueError("tables need a direction and edges for each piece of evidence")
        if not np.isfinite(self.intercept):
            raise ValueError("the intercept of tables must be finite")
        if not set(self.directions) <= {1, -1, 0}:
            raise ValueError("a direction is 1, -1 or 0")
        for edges in self.edges:
            if not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
                raise ValueError("edges must be finite and rise")
        for term in self.terms:
            self._check(term)

    def _check(self, term: Term) -> None:
        rows, columns = len(self.edges[term.first]) + 1, len(self.edges[term.second]) + 1
        if term.values.shape != (rows, 1 if term.first == term.second else columns):
            raise ValueError("a table needs a value for each pair of bins")
        if not np.isfinite(term.values).all():
            raise ValueError("the values of a table must be finite")
        for axis, at in enumerate((term.first, term.second)):
            if (np.diff(term.values, axis=axis) * self.directions[at] < -_TOLERANCE).any():
                raise ValueError(f"a table falls along {self.names[at]}")

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row of evidence, in the order of `names`."""
        bins: dict[int, np.ndarray] = {}
        for at in sorted({at for term in self.terms for at in (term.first, term.second)}):
            bins[at] = np.searchsorted(self.edges[at], features[:, at], side="left")
        odds = np.full(len(features), self.intercept)
        for term in self.terms:
            if term.first == term.second:
                odds += term.values[bins[term.first], 0]
            else:
                odds += term.values[bins[term.first], bins[term.second]]
        return odds

    def columns(self, features: Reals) -> Reals:
        """Nothing beside the odds for labels to weigh."""
        return np.empty((len(features), 0))

    def settled(self, features: Reals) -> Tables:
        """Nothing here follows the pairs at hand."""
        del features
        return self


@dataclass(frozen=True, slots=True)
class KnownOdds:
    """Prior knowledge whose word on every pair was looked up once: the only column of evidence is its log odds."""

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row."""
        return features[:, 0]

    def columns(self, features: Reals) -> Reals:
        """Nothing beside the odds for labels to weigh."""
        return np.empty((len(features), 0))

    def settled(self, features: Reals) -> KnownOdds:
        """Nothing here follows the pairs at hand."""
        del features
        return self
