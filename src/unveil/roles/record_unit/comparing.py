"""The long work of the record unit: every candidate pair is compared, and evidence is made of those that are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unveil.linkage.engine import Compare, Encoded
from unveil.linkage.model import RecordEvidence, similarity_alone
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Comparison
from unveil.protocol.machine import ShareDone
from unveil.roles.record_unit.upload import Upload

# What comparing takes of the whole, the rest being evidence. Most candidates of blocking keys are alike, and to make
# evidence of a pair takes longer than to compare it: 1.5 s and 0.5 s for 100,000 records a side. Of all pairs hardly
# any are alike.
_BY_KEYS = 0.25
_ALL_PAIRS = 0.9


@dataclass(frozen=True, slots=True, repr=False)
class ComparedRecords:
    """What comparing two owners' records gave, and what a model may look at in each of the pairs."""

    comparison: Comparison
    evidence: Reals

    def __repr__(self) -> str:
        return f"ComparedRecords(<{len(self.comparison.pairs)} pairs>)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparing:
    """The comparison of two uploads that were screened, and change no more."""

    name: ClassVar[str] = "comparing"
    uploads: tuple[Upload, Upload]
    compare: Compare
    features: RecordEvidence

    def __repr__(self) -> str:
        return f"Comparing(<{' and '.join(str(len(upload)) for upload in self.uploads)} records>)"

    def run(self, progress: ShareDone, /) -> ComparedRecords:
        """Compare, then make evidence. Nothing of the machine is touched."""
        left, right = (upload.kept() for upload in self.uploads)
        weight = self._weight(left)
        comparison = self.compare(left, right, share=lambda done: progress(weight * done))
        progress(weight)
        evidence = self.features(comparison, left, right)
        progress(1.0)
        return ComparedRecords(comparison, evidence)

    def _weight(self, side: Encoded) -> float:
        """The part of the work that comparing is."""
        if self.features is similarity_alone:
            return 1.0
        return _BY_KEYS if side.keys.shape[1] else _ALL_PAIRS
