"""What an owner lets go: per record the highest layer, attributes that never leave, and how often it answers at all."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError

RECORD, ATTRIBUTE, REVIEW = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Policy:
    """
    The owner's word on disclosure.

    `layers` holds the highest layer (1, 2 or 3) that each record consents to; None means 3 for all. `response_rate_a`
    and `response_rate_c` are the shares of wishes that are answered (1 answers all, 0 refuses all). Attributes in
    `never` are sent to no reviewer.
    """

    layers: NDArray[np.uint8] | None = None
    response_rate_a: float = 1.0
    response_rate_c: float = 1.0
    never: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        for name in ("response_rate_a", "response_rate_c"):
            if not 0 <= getattr(self, name) <= 1:
                raise SettingError(f"{name} must lie between 0 and 1")
        if self.layers is not None and self.layers.size and not set(np.unique(self.layers)) <= {1, 2, 3}:
            raise SettingError("a record's highest layer must be 1, 2 or 3")

    def grants(self, rows: NDArray[np.int64], layer: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Which of these records may be disclosed to that layer now."""
        rate = self.response_rate_a if layer == ATTRIBUTE else self.response_rate_c
        # random() is below 1, so a rate of 1 grants all and a rate of 0 none.
        granted = rng.random(len(rows)) < rate
        if self.layers is not None:
            granted &= self.layers[rows] >= layer
        return granted
