"""
How full filters are, and how many hash positions per q-gram make them as full as they should be.

Positions are drawn with replacement: n tokens of h positions each leave a bit of m unset with (1 - 1/m)^(n h). No key
is needed to know that, and no filter has to be made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.qgrams import tokenise
from unveil.records import Column, Records
from unveil.schema import Attribute, LayerR, Schema
from unveil.schema.hardening import METHODS

#: The share of bits that should be set: the most even guess from which similarity can still be told.
WANTED_FILL: Final = 0.4
#: The same where each bit sent is the XOR of several: those of a half full filter are the most like coins.
HALF: Final = 0.5
_MOST: Final = 512  # positions that a schema takes

TokenCounts = NDArray[np.int64]
#: The same where some count for more than one.
WeighedCounts = NDArray[np.float64]


def token_counts(column: Column, attribute: Attribute) -> TokenCounts:
    """How many different q-grams the value of each record has; 0 where it is missing."""
    return tokenise(column.distinct, attribute, 0).counts[column.codes]


def expected_fill(counts: TokenCounts | WeighedCounts, *, m: int, h: int) -> float:
    """The mean share of bits that are set in the filters of values with so many tokens, missing ones left out."""
    present = counts[counts > 0]
    return float(1 - np.mean((1 - 1 / m) ** (present * float(h)))) if len(present) else 0.0


def fitting_h(counts: TokenCounts | WeighedCounts, *, m: int, wanted: float = WANTED_FILL) -> int:
    """The positions per token that come nearest to the wanted fill, 1 to 512."""
    return _nearest(lambda h: expected_fill(counts, m=m, h=h), wanted) if counts.any() else 1


def wanted_fill(layer: LayerR) -> float:
    """The share of bits that should be set in filters of this layer, before they are hardened."""
    return HALF if any(METHODS[step.method].xor_of(step) > 1 for step in layer.hardening) else WANTED_FILL


def _nearest(fill: Callable[[int], float], wanted: float) -> int:
    """The h at which this fill, which grows with h, is nearest to the wanted one."""
    low, high = 1, _MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fill(middle) >= wanted else (middle + 1, high)
    return min((h for h in (low - 1, low) if h >= 1), key=lambda h: abs(fill(h) - wanted))


@dataclass(frozen=True, slots=True)
class RecordFill:
    """How full record-level filters are before hardening, and the h that fits; None where h has no say in it."""

    fill: float
    fitting_h: int | None
    wanted: float


def record_fill(records: Records, schema: Schema) -> RecordFill:
    """
    The fill of the filters of these records, which are encoded for it under a key that is thrown away.

    So it holds for every way to encode a record, also one that takes its bits from the attributes' filters.
    """

    def fill(h: int) -> float:
        layer = schema.layer_r.model_copy(update={"h": h, "hardening": ()})
        encoder = Encoder(schema.model_copy(update={"layer_r": layer}), OwnerKey(bytes(32)), project="fill")
        return float(np.bitwise_count(encoder.record_level(records)).sum() / (len(records) * layer.m))

    found, wanted = fill(schema.layer_r.h), wanted_fill(schema.layer_r)
    if fill(1) == fill(2):
        return RecordFill(found, None, wanted)
    return RecordFill(found, _nearest(fill, wanted), wanted)
