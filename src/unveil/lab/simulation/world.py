"""The whole protocol in one process: two owners and three units on the in-memory network."""

from __future__ import annotations

from collections.abc import Callable

from unveil.errors import SettingError
from unveil.lab.evaluation.result import Point
from unveil.lab.simulation.machines import Machines, SimulationSettings
from unveil.lab.simulation.reviewer import SimulatedReviewer
from unveil.lab.simulation.study import Study
from unveil.models.forest import Forest
from unveil.one_place.parties import Reviewer, run
from unveil.protocol.flows import Envelope
from unveil.protocol.messages import Labels, RecordEncodings
from unveil.roles.chance import SeededChance
from unveil.schema import Schema
from unveil.transport.memory import MemoryNetwork, Tap

__all__ = ["SimulationSettings", "World"]

_REVIEWER = "simulation"  # by this name the review unit knows whoever reviews in a simulation


class World(Machines):
    """One run."""

    def __init__(
        self,
        study: Study,
        schema: Schema,
        settings: SimulationSettings,
        *,
        reviewer: Callable[[World], Reviewer] | None = None,
        on_point: Callable[[Point], None] = lambda _: None,
        tap: Tap | None = None,
    ) -> None:
        super().__init__(study, schema, settings, on_point=on_point)
        chance = SeededChance(settings.seed, "reviewer")
        self.reviewer: Reviewer = (
            reviewer(self)
            if reviewer
            else SimulatedReviewer(
                self.truth_of, error=settings.error, hidden_error=settings.hidden_error, chance=chance
            )
        )
        self.network = MemoryNetwork(self.parties.by_address(), tap=tap)
        self.traffic.messages, self.traffic.bytes = self.network.messages, self.network.bytes

    @property
    def forest(self) -> Forest:
        """The attribute unit's forest; only the paper's models have one."""
        model = self.attribute_unit.layer.model
        if not isinstance(model, Forest):
            raise SettingError("only the paper's models grow a forest", hint="choose --preset paper or --preset schema")
        return model

    def run(self) -> None:
        """Run the protocol to its end."""
        budget = self.schema.protocol.review.budget
        run(self.parties, self.network, lambda: self.reviewer, name=_REVIEWER, budget=budget, delivered=self._observe)
        self._check_uploads()

    def _check_uploads(self) -> None:
        """SettingError if the record unit waits for another upload, since it has set one aside as a whole."""
        for owner, found in self.record_unit.intake.kept_out.items():
            if found.set_aside is not None:
                raise SettingError(
                    f"the record unit has set the whole upload of {owner} aside: {found.set_aside.why}",
                    hint="look at the data: empty rows, test entries, one person many times",
                )

    def _observe(self, envelope: Envelope) -> None:
        """Note the quality whenever the record unit has classified its pairs anew."""
        compared = isinstance(envelope.message, RecordEncodings) and self.record_unit.comparison is not None
        if compared or isinstance(envelope.message, Labels):
            self.note_quality(len(self.attribute_unit.layer), self.attribute_unit.spent)
