"""A batch of pairs that the record unit announced."""

from __future__ import annotations

from dataclasses import dataclass, field

from unveil.linkage.outcome import Outcomes


@dataclass(slots=True)
class Batch:
    """The batch that is being worked on: what the record unit thought, how often reviewers were asked about it."""

    pair_ids: list[bytes]
    strangers: bytes
    thought: Outcomes
    rounds: int = 0
    compared: bool = False
    expected: frozenset[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.expected = frozenset(self.pair_ids)
