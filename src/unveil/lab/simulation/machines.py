"""The five machines of a run, set beside the truth. They may run here, or have run elsewhere and been replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from unveil.joining.join_part import joined
from unveil.joining.terms import BY_OWNERS, JoinTerms
from unveil.lab.evaluation.quality import quality, truth_flags
from unveil.lab.evaluation.result import Point
from unveil.lab.simulation.observer import ReviewedPair
from unveil.lab.simulation.study import PROJECT, Study
from unveil.linkage.outcome import Flags
from unveil.linkage.pairs import Rows
from unveil.models.forest import Forest
from unveil.one_place.figures import Flow
from unveil.one_place.parties import Parties
from unveil.roles.owner.policy import Policy
from unveil.schema import Schema
from unveil.screening.screen import screen


@dataclass(frozen=True, slots=True)
class SimulationSettings:
    """What may differ between runs on the same study."""

    seed: int = 1
    error: float = 0.0
    hidden_error: float = 0.0
    t0: float | None = None
    policies: tuple[Policy, Policy] = (Policy(), Policy())
    forest: Forest | None = None
    joining: JoinTerms = BY_OWNERS
    near_copies: float = 0.5  # of an upload that may resemble other records of it, as a project file says it


class Traffic:
    """Counts messages by sender role, recipient role and kind."""

    def __init__(self) -> None:
        self.messages: Counter[tuple[str, str, str]] = Counter()
        self.bytes: Counter[tuple[str, str, str]] = Counter()

    def flows(self) -> tuple[Flow, ...]:
        """What was counted."""
        return tuple(Flow(*flow, messages=count, bytes=self.bytes[flow]) for flow, count in self.messages.items())


class Machines:
    """
    Two owners and three units on one study.

    `points` holds the quality after every update of the record unit; the first lies before any review. `answered` are
    the pairs that a reviewer decided, `traffic` counts messages.
    """

    def __init__(
        self,
        study: Study,
        schema: Schema,
        settings: SimulationSettings,
        *,
        on_point: Callable[[Point], None] = lambda _: None,
    ) -> None:
        self.study, self.schema, self.settings = study, schema, settings
        self.points: list[Point] = []
        self.answered: list[ReviewedPair] = []
        self.traffic = Traffic()
        self._on_point = on_point
        parties = Parties.of(
            (study.a, study.b),
            schema,
            study.encoder,
            compare=study.compare,
            seed=settings.seed,
            screening=partial(screen, resembling=settings.near_copies),
            policies=settings.policies,
            t0=settings.t0,
            forest=settings.forest,
            joining=settings.joining,
        )
        self.parties, self.owners = parties, parties.owners
        self.record_unit, self.attribute_unit = parties.record_unit, parties.attribute_unit
        self.review_unit = parties.review_unit

    @cached_property
    def candidate_rows(self) -> tuple[Rows, Rows]:
        """
        The rows in the owners' files of every pair that was compared; what screening kept out is in none.

        The handles of a simulation rise along the file (`SeededDraw.handles`), so rows of an upload are rows of it.
        """
        pairs, uploads = self.record_unit.candidates.pairs, self.record_unit.intake.uploads
        kept = [uploads[one.address].rows for one in self.owners]
        assert kept[0] is not None
        assert kept[1] is not None
        return kept[0][pairs.left].astype(np.int32), kept[1][pairs.right].astype(np.int32)

    @cached_property
    def truth(self) -> NDArray[np.int64]:
        """The true pairs, of records that are the same the first one alone, as the record unit takes them."""
        uploads = [self.record_unit.intake.uploads[one.address].first for one in self.owners]
        rows = [self.study.truth[:, side] for side in (0, 1)]
        first = [rows[side] if same is None else same[rows[side]] for side, same in enumerate(uploads)]
        return np.unique(np.column_stack(first), axis=0)

    @cached_property
    def is_true(self) -> Flags:
        """Which of the pairs that were compared are true. No role can ask this."""
        return truth_flags(*self.candidate_rows, self.truth)

    def joined(self) -> list[tuple[bytes, bytes]]:
        """The link ids that belong together, as both owners find out together."""
        names = (self.owners[0].address.name, self.owners[1].address.name)
        return joined([one.sealed_links.part(PROJECT, one.address.name, names) for one in self.owners]).pairs

    def truth_of(self, task_id: bytes) -> bool:
        """Whether the pair behind a task is true. No role can ask this."""
        return bool(self.is_true[self.position_of(task_id)])

    def position_of(self, task_id: bytes) -> int:
        """Position among the candidate pairs of the pair behind a task."""
        position = self.attribute_unit.tasks[task_id]
        return self.record_unit.position_of(self.attribute_unit.pair_ids[position])

    def note_quality(self, reviewed_pairs: int, clerical_labels: int) -> None:
        """Note how good the record unit's decisions are now, after so many pairs and labels."""
        found = quality(self.record_unit.matches(), self.is_true, len(self.truth))
        point = Point(
            reviewed_pairs=reviewed_pairs,
            clerical_labels=clerical_labels,
            threshold=self.record_unit.t,
            precision=found.precision,
            recall=found.recall,
            f1=found.f1,
        )
        self.points.append(point)
        self._on_point(point)
