"""
Uploading: the owners' fingerprints are compared, then every record goes to the record unit, encoded as a whole.

It is done when the record unit has looked at the upload and can use it.
Once the owners agree nothing is fetched any more, so no wish is answered here: that is for `answering`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from unveil.errors import Closed, Conflict, UnveilError
from unveil.protocol.roles import RECORD_UNIT
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER
from unveil.runtime.owner.delivery import OwnerWorker, reason
from unveil.runtime.owner.fetcher import Fetcher, FetchPace
from unveil.runtime.owner.observer import OwnerObserver, OwnerPhase, PhaseReport
from unveil.runtime.owner.pause import Paused
from unveil.runtime.owner.report import OwnerReport
from unveil.runtime.owner.session import OwnerSession
from unveil.runtime.owner.stop import StopFlag
from unveil.runtime.owner.unit_watch import UnitWatch
from unveil.runtime.owner.upload_judgement import ProjectClosed
from unveil.transport.failures import Rejected

_PACE: Final = FetchPace(wait=2, longest_pause=2.0)
_LONGEST_PAUSE: Final = 2.0  # seconds between two questions to the record unit
_TICK: Final = 0.2
_STALLED: Final = 5.0  # seconds without progress after which whoever watches is told why
_NOT_TAKEN_HINT: Final = (
    "ask whoever runs the record unit, then run the same command again; `unveil owner status` tells more"
)

DIFFER: Final = "the owners' keys or parameters differ; nothing was uploaded"
DIFFER_HINT: Final = (
    "compare with the other owner, by telephone: `unveil key fingerprint` and the fingerprint of `unveil project show` "
    "must be the same; whoever has the wrong file replaces it, then both run the same command again"
)


class Disagreement(UnveilError):
    """The owners do not share key and parameters."""

    def __init__(self) -> None:
        super().__init__(DIFFER, hint=DIFFER_HINT)


@dataclass(frozen=True, slots=True)
class UploadReport(OwnerReport):
    """What was uploaded."""

    records: int | None
    parts: int | None


@dataclass
class OwnerUpload:
    """One upload, from wherever the last one stopped."""

    session: OwnerSession
    stop: StopFlag
    observer: OwnerObserver

    def work(self) -> bool:
        """Send what is not there yet; whether everything is there and usable, or the stop came first."""
        self.session.folder.check_size()
        self._told_to_stop(0.0)
        self.session.compare_logs()
        self.session.host.advance()  # draws handles and shows the fingerprint, if that was not done
        arrived = self.session.look().parts is not None and not self._outgoing()
        watch = self.session.watch(RECORD_UNIT.role, longest_pause=_LONGEST_PAUSE)
        if not arrived:
            watch.ask()  # now, before anything of ours can be there
        watch.start()
        try:
            return self._usable(watch) if arrived else self._send_all(watch)
        finally:
            watch.stop()

    def _outgoing(self) -> bool:
        """Whether something waits to be delivered to the record unit."""
        return bool(self.session.host.log.outgoing(recipient=str(RECORD_UNIT), limit=1))

    def _send_all(self, watch: UnitWatch) -> bool:
        self._judge(watch)
        worker = self.session.worker()
        fetcher = Fetcher(
            worker,
            units=(RECORD_UNIT,),
            # Asked before each call: the message after the one that says so may be a wish.
            until=lambda: worker.host.look(lambda owner: bool(owner.agreed)),
            pace=_PACE,
            on_refusal=self.session.message_refused,
        )
        fetcher.start()
        try:
            return self._agree(fetcher, watch) and self._send(worker, watch) and self._usable(watch)
        finally:
            fetcher.stop()

    def _agree(self, fetcher: Fetcher, watch: UnitWatch) -> bool:
        """Wait until the owners' fingerprints were compared; Disagreement if they differ."""
        delivered: float | None = None  # since when our fingerprint is known to be there
        while True:
            failure = fetcher.failures.get(str(RECORD_UNIT))
            if fetcher.halted is not None:
                raise fetcher.halted
            if isinstance(failure, Closed):
                raise ProjectClosed
            found_empty = fetcher.found_empty(RECORD_UNIT)  # before the log is read, which holds what was found earlier
            self._judge(watch)
            progress = self.session.look()
            if progress.agreed:
                return True
            if delivered is None and not self._outgoing():
                delivered = time.monotonic()
            waiting = OwnerPhase.SHOWING_FINGERPRINT if delivered is None else OwnerPhase.WAITING_FOR_FINGERPRINT
            self.observer.phase(PhaseReport(waiting))
            self._show(failure)
            # An answer may be older than the fingerprint that it seems to be about, so one that says no counts only
            # if no other came after the fingerprint had arrived.
            if progress.agreed is False and delivered is not None and found_empty > delivered:
                raise Disagreement
            if self._told_to_stop():
                return False

    def _send(self, worker: OwnerWorker, watch: UnitWatch) -> bool:
        """Wait until all parts have arrived."""
        progress, log = self.session.look(), self.session.host.log
        records = progress.records or 0
        self.observer.phase(PhaseReport(OwnerPhase.ENCODING, records))
        while self.session.look().parts is None:
            if self._told_to_stop():
                return False
        parts = progress.parts or 0
        self.observer.phase(PhaseReport(OwnerPhase.SENDING, records, parts, progress.acknowledged(log)))
        moved, before = time.monotonic(), -1
        while (done := progress.acknowledged(log)) < parts:
            self.observer.parts_arrived(done, parts, records)
            if done > before:
                moved, before = time.monotonic(), done
                self.observer.reached(str(RECORD_UNIT))
            elif time.monotonic() - moved > _STALLED:
                self._explain(worker, watch)
                moved = time.monotonic()
            if self._told_to_stop():
                return False
        return True

    def _explain(self, worker: OwnerWorker, watch: UnitWatch) -> None:
        """Say why nothing arrives, or end the work if trying again would not help."""
        refusal = worker.not_taken.get(str(RECORD_UNIT))
        if worker.halted is not None:
            raise worker.halted
        if isinstance(refusal, Closed):
            raise ProjectClosed
        if isinstance(refusal, Rejected | Conflict):
            raise UnveilError(f"the record unit does not take the upload: {reason(refusal)}", hint=_NOT_TAKEN_HINT)
        self._judge(watch)
        self._show(watch.failure)

    def _usable(self, watch: UnitWatch) -> bool:
        """Wait until the record unit has looked at the upload; SetAside if it is of no use."""
        progress = self.session.look()
        if progress.linked or progress.wishes[ATTRIBUTE_LAYER].received:
            return True  # nobody wishes for anything in an upload that is set aside
        self.session.judgement.arrived()
        watch.ask_soon()
        while not self._told_to_stop():
            if self._judge(watch):
                return True
            self._show(watch.failure)
            self.observer.phase(PhaseReport(OwnerPhase.WAITING_FOR_SCREENING))
        return False

    def _told_to_stop(self, seconds: float = _TICK) -> bool:
        """Wait a moment; whether the work is to end. Paused if nothing may leave any more."""
        if self.session.pause.is_on():
            raise Paused
        if not self.session.follow_rules() and self.session.rules.problem is not None:
            raise self.session.rules.problem
        return self.stop.wait(seconds)

    def _judge(self, watch: UnitWatch) -> bool:
        """Whether the record unit can use our upload; SetAside or ProjectClosed if it never will."""
        seen = watch.latest
        if seen is None:
            return False
        if self.session.look().parts is None:  # looked at after the status, which so is older than any part
            self.session.judgement.before(seen)
        asked = bool(self.session.look().wishes[ATTRIBUTE_LAYER].received)
        return self.session.judgement.usable(seen, asked=asked)

    def _show(self, failure: UnveilError | None) -> None:
        if failure is None:
            self.observer.reached(str(RECORD_UNIT))
        else:
            self.observer.trouble(str(RECORD_UNIT), failure.message)
