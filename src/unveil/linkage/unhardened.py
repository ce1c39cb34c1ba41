"""
How much two filters agreed before they were hardened, as far as the hardened ones still tell.

Filters of m bits that differ in d of them agree by c = 1 - 2d/m: 1 if they are equal, about 0 if they have nothing to
do with each other. A bit that is the XOR of t bits agrees by c^t, so folding and diffusion push everything but equal
records towards 0; a bit that was replaced by a coin with probability f in each filter agrees by (1 - f)² c. Each step
can be undone on average, and a model that was learnt on plain filters then fits hardened ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unveil.linkage.outcome import Reals
from unveil.schema import Hardening
from unveil.schema.hardening import METHODS


def agreement(differing: Reals, m: int) -> Reals:
    """Return c = 1 - 2d/m for filters of m bits that differ in d."""
    return 1 - 2 * differing / m


def unhardened(c: Reals, steps: Sequence[Hardening]) -> Reals:
    """The agreement before these steps, from the agreement after them; the last step is undone first."""
    for step in reversed(steps):
        method = METHODS[step.method]
        if method.coins_leave is not None:
            c = c / max(method.coins_leave(step), 1e-6)
        if (mixed := method.xor_of(step)) > 1:
            # Chance makes some filters agree by less than nothing, and an even root of that does not exist.
            c = np.sign(c) * np.abs(c) ** (1 / mixed)
    return np.clip(c, -1, 1)
