"""How the linkage goes at the record unit, in numbers about all pairs together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from unveil.linkage.estimate import Estimate
from unveil.roles.record_unit.machine import RecordUnit

_BINS: Final = 40  # of the similarity, from the least that is kept to 1


@dataclass(frozen=True, slots=True)
class SimilarityBin:
    """Pairs whose similarity lies from `low` to `high`, linked ones and others."""

    low: float
    high: float
    linked: int
    others: int


@dataclass(frozen=True, slots=True)
class LinkageFigures:
    """The threshold, how similar pairs are, how many are linked now, and how good these links seem."""

    threshold: float
    bins: tuple[SimilarityBin, ...]
    links: int
    asked: int
    estimate: Estimate | None
    answered: Mapping[str, float]  #: by owner, the share of pairs that it answered and did not refuse


def linkage_figures(machine: RecordUnit) -> LinkageFigures | None:
    """The figures of the machine as it is; None before records were compared."""
    if not machine.kept_pairs:
        return None
    similarity, linked = machine.candidates.pairs.similarity, machine.matches()
    steps = min(_BINS, int(np.ceil((1 - similarity.min()) * _BINS)) or 1)
    edges = np.linspace(1 - steps / _BINS, 1.0, steps + 1)
    counts = [np.histogram(similarity[some], edges)[0].tolist() for some in (linked, ~linked)]
    bins = zip(edges[:-1].tolist(), edges[1:].tolist(), *counts, strict=True)
    return LinkageFigures(
        threshold=machine.t,
        bins=tuple(SimilarityBin(*each) for each in bins),
        links=int(linked.sum()),
        asked=machine.requested_pairs,
        estimate=machine.estimate(),
        answered={str(owner): share for owner, share in machine.answers.shares.items()},
    )
