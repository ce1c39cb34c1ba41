"""Answering wishes until the links have come, through restarts and lost networks."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from unveil.cli.owner.approvals import Approvals
from unveil.cli.owner.folder import home
from unveil.cli.owner.screen import Screen
from unveil.cli.owner.session import Session, Stop
from unveil.cli.owner.standing import UNITS, Standing, is_done
from unveil.cli.owner.upload import DIFFER, DIFFER_HINT, WAITING
from unveil.cli.owner.verdict import NOT_COMPLETE, Lookout, Word, ask
from unveil.errors import Closed, UnveilError
from unveil.protocol.roles import RECORD_UNIT
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.runtime.owner.fetcher import Fetcher
from unveil.runtime.worker import Worker

_TICK: Final = 0.2
_LOOK: Final = 1.0  # seconds between looks at units that may be in trouble: messages are read for it, and may be large
_STALLED: Final = 10.0  # seconds after which a unit that takes no message is said to be in trouble


@dataclass
class Run:
    """One run, from wherever the last one stopped."""

    session: Session
    stop: Stop
    screen: Screen
    _oldest: dict[str, tuple[str, float]] = field(default_factory=dict)  # unit -> its oldest message, noticed when
    _looked: float = 0.0  # when the messages that wait were looked at
    _complete: bool | None = None  # whether the record unit has every owner's upload and can use it

    def work(self) -> bool:
        """Work until the links are here; whether they are, or the stop came first."""
        if is_done(self.session.look(), self.session.host.log):
            return True
        self._hear_before()
        seat = self.session.seat()
        errand = Fetcher(seat, on_refusal=self._refusal)
        approvals = Approvals(home(self.session.folder.config))
        lookout = Lookout(self.session.record_unit(), self.session.name)
        errand.start()
        lookout.start()
        try:
            while True:
                if approvals.take_up(self.session.host):
                    seat.wake()
                self._show(errand, seat)
                if self._done(seat):
                    return True
                self._heed(lookout.word)
                if self.stop.wait(_TICK):
                    return False
        finally:
            lookout.stop()
            errand.stop()

    def _hear_before(self) -> None:
        """Hear what the record unit says before it has anything of our upload."""
        if self.session.look().parts is None:
            with suppress(UnveilError), self.session.record_unit() as client:
                self.session.verdict.before(ask(client, self.session.name))

    def _done(self, seat: Worker) -> bool:
        """Whether the links have come and nothing is left to be sent, but to units that have closed the project."""
        standing, log = self.session.look(), self.session.host.log
        refused = self.session.log.not_taken
        closed = {unit for unit, why in refused.items() if why.kind == Closed.__name__}
        return standing.linked and not any(log.outgoing(recipient=unit, limit=1) for unit in set(seat.clients) - closed)

    def _heed(self, word: Word | None) -> None:
        """End the work if the record unit will never send links."""
        standing = self.session.look()
        if word is None or standing.linked:
            return
        if standing.parts is not None and standing.acknowledged(self.session.host.log) == standing.parts:
            self.session.verdict.arrived()
        self.session.verdict.heed(word)
        self._complete = word.complete

    def _refusal(self, error: Exception) -> None:
        self.session.log.warning("not taken", error=type(error).__name__)

    def _show(self, errand: Fetcher, seat: Worker) -> None:
        standing = self.session.look()
        self.screen.phase(phase(standing, self.session, complete=self._complete))
        self.screen.counts(counts(standing))
        if time.monotonic() - self._looked < _LOOK:
            return
        self._looked = time.monotonic()
        for unit in seat.clients:
            why = errand.unreachable.get(unit) or self._stalled(unit)
            if why:
                self.screen.trouble(unit, why)
            else:
                self.screen.reached(unit)

    def _stalled(self, unit: str) -> str:
        """Why a unit takes no message, if one has been waiting for long."""
        waiting = self.session.host.log.outgoing(recipient=unit, limit=1)
        if not waiting:
            self._oldest.pop(unit, None)
            self.session.log.not_taken.pop(unit, None)
            return ""
        oldest, since = waiting[0].message_id, time.monotonic()
        if self._oldest.get(unit, ("", 0.0))[0] != oldest:
            self._oldest[unit] = (oldest, since)
        refused = self.session.log.not_taken.get(unit)
        if refused:
            return f"does not take our messages ({refused})"
        return "has taken no message for a while" if since - self._oldest[unit][1] > _STALLED else ""


def phase(standing: Standing, session: Session, *, complete: bool | None = None) -> str:
    """What the owner is at."""
    approved = [layer for layer in UNITS if session.folder.policy.needs_approval(layer)]
    waiting = sum(standing.wished[layer].open for layer in approved)
    if standing.linked:
        return "the links have come; sending the last answers"
    if waiting:
        return f"{waiting} wishes wait for approval: unveil owner approve {session.path}"
    if standing.wished[ATTRIBUTE_LAYER].received:
        return "answering wishes as the policy says"
    return _uploading(standing, session, complete=complete) if standing.agreed else _comparing(standing)


def _comparing(standing: Standing) -> str:
    return WAITING if standing.agreed is None else f"{DIFFER}\n{DIFFER_HINT}"


def _uploading(standing: Standing, session: Session, *, complete: bool | None) -> str:
    if standing.parts is None:
        return f"encoding {standing.records:,} records"
    done = standing.acknowledged(session.host.log)
    if done < standing.parts:
        return f"sending records: {done} of {standing.parts} parts are at the {RECORD_UNIT}"
    return NOT_COMPLETE if complete is False else "waiting for wishes"


def counts(standing: Standing) -> str:
    """How many wishes were answered and refused, and how many values were sent."""
    pairs, reviews = standing.wished[ATTRIBUTE_LAYER], standing.wished[REVIEW_LAYER]
    if not pairs.received:
        return ""
    return (
        f"pairs: {pairs.answered:,} answered, {pairs.refused:,} refused · "
        f"reviews: {reviews.answered:,} answered, {reviews.refused:,} refused, {reviews.values:,} values sent"
    )
