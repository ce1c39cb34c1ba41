"""
Chance as an argument: every decision draws from a source of its own, named by what is decided.

In the field the sources are the operating system's. In a simulation they follow from a seed and the purpose, so that
neither the order in which messages arrive nor a restart in between changes what is drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from unveil.protocol.messages import ID
from unveil.safety.coins import Coins, SeededCoins


class Draw(Protocol):
    """Random numbers and bytes for one decision."""

    @property
    def rng(self) -> np.random.Generator:
        """For choices that may be guessed without harm: samples and orders."""
        ...

    @property
    def coins(self) -> Coins:
        """For noise that protects people."""
        ...

    def entropy(self, size: int) -> bytes:
        """For ids and keys."""
        ...

    def handles(self, count: int) -> bytes:
        """Ids of 16 bytes for an owner's records, one after the other; records leave in the order of their handles."""
        ...


#: A source of its own for each purpose, such as "iteration 3".
Chance = Callable[[str], Draw]


@dataclass
class SeededDraw:
    """The same numbers and bytes for the same text."""

    text: str
    _pieces: int = field(default=0, init=False)

    @cached_property
    def rng(self) -> np.random.Generator:
        """A generator seeded by the text."""
        return np.random.default_rng(int.from_bytes(hashlib.sha256(self.text.encode()).digest(), "big"))

    @property
    def coins(self) -> Coins:
        """Coins of that generator."""
        return SeededCoins(self.rng)

    def entropy(self, size: int) -> bytes:
        """The next `size` bytes: SHAKE-256 of the text, read in pieces."""
        self._pieces += 1
        return hashlib.shake_256(f"{self.text}|{self._pieces}".encode()).digest(size)

    def handles(self, count: int) -> bytes:
        """
        Handles that rise, so that records stay in the order of their file.

        What is compared once is so the same in every run of a study, whatever its seed. A simulation hides nothing.
        """
        ids = np.frombuffer(self.entropy(ID * count), f"S{ID}")
        return np.sort(ids).tobytes()


@dataclass(frozen=True)
class SeededChance:
    """Chance of one party in a simulation. It protects nobody: whoever knows the seed knows every id and key."""

    seed: int
    party: str

    def __call__(self, purpose: str) -> SeededDraw:
        """The source for that purpose."""
        return SeededDraw(f"unveil simulation|{self.seed}|{self.party}|{purpose}")
