"""
Pairs of strangers: wishes that hide who has a partner in the other register.

The records of such a pair have nothing to do with each other. One pair serves both owners: its record of either was
wished for less often than those that are likely to have a partner. The attribute unit drops what comes of it.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from unveil.linkage.evening import Counts, further_wishes, membership
from unveil.linkage.outcome import SUREST, Outcomes, Reals
from unveil.linkage.pairs import Pairs, Rows
from unveil.roles.columns import outcome_columns
from unveil.schema import ProtocolSettings
from unveil.schema.most_asked import WISHES, most_strangers, with_decoys

Positions = NDArray[np.int64]
#: Of each record of either owner, whose it is (`linkage.people_within`).
People = tuple[Positions, Positions]


class Strangers:
    """What each owner's records were wished for so far, and whom to wish for besides."""

    def __init__(self, protocol: ProtocolSettings) -> None:
        self._protocol = protocol
        self._past: tuple[list[Counts], list[Counts]] = ([], [])

    def asked(self, rows: tuple[Rows, Rows], sizes: tuple[int, int]) -> None:
        """These rows of either owner were wished for in a batch, out of so many."""
        for past, some, size in zip(self._past, rows, sizes, strict=True):
            past.append(_counts(some, size))

    def drawn(
        self, pairs: Pairs, outcomes: Outcomes, chosen: Positions, people: People | None, rng: Generator
    ) -> tuple[Rows, Rows]:
        """
        Rows of either owner, side by side, to be wished for in the next batch besides the chosen pairs.

        `people` says of each record of either owner whose it is; without it there are none.
        """
        batch = len(self._past[0])
        most, sizes = most_strangers(self._protocol, batch), (0, 0) if people is None else tuple(map(len, people))
        if people is None or not most or not min(sizes):
            return np.empty(0, np.int32), np.empty(0, np.int32)
        sides = [
            self._further(past, _counts(rows[chosen], size), membership(rows, outcomes, size), person, rng)
            for past, rows, person, size in zip(self._past, (pairs.left, pairs.right), people, sizes, strict=True)
        ]
        # However little there is to ask, a batch is as large as it was planned: its size would tell of one person,
        # where all others of a register are known.
        planned = with_decoys(self._protocol.batches[batch], self._protocol.decoys) - len(chosen)
        # Half of the pairs that a record may be in are left to those that are asked about for their own sake.
        room = int(min(sizes) * self._protocol.pairs_per_record / (2 * len(self._protocol.batches)))
        count = min(most, room, max(planned, -(-max(map(len, sides)) // WISHES) * WISHES))
        left, right = (_filled(rows, count, size, rng) for rows, size in zip(sides, sizes, strict=True))
        return left, right

    def _further(self, past: list[Counts], wished: Counts, member: Reals, person: Positions, rng: Generator) -> Rows:
        """Rows of one owner, in random order."""
        before = np.stack(past, axis=1) if past else np.empty((len(wished), 0), np.uint8)
        drawn = further_wishes(member, wished, before, person, evenness=self._protocol.evenness, rng=rng)
        return rng.permutation(drawn).astype(np.int32)


def _filled(rows: Rows, count: int, size: int, rng: np.random.Generator) -> Rows:
    """So many rows: what is missing is drawn from all records alike, which tells nothing about any."""
    rounds = max(0, -(-(count - len(rows)) // size))
    return np.concatenate([rows, *(rng.permutation(size) for _ in range(rounds))])[:count].astype(np.int32)


def announced(thought: Outcomes, strangers: int) -> tuple[bytes, bytes, bytes]:
    """What the attribute unit is told of pairs: which are strangers, who come last and are no match, and g and p."""
    g, p = outcome_columns(thought)
    _, of_strangers = outcome_columns(Outcomes(np.zeros(strangers, bool), np.full(strangers, SUREST)))
    return bytes(len(thought)) + bytes([1]) * strangers, g + bytes(strangers), p + of_strangers


def _counts(rows: Rows, size: int) -> Counts:
    return np.minimum(np.bincount(rows, minlength=size), 255).astype(np.uint8)
