"""What the record unit itself can tell about the quality of its links: from what it holds, and no truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded
from unveil.linkage.estimate import Candidates, Estimate, barely_alike, estimated_quality
from unveil.linkage.layer import Layer
from unveil.linkage.model import Model, RecordEvidence
from unveil.linkage.outcome import Flags, Outcomes, Reals, log_odds
from unveil.linkage.pairs import Comparison


@dataclass(frozen=True, slots=True, repr=False)
class AssessedLinks:
    """What was compared, how it was decided, and which pairs are linked; `nobody` seems to be in both registers."""

    comparison: Comparison
    sides: tuple[Encoded, Encoded]
    layer: Layer[Model]
    links: Flags
    nobody: bool

    def estimate(self, model: Model, features: RecordEvidence, *, max_block: int) -> Estimate:
        """The quality of the links by a model that gives odds, taught by the labels that there are."""
        layer = self.layer
        # A model with odds looks at the same evidence, which was made when the records were compared.
        evidence = layer.features if layer.model.calibrated else features(self.comparison, *self.sides)
        opened = np.flatnonzero(layer.labelled)
        taught = model
        if layer.model.calibrated:
            taught = model.updated(evidence[opened], layer.label_g[opened], layer.label_p[opened])
        odds = taught.log_odds(evidence)
        odds[opened] = log_odds(Outcomes(layer.label_g[opened], layer.label_p[opened]))
        trusted = layer.model.calibrated and len(opened) > 0 and taught.plausible and not self.nobody
        return estimated_quality(self._candidates(odds, model.log_odds(evidence), max_block), trusted=trusted)

    def _candidates(self, odds: Reals, thought: Reals, max_block: int) -> Candidates:
        """All pairs with their log odds, now and before anything was learnt."""
        (left, right), pairs, near = self.sides, self.comparison.pairs, self.comparison.near
        blocks = Blocks.of(left.keys, right.keys, max_block=max_block)
        first, others = (blocks.agree(pairs.left, pairs.right, some) for some in (slice(0, 1), slice(1, None)))
        ways = (first, others) if near is None else (near, first | others)
        return Candidates(odds, self.layer.labelled, self.links, *ways, thought, barely_alike(self.comparison))
