"""
The record unit's machine.

It tells the owners whether their keys and parameters agree, waits for their encodings, keeps implausible ones out,
compares the rest, and then goes through its iterations: draw uncertain pairs, wish for their encodings, tell the
attribute unit which pairs to expect, take its labels, learn, classify anew. At the end every owner gets a link table.
It never sees an attribute, a value or key_do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from unveil.errors import LocalProtocolError, ProtocolError
from unveil.joining.terms import BY_OWNERS, NOBODY, JoinTerms
from unveil.linkage.engine import Compare, Encoded
from unveil.linkage.estimate import Estimate
from unveil.linkage.layer import Layer, Positions
from unveil.linkage.model import Model, RecordEvidence, similarity_alone
from unveil.linkage.outcome import Flags, Outcomes, log_odds
from unveil.linkage.pairs import Comparison, Pairs, Rows
from unveil.protocol.data_warnings import DataWarning
from unveil.protocol.flows import Envelope, check_incoming, refused
from unveil.protocol.machine import Decision, KeepsAll, Step, Work
from unveil.protocol.messages import (
    ID,
    KEY_PAIR,
    Bootstrap,
    EncodingWish,
    Fingerprint,
    Labels,
    Message,
    OwnersAnswers,
    RecordEncodings,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address
from unveil.protocol.runs import run_of
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.roles.chance import Chance, Draw
from unveil.roles.columns import entries, outcomes
from unveil.roles.record_unit.answers_of_owners import AnswersOfOwners
from unveil.roles.record_unit.assessed_links import AssessedLinks
from unveil.roles.record_unit.comparing import ComparedRecords, Comparing
from unveil.roles.record_unit.data_warnings import nobody_warnings, unit_warnings
from unveil.roles.record_unit.decisions import KINDS, Finished, Judged, PairsAsked, Screened
from unveil.roles.record_unit.intake import Intake
from unveil.roles.record_unit.link_tables import FoundLinks, MakesTables, kept_tables, results
from unveil.roles.record_unit.matched import linked
from unveil.roles.record_unit.strangers import People, Strangers, announced
from unveil.schema import ProtocolSettings, Schema
from unveil.schema.most_asked import WISHES, batch_size, with_decoys
from unveil.screening.screen import Screen, screen


class RecordUnit(KeepsAll):
    """
    L_R. `comparison` is what the engine found, `layer` holds these pairs and their outcomes.

    Both are empty until the uploads were compared, which is work that whoever drives the machine does for it.
    """

    decisions: ClassVar[Mapping[str, type[Decision]]] = KINDS
    address = RECORD_UNIT

    def __init__(
        self,
        schema: Schema,
        owners: tuple[Address, Address],
        *,
        compare: Compare,
        chance: Chance,
        model: Model,
        features: RecordEvidence = similarity_alone,
        assessor: tuple[Model, RecordEvidence] | None = None,
        joining: JoinTerms = BY_OWNERS,
        most_records: int = 10_000_000,
        screening: Screen = screen,
        tables: MakesTables = results,
    ) -> None:
        protocol = schema.protocol
        self.finished = False
        self.intake = Intake(schema, owners, most_records=most_records, screening=screening)
        self.layer = Layer(model, protocol, clerical_weight=protocol.clerical_weight_r)
        self.comparison: Comparison | None = None
        self._people: People | None = None
        self._due: Comparing | None = None  # once every upload has been screened, until they were compared
        self._schema, self._protocol, self._owners = schema, protocol, owners
        self._compare, self._chance = compare, chance
        self._first, self._joining, self._tables = model, joining, tables
        self._features, self._assessor = features, assessor
        self._strangers = Strangers(protocol)
        self.answers = AnswersOfOwners(owners)
        self._pairs: dict[bytes, int] = {}  # pair id -> position in the layer
        self._iteration = 0
        self._waiting = False  # for the labels of an iteration
        self._link_ids = b""

    @property
    def candidates(self) -> Comparison:
        """What comparing gave; ProtocolError if it was not done yet."""
        if self.comparison is None:
            why = "that is the work that is due" if self._due else "uploads are missing"
            raise ProtocolError(f"nothing was compared yet: {why}")
        return self.comparison

    def work(self) -> Work | None:
        """Comparing, once every upload has been screened."""
        return self._due

    def finish_work(self, work: Work, result: object) -> None:
        """Take in what was compared."""
        if work is not self._due:
            raise LocalProtocolError(
                f"{work.name} is not due: it was finished before, or was due at a machine that has been folded anew"
            )
        if not isinstance(result, ComparedRecords):
            raise LocalProtocolError(f"this is not what {work.name} gives")
        self._due = None
        self.comparison, self._people = result.comparison, result.people
        self.layer.add(result.evidence)
        self.layer.classify()

    def _sides(self) -> tuple[Encoded, Encoded]:
        left, right = (self.intake.uploads[owner].kept() for owner in self._owners)
        return left, right

    def _sizes(self) -> tuple[int, int]:
        """Records of either owner that were compared."""
        left, right = (self.intake.uploads[owner].compared for owner in self._owners)
        return left, right

    @property
    def t(self) -> float:
        """The current threshold; of a model without one, the similarity that as many pairs reach as are matches now."""
        threshold = self.layer.model.threshold
        if threshold is not None:
            return threshold
        similarity = self.candidates.pairs.similarity
        if not len(similarity):
            return 1.0
        at = len(similarity) - max(1, int(self.layer.g.sum()))
        return float(np.partition(similarity, at)[at].round(2))

    @property
    def stage(self) -> StageStatus:
        """Where the project stands here, and what it waits for."""
        if self.finished:
            return StageStatus(StageKind.FINISHED, Awaited.NOBODY)
        if not self.intake.complete:
            return self.intake.stage
        if self.comparison is None:
            return StageStatus(StageKind.COMPARING, Awaited.RECORD_UNIT)
        awaited = Awaited.ATTRIBUTE_UNIT if self._waiting else Awaited.RECORD_UNIT
        learnt, batches = self._iteration - self._waiting, len(self._protocol.batches)
        return StageStatus(StageKind.LEARNING, awaited, CountedKind.BATCHES, learnt, batches)

    @property
    def kept_pairs(self) -> int:
        """How many candidate pairs are held now; 0 before they were compared, or loaded again."""
        return 0 if self.comparison is None else len(self.comparison.pairs)

    @property
    def requested_pairs(self) -> int:
        """How many pairs the attribute unit was told about so far."""
        return len(self._pairs)

    def uncertain_band(self) -> tuple[float, float]:
        """Between which similarities decisions are uncertain; without a threshold, for nine in ten of such pairs."""
        model = self.layer.model
        band = model.band(self._protocol.p_t)
        if band is not None:
            return band
        p_t = ProtocolSettings().p_t
        uncertain = self.candidates.pairs.similarity[model.predict(self.layer.features).p < p_t]
        if not len(uncertain):
            return self.t, self.t
        low, high = np.quantile(uncertain, [0.05, 0.95]).tolist()
        return low, high

    def position_of(self, pair_id: bytes) -> int:
        """Position in the layer of a pair that was asked about."""
        return self._pairs[pair_id]

    # Messages

    def admit(self, envelope: Envelope) -> Envelope:
        """Check a message; it is kept as it is."""
        check_incoming(envelope)
        match envelope.message:
            case Fingerprint() | RecordEncodings():
                self.intake.check(envelope)
            case Labels() as message:
                self._check_labels(envelope, message)
            case OwnersAnswers() as message:
                self.answers.check(envelope, message, self._iteration)
            case _:
                raise refused(envelope, "not for the record unit")
        return envelope

    def apply(self, event: Envelope | Decision) -> None:
        """Take in one entry of the log."""
        match event:
            case Envelope(message=Fingerprint() | RecordEncodings()):
                self.intake.take(event)
            case Envelope(message=Labels() as message):
                self._learn(message)
            case Envelope(message=OwnersAnswers() as message):
                self.answers.take(message)
            case Judged():
                self.intake.judged(event)
            case Screened():
                self._screened(event)
            case PairsAsked():
                self._asked(event)
            case Finished():
                self.finished = True
                self._link_ids = event.link_ids

    def decide(self, now: float) -> Step | None:
        """The next decision that is due; none before due work is done."""
        del now
        if self._due is not None:
            return None
        step = self.intake.decide()
        if step is not None or self.finished or self._waiting or not self.intake.complete:
            return step
        if self._protocol.layers == 1 or self._iteration == len(self._protocol.batches):
            return self._finish()
        return self._ask()

    def _screened(self, decision: Screened) -> None:
        """Keep what was found implausible out. After the last upload, comparing is due."""
        self.intake.screened(decision)
        if self.intake.complete:
            left, right = (self.intake.uploads[owner] for owner in self._owners)
            self._due = Comparing.of(self._schema, (left, right), self._compare, self._features)

    # Iterations

    def _ask(self) -> Step:
        """Draw the next batch, and decoys to hide it among; wish for their encodings."""
        draw = self._chance(f"iteration {self._iteration}")
        size = batch_size(self._protocol.batches[self._iteration], self.layer.answered)
        chosen = self.layer.select(size, draw.rng)
        chosen = np.concatenate([chosen, self._decoys(len(chosen), draw)])
        pairs = self.candidates.pairs
        # Of their own source, so that they change nothing about what else is drawn.
        hiding = self._chance(f"strangers {self._iteration}")
        strangers = self._strangers.drawn(pairs, self.layer.outcomes, chosen, self._people, hiding.rng)
        rows = (np.concatenate([pairs.left[chosen], strangers[0]]), np.concatenate([pairs.right[chosen], strangers[1]]))
        pair_ids = draw.entropy(ID * len(rows[0]))
        # key_pair is fresh for every pair, so at most two records share these hash functions
        # and no frequency table can form at the attribute unit.
        key_pairs = entries(draw.entropy(KEY_PAIR * len(rows[0])), KEY_PAIR)
        thought = announced(self._thought(chosen), len(strangers[0]))
        messages = [self._send(ATTRIBUTE_UNIT, Bootstrap(pair_ids, *thought))]
        for owner, wish in self._wishes(rows, entries(pair_ids, ID), key_pairs, draw):
            messages.append(self._send(owner, wish))
        columns = (column.astype("<i8").tobytes() for column in (chosen, *strangers))
        return Step(PairsAsked(pair_ids[: ID * len(chosen)], *columns), tuple(messages))

    def _thought(self, chosen: Positions) -> Outcomes:
        """What the attribute unit is told about pairs: of a model with odds, its word before it learnt from below."""
        # Told what it taught itself, the attribute unit would take its own word for another's, and ever more of it.
        if self._first.calibrated:
            return self._first.predict(self.layer.features[chosen])
        return Outcomes(self.layer.g[chosen], self.layer.p[chosen])

    def _asked(self, decision: PairsAsked) -> None:
        """These pairs were asked about; their labels are waited for."""
        _ = self.candidates  # without them, positions would mean nothing
        positions = np.frombuffer(decision.positions, "<i8")
        self._pairs.update(zip(entries(decision.pair_ids, ID), positions.tolist(), strict=True))
        self.layer.ask(positions)
        pairs = self.candidates.pairs
        left, right = (np.frombuffer(rows, "<i8") for rows in (decision.strangers_left, decision.strangers_right))
        rows = (np.concatenate([pairs.left[positions], left]), np.concatenate([pairs.right[positions], right]))
        self._strangers.asked(rows, self._sizes())
        self._iteration += 1
        self._waiting = True
        self.intake.asked = True

    def _decoys(self, chosen: int, draw: Draw) -> Positions:
        """Pairs that are certain, so that being wished for does not mean being uncertain; wishes are filled up."""
        count = with_decoys(chosen, self._protocol.decoys) - chosen
        return self.layer.sure(self._protocol.p_t, count, draw.rng)

    def _wishes(
        self, rows: tuple[Rows, Rows], pair_ids: Sequence[bytes], key_pairs: Sequence[bytes], draw: Draw
    ) -> Iterator[tuple[Address, EncodingWish]]:
        uploads = self._uploads()
        for owner, side in zip(self._owners, rows, strict=True):
            upload = self.intake.uploads[owner]
            assert upload.rows is not None
            assert upload.handles is not None
            handles = entries(upload.handles.pick(upload.rows[side]), ID)
            # The order must not tell which pairs are close to the threshold.
            order = draw.rng.permutation(len(side)).tolist()
            for start in range(0, len(order), WISHES):
                some = order[start : start + WISHES]
                columns = (b"".join(column[i] for i in some) for column in (pair_ids, handles, key_pairs))
                yield owner, EncodingWish(self._iteration, uploads, *columns)

    def _uploads(self) -> bytes:
        """The uploads that were compared, in rising order."""
        return b"".join(sorted({self.intake.uploads[owner].upload_id for owner in self._owners}))

    def _check_labels(self, envelope: Envelope, message: Labels) -> None:
        if not self._waiting:
            raise refused(envelope, "no labels were asked for")
        pair_ids = entries(message.pair_ids, ID)
        if any(pair not in self._pairs for pair in pair_ids):
            raise refused(envelope, "a label for a pair that was not asked about")
        if len(set(pair_ids)) != len(pair_ids):
            raise refused(envelope, "two labels for the same pair")
        try:
            outcomes(message.g, message.p)
        except ValueError as error:
            raise refused(envelope, str(error)) from None

    def _learn(self, message: Labels) -> None:
        """Take the labels of an iteration and learn from them."""
        positions = np.array([self._pairs[pair] for pair in entries(message.pair_ids, ID)], np.int64)
        self.layer.take(positions, outcomes(message.g, message.p))
        self.layer.learn()
        self.layer.classify()
        self._waiting = False

    # The end

    def matches(self) -> Flags:
        """Which pairs are linked now."""
        return self._linked()[0]

    def _linked(self) -> tuple[Flags, bool]:
        return linked(self.candidates, self.layer, self._sizes(), one_to_one=self._protocol.one_to_one)

    def estimate(self) -> Estimate | None:
        """What the unit itself can tell about the quality of its links; None without a model that gives odds."""
        if self.comparison is None or self._assessor is None:
            return None
        links, nobody = self._linked()
        found = AssessedLinks(self.comparison, self._sides(), self.layer, links, nobody)
        return found.estimate(*self._assessor, max_block=self._protocol.max_block)

    def data_warnings(self) -> tuple[DataWarning, ...]:
        """What looks wrong with the uploads: nothing before all are there, and of keys nothing before comparing."""
        if not self.intake.complete:
            return ()
        sides = dict(zip(map(str, self._owners), self._sides(), strict=True))
        names = [key.name for key in self._schema.blocking]
        if self.comparison is None:
            return tuple(unit_warnings(names, sides, None, self.layer.outcomes))
        nobody = nobody_warnings(shared=not self._linked()[1])
        return (*nobody, *unit_warnings(names, sides, self.comparison.pairs, self.layer.outcomes))

    def _finish(self) -> Step:
        """Every owner gets a link id for each of its records, and the linked ones, sealed."""
        pairs, at = self.candidates.pairs, np.flatnonzero(self.matches())
        matched = Pairs(pairs.left[at], pairs.right[at], pairs.similarity[at])
        odds = log_odds(Outcomes(self.layer.g[at], self.layer.p[at]))
        found = FoundLinks(matched, odds, self.estimate() if self._joining.quality != NOBODY else None)
        uploads = {owner: self.intake.uploads[owner] for owner in self._owners}
        run = run_of(self._uploads())
        link_ids, messages = self._tables(found, uploads, run, terms=self._joining, chance=self._chance)
        return Step(Finished(link_ids), tuple(self._send(*each) for each in messages))

    def unfinished(self) -> str:
        """Whether the links are still to be found, in words."""
        return "" if self.finished else "the links were not found yet, and owners would wait for them"

    def kept_at_closing(self) -> Mapping[str, bytes]:
        """The owners' link tables; empty before the end."""
        if not self.finished:
            return {}
        return kept_tables({owner: self.intake.uploads[owner] for owner in self._owners}, self._link_ids)

    def _send(self, recipient: Address, message: Message) -> Envelope:
        return Envelope(RECORD_UNIT, recipient, message)
