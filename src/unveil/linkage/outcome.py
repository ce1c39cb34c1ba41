"""Outcomes (g, p): match or not, and how probable that is. Arrays side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

#: p of a person's word. A model's p stays below it, so a label with this p came from a reviewer.
CERTAIN = 1.0


@dataclass(frozen=True, slots=True)
class Outcomes:
    """g is true for a match; p is the probability of g and lies in [0.5, 1]."""

    g: Flags
    p: Reals

    def __post_init__(self) -> None:
        if self.g.shape != self.p.shape:
            raise ValueError("g and p must have the same length")
        if not np.all((self.p >= 0.5) & (self.p <= 1.0)):  # NaN fails too  # noqa: PLR2004 - bounds of p
            raise ValueError("p must lie in [0.5, 1]")

    def __len__(self) -> int:
        return len(self.g)


class Model(Protocol):
    """A classifier of pairs. Models are values: `updated` returns a new one."""

    @property
    def ready(self) -> bool:
        """Whether it can decide before it has learnt anything here."""
        ...

    def predict(self, features: Reals) -> Outcomes:
        """Outcome of each row of features."""
        ...

    def updated(self, features: Reals, g: Flags, weight: Reals) -> Self:
        """The model after learning from these labels."""
        ...
