"""The whole protocol in one process: two owners and three units on the in-memory network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unveil.attribute_unit.machine import AttributeUnit
from unveil.errors import ProtocolError, SettingError
from unveil.evaluation.quality import quality
from unveil.evaluation.result import Point
from unveil.linkage.forest import Forest
from unveil.owner.machine import Owner
from unveil.owner.policy import Policy
from unveil.priors.models import assessor, attribute_model, record_model
from unveil.protocol.flows import Envelope
from unveil.protocol.messages import Labels, RecordEncodings, WishlistPull
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address, owner
from unveil.record_unit.machine import RecordUnit
from unveil.review_unit.machine import ReviewUnit
from unveil.schema import Schema
from unveil.simulation.entropy import SeededEntropy
from unveil.simulation.reviewer import Reviewer, SimulatedReviewer
from unveil.simulation.study import Study
from unveil.transport.memory import Machine, MemoryNetwork, Tap

_PATIENCE = 3  # rounds of questions without an answer


@dataclass(frozen=True, slots=True)
class Settings:
    """What may differ between runs on the same study."""

    seed: int = 1
    error: float = 0.0
    hidden_error: float = 0.0
    t0: float | None = None
    policies: tuple[Policy, Policy] = (Policy(), Policy())
    forest: Forest | None = None


class World:
    """One run. `points` holds the quality after every update of the record unit; the first lies before any review."""

    def __init__(
        self,
        study: Study,
        schema: Schema,
        settings: Settings,
        *,
        reviewer: Callable[[World], Reviewer] | None = None,
        on_point: Callable[[Point], None] = lambda _: None,
        tap: Tap | None = None,
    ) -> None:
        self.study, self.schema, self.settings = study, schema, settings
        self.points: list[Point] = []
        self._on_point = on_point
        names = (owner("a"), owner("b"))
        streams = iter(np.random.SeedSequence(settings.seed).spawn(5))
        rates = [policy.response_rate_a for policy in settings.policies]
        self.owners = tuple(
            Owner(
                name,
                records,
                schema,
                study.encoder,
                policy=policy,
                rng=np.random.default_rng(next(streams)),
                entropy=SeededEntropy(settings.seed, str(name)),
            )
            for name, records, policy in zip(names, (study.a, study.b), settings.policies, strict=True)
        )
        record_model_, record_features = record_model(schema, t0=settings.t0)
        self.record_unit = RecordUnit(
            schema,
            names,
            compare=study.compare,
            rng=np.random.default_rng(next(streams)),
            entropy=SeededEntropy(settings.seed, "record unit"),
            model=record_model_,
            features=record_features,
            assessor=assessor(schema),
            response_rate=max(0.1, rates[0] * rates[1]),
        )
        attribute_model_, attribute_features = attribute_model(schema, forest=settings.forest)
        self.attribute_unit = AttributeUnit(
            schema,
            names,
            rng=np.random.default_rng(next(streams)),
            entropy=SeededEntropy(settings.seed, "attribute unit"),
            model=attribute_model_,
            features=attribute_features,
        )
        self.review_unit = ReviewUnit(schema, names)
        rng = np.random.default_rng(next(streams))
        self.reviewer: Reviewer = (
            reviewer(self)
            if reviewer
            else SimulatedReviewer(self.truth_of, error=settings.error, hidden_error=settings.hidden_error, rng=rng)
        )
        machines: dict[Address, Machine] = {one.address: one for one in self.owners}
        machines[RECORD_UNIT], machines[ATTRIBUTE_UNIT] = self.record_unit, self.attribute_unit
        machines[REVIEW_UNIT] = self.review_unit
        self.network = MemoryNetwork(machines, tap=tap)

    @property
    def forest(self) -> Forest:
        """The attribute unit's forest; only the paper's models have one."""
        model = self.attribute_unit.layer.model
        if not isinstance(model, Forest):
            raise SettingError("only the paper's models grow a forest", hint="choose --preset paper or --preset schema")
        return model

    def truth_of(self, task_id: bytes) -> bool:
        """Whether the pair behind a task is true. No role can ask this."""
        return bool(self.study.is_true[self.position_of(task_id)])

    def position_of(self, task_id: bytes) -> int:
        """Position among the candidate pairs of the pair behind a task."""
        position = self.attribute_unit.tasks[task_id]
        return self.record_unit.position_of(self.attribute_unit.pair_ids[position])

    def run(self) -> None:
        """Run the protocol to its end."""
        for one in self.owners:
            self.network.send(one.begin())
        idle = 0
        while not self.record_unit.finished:  # the link tables are delivered in the same sweep
            idle = 0 if self._deliver_all() else idle + 1
            if idle > _PATIENCE:
                raise ProtocolError("the protocol has stalled: nobody has anything to send")
            pending = self.review_unit.pending()
            if pending:
                budget = self.schema.protocol.review.budget
                verdicts = self.reviewer.review(pending, spent=self.attribute_unit.spent, budget=budget)
                self.network.send(self.review_unit.decide(verdicts))
            elif not self.record_unit.finished:
                for one in self.owners:
                    self.network.send(one.poll())

    def _deliver_all(self) -> bool:
        """Deliver what is on the wire; whether more than questions came by."""
        moved = False
        while (envelope := self.network.deliver()) is not None:
            self._observe(envelope)
            moved |= not isinstance(envelope.message, WishlistPull)
        return moved

    def _observe(self, envelope: Envelope) -> None:
        """Note the quality whenever the record unit has classified its pairs anew."""
        compared = isinstance(envelope.message, RecordEncodings) and self.record_unit.comparison is not None
        if not compared and not isinstance(envelope.message, Labels):
            return
        found = quality(self.record_unit.matches(), self.study.is_true, len(self.study.truth))
        point = Point(
            reviewed_pairs=len(self.attribute_unit.layer),
            clerical_labels=self.attribute_unit.spent,
            threshold=self.record_unit.t,
            precision=found.precision,
            recall=found.recall,
            f1=found.f1,
        )
        self.points.append(point)
        self._on_point(point)
