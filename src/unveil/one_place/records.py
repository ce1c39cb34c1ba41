"""Two files of records in one place: encoded, compared, opened as between parties; with a reviewer or without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from unveil.encoding.encoder import Encoder
from unveil.linkage.engine import Compare
from unveil.one_place.encoded_files import PRESET, SCREEN, SEED, check_set_aside
from unveil.one_place.figures import CoursePoint
from unveil.one_place.linked import LinkedRecords, linked_by
from unveil.one_place.page_reviewer import NAME
from unveil.one_place.parties import Parties, Reviewer, run
from unveil.protocol.flows import Envelope
from unveil.protocol.messages import Labels, RecordEncodings
from unveil.records import Records
from unveil.roles.record_unit.link_tables import no_results
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.schema import Schema
from unveil.schema.presets import with_preset
from unveil.transport.memory import MemoryNetwork

#: Where one place holds all, opening a pair discloses nothing. So many are opened for each record of the smaller file,
#: and at least so many times what owners open between them: more of them gain nothing, going by generated people and
#: voters.
_OPENED_PER_RECORD: Final = 0.2
_AT_LEAST: Final = 2.0


def with_models(schema: Schema, *, records: int, budget: int = 0) -> Schema:
    """
    The schema as one place links by it, with so many records in the smaller file.

    The shipped models decide; a person is asked where there is a budget of labels.
    """
    chosen = with_preset(schema, PRESET, budget=budget, layers=3 if budget else 2)
    batches = chosen.protocol.batches
    times = max(_AT_LEAST, _OPENED_PER_RECORD * records / sum(batches))
    changes = {"batches": tuple(round(times * size) for size in batches)}
    return chosen.model_copy(update={"protocol": chosen.protocol.model_copy(update=changes)})


@dataclass(frozen=True, slots=True, repr=False)
class AnsweredPair:
    """A pair that was put before the reviewer, and the verdict."""

    pair: ReviewablePair
    verdict: Verdict


class LinkageInOnePlace:
    """
    The parties on two files of records. The machines can be looked at before, while and after they run.

    `answered` are the pairs that a reviewer decided; `course` tells how good the links seemed after each batch, if that
    is to be `followed`: it takes as long as an estimate does.
    """

    def __init__(
        self,
        records: tuple[Records, Records],
        schema: Schema,
        encoder: Encoder,
        *,
        compare: Compare,
        reviewer: Callable[[LinkageInOnePlace], Reviewer] | None = None,
        followed: bool = False,
        on_batch: Callable[[], None] = lambda: None,
    ) -> None:
        self.records, self.schema = records, schema
        self.parties = Parties.of(
            records, schema, encoder, compare=compare, seed=SEED, screening=SCREEN, tables=no_results
        )
        self.network = MemoryNetwork(self.parties.by_address())
        self.answered: list[AnsweredPair] = []
        self.course: list[CoursePoint] = []
        self._reviewer = None if reviewer is None else _Remembering(reviewer(self), self.answered)
        self._followed, self._on_batch = followed, on_batch

    def run(self) -> LinkedRecords:
        """The links."""
        budget = self.schema.protocol.review.budget
        run(self.parties, self.network, self._person, name=NAME, budget=budget, delivered=self._delivered)
        check_set_aside(self.parties.record_unit)
        return linked_by(self.parties.record_unit, self.parties.attribute_unit.data_warnings())

    def _person(self) -> Reviewer:
        assert self._reviewer is not None, "pairs wait for a reviewer, and nobody was named"
        return self._reviewer

    def _delivered(self, envelope: Envelope) -> None:
        """Note how good the links seem whenever the record unit has classified its pairs anew."""
        unit = self.parties.record_unit
        compared = isinstance(envelope.message, RecordEncodings) and unit.comparison is not None
        if not (compared or isinstance(envelope.message, Labels)):
            return
        self._on_batch()
        estimate = unit.estimate() if self._followed else None
        if estimate is not None:
            asking = self.parties.attribute_unit
            self.course.append(CoursePoint(len(asking.layer), asking.spent, estimate))


class _Remembering:
    """Passes pairs on to a reviewer and remembers what came of it."""

    def __init__(self, reviewer: Reviewer, answered: list[AnsweredPair]) -> None:
        self._reviewer, self._answered = reviewer, answered

    def review(self, pairs: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """The reviewer's verdicts."""
        verdicts = self._reviewer.review(pairs, spent=spent, budget=budget)
        by_task = {pair.task_id: pair for pair in pairs}
        self._answered += [AnsweredPair(by_task[verdict.task_id], verdict) for verdict in verdicts]
        return verdicts
