"""Chance in the field: the operating system's."""

from __future__ import annotations

import secrets
from functools import cached_property

import numpy as np

from unveil.protocol.messages import ID
from unveil.safety.coins import Coins, SecretCoins


class SystemDraw:
    """Random numbers and bytes that nobody can draw again."""

    @cached_property
    def rng(self) -> np.random.Generator:
        """A generator seeded by the operating system."""
        return np.random.default_rng()

    @cached_property
    def coins(self) -> Coins:
        """Coins that nobody can toss again, not even from what they showed."""
        return SecretCoins()

    def entropy(self, size: int) -> bytes:
        """Bytes of the operating system."""
        return secrets.token_bytes(size)

    def handles(self, count: int) -> bytes:
        """Handles in no order, so that the order of the handles is none of the file's."""
        return self.entropy(ID * count)


def system_chance(purpose: str) -> SystemDraw:
    """A source for any purpose."""
    del purpose
    return SystemDraw()
