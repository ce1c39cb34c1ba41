"""
Coins for noise that protects people: whoever could toss them again could take the noise off.

A generator for simulations is the wrong source, however it is seeded: from enough of what it drew, its state follows,
and with it all the rest. In the field coins come from a keystream (AES-256 in counter mode) under a key of the
operating system, in a simulation from its seeded generator.
"""

from __future__ import annotations

import secrets
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_KEY_BYTES = 32


class Coins(Protocol):
    """Where coins come from."""

    def heads(self, share: float, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Coins that show heads with that probability."""
        ...

    def words(self, shape: tuple[int, ...]) -> NDArray[np.uint64]:
        """64 fair coins in each word."""
        ...


class SeededCoins:
    """Coins of a generator: for simulations, which must be the same again."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def heads(self, share: float, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Coins that show heads with that probability."""
        return self._rng.random(shape) < share

    def words(self, shape: tuple[int, ...]) -> NDArray[np.uint64]:
        """64 fair coins in each word."""
        return self._rng.integers(0, 1 << 64, size=shape, dtype=np.uint64)


class SecretCoins:
    """Coins that nobody can toss again: a keystream under a key that is drawn here and kept nowhere."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        self._stream: Any = Cipher(algorithms.AES256(secrets.token_bytes(_KEY_BYTES)), modes.CTR(bytes(16))).encryptor()

    def __repr__(self) -> str:
        return "SecretCoins(<redacted>)"

    def heads(self, share: float, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Coins that show heads with that probability, to within 2⁻³²."""
        if share >= 1:
            return np.ones(shape, dtype=np.bool_)
        return self._drawn(np.uint32, shape) < np.uint32(share * 2**32)

    def words(self, shape: tuple[int, ...]) -> NDArray[np.uint64]:
        """64 fair coins in each word."""
        return self._drawn(np.uint64, shape)

    def _drawn(self, kind: type[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize
        return np.frombuffer(self._stream.update(bytes(size)), dtype=kind).reshape(shape)
