"""How well an owner can guess which of its records are in the other register, from all that it is sent."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unveil.lab.evaluation.guessing import auc, learnt
from unveil.lab.simulation.machines import SimulationSettings
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.wishes_seen import WishesSeen
from unveil.lab.simulation.world import World
from unveil.protocol.roles import owner
from unveil.schema import Schema


@dataclass(frozen=True, slots=True)
class OwnerGuesses:
    """
    What one owner was asked about, and AUC of its guesses.

    `counts` guesses by how often a record was wished for; `logistic` and `trees` have learnt from the truth what to
    make of everything that was wished for; the last two leave out what was asked for reviews. `members` and `others`
    are the shares of records of either kind that were wished for.
    """

    owner: str
    wishes: int
    counts: float
    logistic: float
    trees: float
    logistic_without_reviews: float
    trees_without_reviews: float
    members: float
    others: float

    @property
    def worst(self) -> float:
        """The AUC of the best guesser that heard of no review, who may also guess the other way round."""
        some = (self.counts, self.logistic_without_reviews, self.trees_without_reviews)
        return max(max(one, 1 - one) for one in some)


@dataclass(frozen=True, slots=True)
class MembershipGuesses:
    """What both owners can guess, and what linking was worth."""

    records: int
    overlap: float
    evenness: float
    planned: int
    f1: float
    owners: tuple[OwnerGuesses, OwnerGuesses]

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def guessed(study: Study, schema: Schema, settings: SimulationSettings) -> MembershipGuesses:
    """Link, and let each owner guess."""
    seen = {name: WishesSeen(owner(name)) for name in ("a", "b")}

    def tap(*frame: Any) -> None:
        for one in seen.values():
            one(*frame)

    world = World(study, schema, settings, tap=tap)
    world.run()
    sides = [_guesses(name, one, _members(study, side)) for side, (name, one) in enumerate(seen.items())]
    protocol = schema.protocol
    return MembershipGuesses(
        records=len(study.a),
        overlap=len(study.truth) / max(1, len(study.a)),
        evenness=protocol.evenness,
        planned=sum(protocol.batches),
        f1=world.points[-1].f1,
        owners=(sides[0], sides[1]),
    )


def _members(study: Study, side: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found = np.zeros(len((study.a, study.b)[side]), bool)
    found[study.truth[:, side]] = True
    return found


def _guesses(name: str, seen: WishesSeen, member: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> OwnerGuesses:
    counts = seen.counts()
    everything, without = learnt(seen.figures(), member), learnt(seen.figures(reviews=False), member)
    return OwnerGuesses(
        owner=name,
        wishes=seen.wished,
        counts=auc(counts, member),
        logistic=everything["logistic"],
        trees=everything["trees"],
        logistic_without_reviews=without["logistic"],
        trees_without_reviews=without["trees"],
        members=float((counts[member] > 0).mean()) if member.any() else 0.0,
        others=float((counts[~member] > 0).mean()) if not member.all() else 0.0,
    )
