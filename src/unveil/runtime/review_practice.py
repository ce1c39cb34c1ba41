"""Rounds of practice: made-up pairs with feedback, before the first real pair. They live as long as the process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from unveil.errors import Conflict
from unveil.protocol.messages import ID
from unveil.roles.chance import Chance
from unveil.roles.review_unit.display import opened_further
from unveil.roles.review_unit.practice import ENOUGH, ROUND, PracticeRound, made_up
from unveil.runtime.review_view import PairView
from unveil.transport.port import JSON


class NotNow(Conflict):
    """The step does not fit what is before the reviewer: it was taken already, or never offered."""


@dataclass(slots=True)
class Practice:
    """Everybody's round, by reviewer."""

    pairs: PairView
    clock: Callable[[], float]
    chance: Chance
    rounds: dict[str, PracticeRound] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, reviewer: str) -> None:
        """Begin a round, or go on with one that is not through."""
        with self._lock:
            before = self.rounds.get(reviewer)
            if before is None or before.done:
                numbers = self.chance(f"practice {reviewer} {self.clock()}").rng.integers(1 << 32, size=ROUND)
                self.rounds[reviewer] = PracticeRound(tuple(numbers.tolist()))

    def view(self, reviewer: str) -> dict[str, JSON]:
        """The pair to practise on, or how the last round went."""
        with self._lock:
            current = self.rounds.get(reviewer)
            if current is None:
                return {"stage": "practice begins", "round": ROUND, "enough": ENOUGH}
            if current.done:
                return {"stage": "practice again", "right": current.right, "round": ROUND, "enough": ENOUGH}
            pair = made_up(self.pairs.schema, current.numbers[len(current.answers)]).pair_for(bytes(ID))
            return {
                "stage": "practice",
                "pair": self.pairs.shown(pair, current.stages),
                "at": len(current.answers) + 1,
                "right": current.right,
                "round": ROUND,
                "enough": ENOUGH,
            }

    def open(self, reviewer: str, attribute: str) -> None:
        """Open an attribute of the pair one step."""
        with self._lock:
            current = self._under_way(reviewer)
            pair = made_up(self.pairs.schema, current.numbers[len(current.answers)]).pair_for(bytes(ID))
            current.stages = opened_further(pair, self.pairs.schema, current.stages, attribute)

    def answer(self, reviewer: str, match: bool | None) -> tuple[PracticeRound, Mapping[str, JSON]]:  # noqa: FBT001 - a label
        """Answer the pair; the round, and what the reviewer is told of the pair."""
        with self._lock:
            current = self._under_way(reviewer)
            found = current.answer(self.pairs.schema, match)
        right = match is not None and match == found.match
        return current, {"right": right, "match": found.match, "lesson": found.lesson}

    def _under_way(self, reviewer: str) -> PracticeRound:
        found = self.rounds.get(reviewer)
        if found is None or found.done:
            raise NotNow("begin to practise first")
        return found
