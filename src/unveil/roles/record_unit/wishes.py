"""How many pairs the record unit wishes for: more where owners refuse much, and full wishes where decoys hide them."""

from __future__ import annotations

from math import ceil
from typing import Final

WISHES: Final = 100  # entries of one wish; with decoys, of every wish
LEAST_ANSWERED: Final = 0.25  # owners who refuse nearly everything are not asked for more than four times as much


def batch_size(planned: int, answered: float) -> int:
    """Pairs to draw so that about as many as planned are answered, going by the share that was answered so far."""
    return ceil(planned / max(LEAST_ANSWERED, answered))


def with_decoys(size: int, share: float) -> int:
    """Pairs to wish for when that many are hidden among a share of decoys: as many as fill whole wishes."""
    if not (share and size):
        return size
    return -(-ceil(size / (1 - share)) // WISHES) * WISHES
