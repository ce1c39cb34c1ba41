"""What the labels of one batch changed: how the unit decided when it asked, beside how it decides now."""

from __future__ import annotations

import numpy as np

from unveil.linkage.layer import Layer, RememberedWord
from unveil.linkage.model import Model
from unveil.linkage.outcome import Outcomes
from unveil.protocol.messages import IN_ALL, BatchLearnt


class LearntBatch:
    """Remembers how the layer stood when reviewers were asked, until they were told what their labels changed."""

    def __init__(self) -> None:
        self._before: RememberedWord[Model] | None = None
        self._labels = 0

    def asked(self, layer: Layer[Model]) -> None:
        """Reviewers are asked now; whatever was to be told was told."""
        self._before, self._labels = layer.remembered(), 0

    def learnt(self, labels: int) -> None:
        """So many labels of theirs were learnt from."""
        self._labels = labels

    def told(self) -> None:
        """Reviewers know."""
        self._before, self._labels = None, 0

    def message(self, layer: Layer[Model]) -> BatchLearnt | None:
        """What is to be told; None if no label came since reviewers were asked."""
        if self._before is None or not self._labels:
            return None
        before, after = self._before.outcomes(layer.features), layer.outcomes
        return BatchLearnt(
            labels=self._labels,
            pairs=len(after),
            matches=int(after.g.sum()),
            gained=int((after.g & ~before.g).sum()),
            lost=int((before.g & ~after.g).sum()),
            right_before=_right(layer, before),
            right_after=_right(layer, after),
        )


def _right(layer: Layer[Model], word: Outcomes) -> int:
    """The share of decisions expected to be right, in ten-thousandths; 0 where p is no probability."""
    return round(IN_ALL * float(np.mean(word.p))) if layer.model.calibrated else 0
