"""The long work of the record unit: every candidate pair is compared, and evidence is made of those that are alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.engine import Compare, Encoded
from unveil.linkage.model import RecordEvidence, similarity_alone
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Comparison
from unveil.linkage.people_within import people_within
from unveil.protocol.machine import ShareDone
from unveil.roles.record_unit.strangers import People
from unveil.roles.record_unit.upload import Upload
from unveil.schema import Schema

# What comparing takes of the whole, the rest being evidence. Most candidates of blocking keys are alike, and to make
# evidence of a pair takes longer than to compare it: 1.5 s and 0.5 s for 100,000 records a side. Of all pairs hardly
# any are alike.
_BY_KEYS = 0.25
_ALL_PAIRS = 0.9


#: Says of each record of one owner whose it is, going by that register alone.
Whose = Callable[[Encoded], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, repr=False)
class ComparedRecords:
    """
    What comparing two owners' records gave, and what a model may look at in each of the pairs.

    `people` says of each record of either owner whose it is, where wishes are to be even; else it is None.
    """

    comparison: Comparison
    evidence: Reals
    people: People | None = None

    def __repr__(self) -> str:
        return f"ComparedRecords(<{len(self.comparison.pairs)} pairs>)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparing:
    """The comparison of two uploads that were screened, and change no more."""

    name: ClassVar[str] = "comparing"
    uploads: tuple[Upload, Upload]
    compare: Compare
    features: RecordEvidence
    whose: Whose | None = None

    @classmethod
    def of(
        cls, schema: Schema, uploads: tuple[Upload, Upload], compare: Compare, features: RecordEvidence
    ) -> Comparing:
        """The comparison as the owners agreed; whose each record is, is found where wishes are to be even."""
        whose = partial(people_within, hardening=schema.layer_r.hardening) if schema.protocol.evenness else None
        return cls(uploads, compare, features, whose)

    def __repr__(self) -> str:
        return f"Comparing(<{' and '.join(str(len(upload)) for upload in self.uploads)} records>)"

    def run(self, progress: ShareDone, /) -> ComparedRecords:
        """Compare, then make evidence. Nothing of the machine is touched."""
        left, right = (upload.kept() for upload in self.uploads)
        weight = self._weight(left)
        comparison = self.compare(left, right, share=lambda done: progress(weight * done))
        progress(weight)
        evidence = self.features(comparison, left, right)
        people = None if self.whose is None else (self.whose(left), self.whose(right))
        progress(1.0)
        return ComparedRecords(comparison, evidence, people)

    def _weight(self, side: Encoded) -> float:
        """The part of the work that comparing is."""
        if self.features is similarity_alone:
            return 1.0
        return _BY_KEYS if side.keys.shape[1] else _ALL_PAIRS
