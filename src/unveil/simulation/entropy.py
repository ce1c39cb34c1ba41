"""Random bytes from a seed, in place of the operating system's."""

from __future__ import annotations

import hashlib


class SeededEntropy:
    """The same bytes for the same seed and purpose: SHAKE-256 of both, read in pieces."""

    def __init__(self, seed: int, purpose: str) -> None:
        self._prefix = f"unveil simulation|{seed}|{purpose}|".encode()
        self._pieces = 0

    def __call__(self, size: int) -> bytes:
        """The next `size` bytes."""
        self._pieces += 1
        return hashlib.shake_256(self._prefix + str(self._pieces).encode()).digest(size)
