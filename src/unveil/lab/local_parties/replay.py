"""
A trial rebuilt from its logs: the five machines with what they sent and what their reviewer saw.

Every decision is taken once more as its log is read. Chance follows from the seed, so the same decision must come out:
a log that holds another one is not the log of that machine. What was erased since then comes back on the way, from the
owners, who alone still hold the records it was made of.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from unveil.errors import ProtocolError
from unveil.lab.evaluation.result import Point
from unveil.lab.local_parties.folder import OWNERS, Trial
from unveil.lab.local_parties.logs import log_of, opened
from unveil.lab.simulation.machines import Machines, SimulationSettings
from unveil.lab.simulation.observer import ReviewedPair
from unveil.lab.simulation.study import Study
from unveil.protocol import codec
from unveil.protocol.flows import Envelope, check_outgoing
from unveil.protocol.machine import Decision, Erased, Machine, Step, do_due_work
from unveil.protocol.messages import ID, AttributeEncodings, AttributeValues, Labels, ReviewTask
from unveil.protocol.roles import Address, address_of
from unveil.roles.attribute_unit.decisions import Reported
from unveil.roles.columns import entries
from unveil.roles.owner.decisions import Answered, Approved
from unveil.roles.review_unit.decisions import UNSURE, Decided, DecidedByNobody, Opened, OpenedByNobody
from unveil.roles.review_unit.display import Verdict
from unveil.runtime.assemble import join_terms
from unveil.schema import Schema
from unveil.storage.log.entries import LogEntry


class Replay(Machines):
    """The machines of a trial after their last entry."""

    def __init__(
        self,
        trial: Trial,
        study: Study,
        schema: Schema,
        settings: SimulationSettings,
        *,
        on_point: Callable[[Point], None] = lambda _: None,
    ) -> None:
        # What was sealed for this trial's project opens for no other.
        super().__init__(study, schema, replace(settings, joining=join_terms(trial.project())), on_point=on_point)
        self._trial = trial
        self._disclosed: dict[tuple[Address, bytes], Envelope] = {}  # what owners sent, by the pairs or tasks
        for party, one in zip(OWNERS, self.owners, strict=True):
            for _ in self._entries(party, one):
                pass
        reported = self._attribute_unit()
        self._record_unit(reported)
        self._review_unit()

    def _attribute_unit(self) -> list[tuple[int, int]]:
        """Pairs and labels that the attribute unit had at each of its reports."""
        unit = self.attribute_unit
        return [
            (len(unit.layer), unit.spent)
            for event in self._entries("attribute-unit", unit)
            if isinstance(event, Reported)
        ]

    def _record_unit(self, reported: list[tuple[int, int]]) -> None:
        """The quality before any review, and after every report."""
        reports = iter(reported)
        for event in self._entries("record-unit", self.record_unit):
            if not self.points and self.record_unit.comparison is not None:
                self.note_quality(0, 0)
            if isinstance(event, Envelope) and isinstance(event.message, Labels):
                self.note_quality(*next(reports))

    def _review_unit(self) -> None:
        """The pairs as they were shown, in the order in which they were asked about."""
        order: dict[bytes, int] = {}
        for event in self._entries("review-unit", self.review_unit):
            if isinstance(event, Envelope) and isinstance(event.message, ReviewTask):
                for task_id in entries(event.message.task_ids, ID):
                    order[task_id] = len(order)
        self.answered.sort(key=lambda answered: order[answered.pair.task_id])

    def _entries(self, party: str, machine: Machine) -> Iterator[Envelope | Decision]:
        """Apply every entry of a party's log; each is yielded once it is applied."""
        with log_of(self._trial, party) as log:
            for entry in log.entries():
                event = self._event(entry, machine)
                if isinstance(event, Decision):
                    self._send(self._again(machine, event, entry.time))
                machine.apply(event)
                do_due_work(machine)
                yield event

    def _event(self, entry: LogEntry, machine: Machine) -> Envelope | Decision:
        found = opened(entry, machine.decisions)
        if isinstance(found, Decision):
            return found
        sender = address_of(entry.sender)
        if isinstance(found, Erased):
            return machine.admit(self._disclosed[sender, found.ids])
        return Envelope(sender, machine.address, found)

    def _again(self, machine: Machine, decision: Decision, time: float) -> Step:
        """The decision with the messages that it sends."""
        match decision:
            case Approved() | Opened() | OpenedByNobody():  # people's, which send nothing
                return Step(decision)
            case Decided() | DecidedByNobody():
                return self._judged(decision)
            case Answered():
                time = struct.unpack("<d", decision.time)[0]
        step = machine.decide(time)
        if step is None or step.decision != decision:
            raise ProtocolError(f"the log of the {machine.address} holds a decision that this machine would not take")
        return step

    def _judged(self, decision: Decided | DecidedByNobody) -> Step:
        shown = {pair.task_id: pair for pair in self.review_unit.pending()}
        p = np.frombuffer(decision.p, "<f8").tolist()
        verdicts = [
            Verdict(task_id, None if g == UNSURE else bool(g), sure, self.review_unit.stages(task_id))
            for task_id, g, sure in zip(entries(decision.task_ids, ID), decision.g, p, strict=True)
        ]
        self.answered += [ReviewedPair(shown[one.task_id], one, self.truth_of(one.task_id)) for one in verdicts]
        return self.review_unit.judge(verdicts, reviewer=decision.reviewer.decode() or "unknown")

    def _send(self, step: Step) -> None:
        for envelope in step.messages:
            check_outgoing(envelope)
            message = envelope.message
            flow = (envelope.sender.role.value, envelope.recipient.role.value, type(message).__name__)
            self.traffic.messages[flow] += 1
            self.traffic.bytes[flow] += len(codec.encode(message))
            if isinstance(message, AttributeEncodings):
                self._disclosed[envelope.sender, message.pair_ids] = envelope
            elif isinstance(message, AttributeValues):
                self._disclosed[envelope.sender, message.task_ids] = envelope
