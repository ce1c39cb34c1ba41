"""Query strategies: which uncertain pairs are worth asking the layer below about."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Reals
from unveil.schema import ProtocolSettings
from unveil.schema.protocol import STRATEGIES
from unveil.settings.choices import binding

LEAST = 0.5  # p of a coin toss


class Strategy(Protocol):
    """A way to draw pairs."""

    def __call__(
        self, p: Reals, settings: ProtocolSettings, *, size: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return up to `size` positions of p below p_t; all randomness comes from `rng`."""


#: The function behind each strategy.
FUNCTIONS: Final[dict[str, Strategy]] = {}
draws = binding(STRATEGIES, FUNCTIONS)


@draws("buckets")
def bucket_sample(p: Reals, settings: ProtocolSettings, *, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """
    Return up to `size` positions of p below p_t, spread evenly over the whole range of uncertainty.

    [0.5, p_t) is cut into x bins of equal width. Rounds go over the bins from the lowest p upward and take one random
    unused position of every bin that still has one.
    """
    p_t, x = settings.p_t, settings.x
    order = rng.permutation(np.flatnonzero(p < p_t))
    bins = np.minimum(((p[order] - LEAST) / (p_t - LEAST) * x).astype(np.int64), x - 1)
    by_bin = np.argsort(bins, kind="stable")
    sorted_bins = bins[by_bin]
    first = np.searchsorted(sorted_bins, sorted_bins, side="left")
    turn = np.empty(len(order), np.int64)
    turn[by_bin] = np.arange(len(order)) - first
    return order[np.lexsort((bins, turn))][:size]


@draws("uniform")
def uniform_sample(p: Reals, settings: ProtocolSettings, *, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return up to `size` positions of p below p_t, each as likely as any other."""
    return rng.permutation(np.flatnonzero(p < settings.p_t))[:size]


@draws("closest")
def closest_sample(p: Reals, settings: ProtocolSettings, *, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return up to `size` positions of p below p_t, the least certain first; equals in random order."""
    order = rng.permutation(np.flatnonzero(p < settings.p_t))
    return order[np.argsort(p[order], kind="stable")][:size]
