"""Answering wishes until the links have come, through restarts and lost networks."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Final

from unveil.errors import Closed
from unveil.protocol.data_warnings import DataWarning
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT
from unveil.protocol.stages import StageKind
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER
from unveil.roles.owner.policy import Policy
from unveil.runtime.owner.approvals import Approvals
from unveil.runtime.owner.delivery import OwnerWorker, reason
from unveil.runtime.owner.fetcher import Fetcher
from unveil.runtime.owner.folder import home
from unveil.runtime.owner.observer import OwnerObserver, OwnerPhase, PhaseReport
from unveil.runtime.owner.progress import UNIT_OF_LAYER, OwnerProgress, WishProgress
from unveil.runtime.owner.report import OwnerReport
from unveil.runtime.owner.session import OwnerSession
from unveil.runtime.owner.stop import StopFlag
from unveil.runtime.owner.unit_watch import SeenStatus
from unveil.runtime.results_quality import ResultsQuality
from unveil.transport.status import RecordUnitStatus

_TICK: Final = 0.2
_LONGEST_PAUSE: Final = 5.0  # seconds between two questions to the record unit
_LOOK: Final = 1.0  # seconds between looks at units that may be in trouble: messages are read for it, and may be large
_STALLED: Final = 10.0  # seconds after which a unit that takes no message is said to be in trouble


@dataclass(frozen=True, slots=True)
class RunReport(OwnerReport):
    """What was linked, by unit what became of wishes, and what the units that answer warn of at the end."""

    records: int | None
    wishes: dict[str, WishProgress]
    warnings: tuple[DataWarning, ...] = ()
    quality: ResultsQuality | None = None

    def as_json(self) -> dict[str, Any]:
        """What was answered; at the end no count of what came or waits is of use."""
        wishes = {
            unit: {"answered": each.answered, "refused": each.refused, "values": each.values}
            for unit, each in self.wishes.items()
        }
        return {
            "records": self.records,
            "wishes": wishes,
            "warnings": [warning.as_json() for warning in self.warnings],
            "quality": None if self.quality is None else self.quality.as_json(),
        }


@dataclass
class AnsweringRun:
    """One run, from wherever the last one stopped."""

    session: OwnerSession
    stop: StopFlag
    observer: OwnerObserver
    _oldest: dict[str, tuple[str, float]] = field(default_factory=dict)  # unit -> its oldest message, noticed when
    _looked: float = 0.0  # when the messages that wait were looked at
    _held: OwnerPhase | None = None  # why nothing is answered now, if it is not
    _policy: Policy | None = None  # the one that was followed last
    _complete: bool | None = None  # whether the record unit has every owner's upload and can use it

    def work(self) -> bool:
        """Work until the links are here; whether they are, or the stop came first."""
        progress = self.session.look()
        if progress.is_done(self.session.host.log):
            return True
        self.session.compare_logs()
        watch = self.session.watch(RECORD_UNIT.role, longest_pause=_LONGEST_PAUSE)
        reviews = self.session.watch(ATTRIBUTE_UNIT.role, longest_pause=_LONGEST_PAUSE)
        if progress.parts is None:
            watch.ask()  # now, before anything of ours can have arrived
            if watch.latest is not None:
                self.session.judgement.before(watch.latest)
        worker = self.session.worker()
        fetcher = Fetcher(worker, on_refusal=self.session.message_refused)
        approvals = Approvals(home(self.session.folder.config))
        fetcher.start()
        watch.start()
        reviews.start()
        try:
            while True:
                if self._look_again() or approvals.take_up(self.session.host):
                    worker.wake()
                self._show(fetcher, worker, reviews.latest)
                if worker.halted is not None:
                    raise worker.halted
                if self._done(worker):
                    return True
                self._judge(watch.latest)
                if self.stop.wait(_TICK):
                    return False
        finally:
            watch.stop()
            reviews.stop()
            fetcher.stop()

    def _look_again(self) -> bool:
        """See whether something holds back what leaves; whether there may be more to decide than before."""
        before = self._held, self._policy
        self._held = None
        if not self.session.follow_rules():
            self._held = OwnerPhase.RULES_UNREADABLE
        if self.session.pause.is_on():
            self._held = OwnerPhase.PAUSED
        self._policy = self.session.rules.policy
        return self._held is not before[0] or self._policy is not before[1]

    def _done(self, worker: OwnerWorker) -> bool:
        """Whether the links have come and nothing is left to be sent, but to units that have closed the project."""
        progress, log = self.session.look(), self.session.host.log
        closed = {unit for unit, why in worker.not_taken.items() if isinstance(why, Closed)}
        units = set(worker.clients) - closed
        return progress.linked and not any(log.outgoing(recipient=unit, limit=1) for unit in units)

    def _judge(self, seen: SeenStatus | None) -> None:
        """End the work if the record unit will never send links."""
        progress, judgement = self.session.look(), self.session.judgement
        if seen is None or progress.linked:
            return
        if progress.parts is not None and progress.acknowledged(self.session.host.log) == progress.parts:
            judgement.arrived()
        judgement.usable(seen, asked=bool(progress.wishes[ATTRIBUTE_LAYER].received))
        self._complete = seen.status.uploads_complete if isinstance(seen.status, RecordUnitStatus) else None

    def _show(self, fetcher: Fetcher, worker: OwnerWorker, reviews: SeenStatus | None) -> None:
        progress, log = self.session.look(), self.session.host.log
        approved = [layer for layer in UNIT_OF_LAYER if self.session.rules.policy.needs_approval(layer)]
        arrived = progress.acknowledged(log) if progress.agreed else 0
        labels = self._labels(reviews)
        found = phase_of(progress, arrived, approved, complete=self._complete, labels=labels)
        self.observer.phase(found if self._held is None else replace(found, phase=self._held))
        self.observer.counts(progress.wishes_by_unit())
        if time.monotonic() - self._looked < _LOOK:
            return
        self._looked = time.monotonic()
        for unit in worker.clients:
            failure = fetcher.failures.get(unit)
            why = failure.message if failure else self._stalled(unit, worker)
            if why:
                self.observer.trouble(unit, why)
            else:
                self.observer.reached(unit)

    def _labels(self, seen: SeenStatus | None) -> tuple[int, int] | None:
        """Labels given and labels in all, while reviewers are at work; None while they are not, or nobody knows."""
        stage = None if seen is None else seen.status.stage
        if stage is None or stage.kind is not StageKind.REVIEWING or stage.done is None or stage.of is None:
            return None
        return stage.done, stage.of

    def _stalled(self, unit: str, worker: OwnerWorker) -> str:
        """Why a unit takes no message, if one has been waiting for long."""
        waiting = self.session.host.log.outgoing(recipient=unit, limit=1)
        if not waiting:
            self._oldest.pop(unit, None)
            worker.not_taken.pop(unit, None)
            return ""
        oldest, since = waiting[0].message_id, time.monotonic()
        if self._oldest.get(unit, ("", 0.0))[0] != oldest:
            self._oldest[unit] = (oldest, since)
        refusal = worker.not_taken.get(unit)
        if refusal is not None:
            return f"does not take our messages ({reason(refusal)})"
        return "has taken no message for a while" if since - self._oldest[unit][1] > _STALLED else ""


def phase_of(
    progress: OwnerProgress,
    parts_arrived: int,
    approved: Collection[int],
    *,
    complete: bool | None,
    labels: tuple[int, int] | None = None,
) -> PhaseReport:
    """
    What an owner that answers is at; `approved` are the layers whose wishes wait for a person.

    `labels` are those given and those in all, while reviewers are at work.
    """
    numbers = (progress.records or 0, progress.parts or 0, parts_arrived)
    waiting = sum(progress.wishes[layer].open for layer in approved)
    if progress.linked:
        return PhaseReport(OwnerPhase.SENDING_LAST_ANSWERS, *numbers)
    if waiting:
        return PhaseReport(OwnerPhase.WAITING_FOR_APPROVAL, *numbers, waiting)
    if labels is not None:
        return PhaseReport(OwnerPhase.WAITING_FOR_REVIEWERS, *numbers, labels=labels[0], budget=labels[1])
    if progress.wishes[ATTRIBUTE_LAYER].received:
        return PhaseReport(OwnerPhase.ANSWERING, *numbers)
    return PhaseReport(_uploading(progress, parts_arrived, complete=complete), *numbers)


def _uploading(progress: OwnerProgress, parts_arrived: int, *, complete: bool | None) -> OwnerPhase:
    if not progress.agreed:
        return OwnerPhase.WAITING_FOR_FINGERPRINT if progress.agreed is None else OwnerPhase.FINGERPRINTS_DIFFER
    if progress.parts is None:
        return OwnerPhase.ENCODING
    if parts_arrived < progress.parts:
        return OwnerPhase.SENDING
    return OwnerPhase.WAITING_FOR_OTHER_UPLOAD if complete is False else OwnerPhase.WAITING_FOR_WISHES
