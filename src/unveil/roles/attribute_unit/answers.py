"""Answers of the owners to a batch: complete when every owner has answered or refused every pair."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Words
from unveil.protocol.messages import OwnersAnswers
from unveil.protocol.roles import Address


@dataclass(slots=True, repr=False)
class PairAnswers:
    """What came in so far, by pair id."""

    owners: tuple[Address, Address]
    _given: dict[Address, dict[bytes, tuple[Words, NDArray[np.uint8]] | None]] = field(init=False)
    _closed: set[bytes] = field(init=False, default_factory=set)  # pairs whose answers were taken
    granted: dict[Address, int] = field(init=False)  # by owner, how many of these it answered and did not refuse

    def __post_init__(self) -> None:
        self._given = {owner: {} for owner in self.owners}
        self.granted = dict.fromkeys(self.owners, 0)

    @property
    def asked(self) -> int:
        """How many pairs' answers were taken so far."""
        return len(self._closed)

    def __repr__(self) -> str:
        return f"PairAnswers(<{sum(len(given) for given in self._given.values())} answers>)"

    def has(self, owner: Address, pair_id: bytes) -> bool:
        """Whether this owner has answered or refused this pair."""
        return pair_id in self._given[owner] or pair_id in self._closed

    def closed(self, pair_id: bytes) -> bool:
        """Whether this pair's answers were taken before."""
        return pair_id in self._closed

    def give(self, owner: Address, pair_id: bytes, filters: Words, classes: NDArray[np.uint8]) -> None:
        """Note an answer: one filter and one frequency class per attribute."""
        self._given[owner][pair_id] = (filters, classes)

    def erased(self, owner: Address, pair_id: bytes) -> None:
        """Note an answer of which nothing is left but that it was given; the pair is closed further on in the log."""
        self.give(owner, pair_id, np.empty((0, 0), np.uint64), np.empty(0, np.uint8))

    def refuse(self, owner: Address, pair_id: bytes) -> None:
        """Note a refusal."""
        self._given[owner][pair_id] = None

    def complete(self, pair_ids: list[bytes]) -> bool:
        """Whether nothing is missing for these pairs."""
        return all(pair_id in given for given in self._given.values() for pair_id in pair_ids)

    def answered(self, pair_ids: list[bytes]) -> int:
        """How many of these pairs every owner has answered or refused."""
        return sum(all(pair_id in given for given in self._given.values()) for pair_id in pair_ids)

    def both(self, pair_ids: list[bytes]) -> tuple[list[int], list[Words], list[NDArray[np.uint8]]]:
        """Positions of the pairs that every owner answered, and their filters and classes by owner."""
        taken = [[given[pair_id] for pair_id in pair_ids] for given in self._given.values()]
        both = [i for i, pair in enumerate(zip(*taken, strict=True)) if all(answer is not None for answer in pair)]
        filters, classes = [], []
        for answers in taken:
            usable = [answer for i in both if (answer := answers[i]) is not None]
            filters.append(np.stack([words for words, _ in usable]) if usable else np.empty((0, 0, 0), np.uint64))
            classes.append(np.stack([marks for _, marks in usable]) if usable else np.empty((0, 0), np.uint8))
        return both, filters, classes

    def told(self, batch: int) -> OwnersAnswers:
        """What the record unit is told after a batch."""
        counts = np.array([self.granted[owner] for owner in sorted(self.owners)], "<u4")
        return OwnersAnswers(batch, self.asked, counts.tobytes())

    def close(self, pair_ids: list[bytes]) -> None:
        """Forget these pairs' answers: the unit keeps similarities, not encodings."""
        self._closed.update(pair_ids)
        for owner, given in self._given.items():
            for pair_id in pair_ids:
                self.granted[owner] += given.pop(pair_id, None) is not None
