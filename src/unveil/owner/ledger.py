"""What left the owner: per record and attribute, how often, and to which layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.owner.policy import ATTRIBUTE, REVIEW


class Ledger:
    """Counts of disclosures, one matrix (records × attributes) for each layer below the record level."""

    def __init__(self, records: int, attributes: int) -> None:
        self._counts = {layer: np.zeros((records, attributes), np.uint32) for layer in (ATTRIBUTE, REVIEW)}

    def charge(self, layer: int, rows: NDArray[np.int64], attributes: NDArray[np.bool_]) -> None:
        """Note that these attributes (rows × attributes, true = left) of these records go to that layer."""
        np.add.at(self._counts[layer], rows, attributes.astype(np.uint32))

    def records(self, layer: int) -> NDArray[np.int64]:
        """For each attribute, how many records disclosed it to that layer at least once."""
        return (self._counts[layer] > 0).sum(axis=0)

    def disclosed(self, layer: int) -> NDArray[np.bool_]:
        """Which attributes of which records went to that layer."""
        return self._counts[layer] > 0

    def disclosures(self, layer: int) -> int:
        """How many values or encodings went to that layer in all."""
        return int(self._counts[layer].sum())
