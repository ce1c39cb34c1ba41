"""Two owners and three units in one process, with the machines of the field: all is done as it is between machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from unveil.encoding.encoder import Encoder
from unveil.errors import ProtocolError
from unveil.joining.terms import BY_OWNERS, JoinTerms
from unveil.linkage.engine import Compare
from unveil.models.choice import assessor, attribute_model, record_model
from unveil.models.forest import Forest
from unveil.one_place.linked import OWNERS
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import Machine, settle
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.records import Records
from unveil.roles.attribute_unit.machine import AttributeUnit
from unveil.roles.chance import SeededChance
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Policy
from unveil.roles.record_unit.link_tables import MakesTables, results
from unveil.roles.record_unit.machine import RecordUnit
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.schema import Schema
from unveil.screening.screen import Screen
from unveil.transport.memory import MemoryNetwork


class Reviewer(Protocol):
    """Whoever decides about masked pairs: a simulation, a person at a terminal or at a page."""

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """A verdict for each pair of a batch; `spent` labels of the budget were given before."""
        ...


@dataclass(frozen=True, slots=True)
class Parties:
    """The five machines. They may run here, or have run elsewhere and be replayed."""

    owners: tuple[Owner, Owner]
    record_unit: RecordUnit
    attribute_unit: AttributeUnit
    review_unit: ReviewUnit

    @classmethod
    def of(
        cls,
        records: tuple[Records, Records],
        schema: Schema,
        encoder: Encoder,
        *,
        compare: Compare,
        seed: int,
        screening: Screen,
        policies: tuple[Policy, Policy] = (Policy(), Policy()),
        t0: float | None = None,
        forest: Forest | None = None,
        joining: JoinTerms = BY_OWNERS,
        tables: MakesTables = results,
    ) -> Parties:
        """The parties of a linkage of these records; chance follows from the seed."""

        def chance(party: str) -> SeededChance:
            return SeededChance(seed, party)

        left, right = (
            Owner(name, own, schema, encoder, policy=policy, chance=chance(str(name)), joining=joining)
            for name, own, policy in zip(OWNERS, records, policies, strict=True)
        )
        record_model_, record_features = record_model(schema, t0=t0)
        record_unit = RecordUnit(
            schema,
            OWNERS,
            compare=compare,
            chance=chance("record unit"),
            model=record_model_,
            features=record_features,
            assessor=assessor(schema),
            joining=joining,
            screening=screening,
            tables=tables,
        )
        attribute_model_, attribute_features = attribute_model(schema, forest=forest)
        attribute_unit = AttributeUnit(
            schema, OWNERS, chance=chance("attribute unit"), model=attribute_model_, features=attribute_features
        )
        review_unit = ReviewUnit(schema, OWNERS, chance=chance("review unit"))
        return cls((left, right), record_unit, attribute_unit, review_unit)

    def by_address(self) -> dict[Address, Machine]:
        """Each machine under its address."""
        machines: dict[Address, Machine] = {one.address: one for one in self.owners}
        machines[RECORD_UNIT], machines[ATTRIBUTE_UNIT] = self.record_unit, self.attribute_unit
        machines[REVIEW_UNIT] = self.review_unit
        return machines

    def rows_of(self, task_id: bytes) -> tuple[int, int]:
        """
        The rows in the owners' files of the pair behind a task. No role can ask this.

        Handles that follow from a seed rise along the file (`SeededDraw.handles`), so rows of an upload are rows of it.
        """
        asking, above = self.attribute_unit, self.record_unit
        at = above.position_of(asking.pair_ids[asking.tasks[task_id]])
        pairs, kept = above.candidates.pairs, [above.intake.uploads[owner].rows for owner in OWNERS]
        assert kept[0] is not None
        assert kept[1] is not None
        return int(kept[0][pairs.left[at]]), int(kept[1][pairs.right[at]])


def run(
    parties: Parties,
    network: MemoryNetwork,
    reviewer: Callable[[], Reviewer],
    *,
    name: str,
    budget: int,
    delivered: Callable[[Envelope], None] = lambda _: None,
) -> None:
    """
    Run the protocol to its end; the reviewer, who is asked for when pairs wait, is known to the review unit by a name.

    It ends before that where an upload was set aside as a whole: then there is nobody left who would begin it anew.
    """
    for one in parties.owners:
        network.send(settle(one))
    _deliver_all(network, delivered)
    while not parties.record_unit.finished:
        pending = parties.review_unit.pending()
        if not pending:
            if any(found.set_aside for found in parties.record_unit.intake.kept_out.values()):
                return
            raise ProtocolError("the protocol has stalled: nobody has anything to send")
        verdicts = reviewer().review(pending, spent=parties.attribute_unit.spent, budget=budget)
        step = parties.review_unit.judge(verdicts, reviewer=name)
        parties.review_unit.apply(step.decision)
        network.send(step.messages)
        _deliver_all(network, delivered)


def _deliver_all(network: MemoryNetwork, delivered: Callable[[Envelope], None]) -> None:
    """Deliver what is on the wire."""
    while (envelope := network.deliver()) is not None:
        delivered(envelope)
