"""
A person at a browser decides about the batches of a simulation: the unit's own pages, on loopback, for one browser.

The simulation waits while the page is open to its reviewer, and the page waits while the simulation works. Labels and
openings are on disk before the page shows the next pair, so the same command goes on where it was stopped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from unveil.one_place.seen_risk import RiskOfPair
from unveil.one_place.session_file import SessionFile
from unveil.protocol.machine import Decision, Step
from unveil.roles.review_unit.assignments import HELD_FOR
from unveil.roles.review_unit.decisions import UNSURE, Decided, Drafted, HandedOut, Opened
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.roles.review_unit.session import batch_key
from unveil.runtime.review_steps import CONFIDENCE, ReviewSteps
from unveil.schema import Schema

#: By this name the review unit of a simulation knows whoever reviews.
NAME: Final = "simulation"
_LONGEST_WORK: Final = 600.0  # seconds for which a page waits until the simulation has worked on a batch


class PageReviewer:
    """Asks a person at a page about batches of pairs of this machine; `run` tells runs apart, as at the terminal."""

    def __init__(
        self, machine: ReviewUnit, schema: Schema, *, session: Path, run: str, risk: RiskOfPair | None = None
    ) -> None:
        self._machine = machine
        self._file = SessionFile(session)
        self._session, self.note = self._file.load(run)
        self._changed = threading.Condition()
        self._open = self._handed = self._over = False
        self.steps = ReviewSteps(self, schema, clock=time.time, risk=risk, gold=0.0, practice=False)

    # For the simulation

    def review(self, tasks: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """Return a verdict for each task as soon as the person has handed them in."""
        del spent, budget  # the machine knows
        task_ids = [task.task_id for task in tasks]
        key = batch_key(task_ids)
        if key not in self._session.handed_in:
            with self._changed:
                self._restore(task_ids)
                self._open, self._handed = True, False
                self._changed.notify_all()
                while not self._handed:
                    self._changed.wait(1.0)  # so that Ctrl-C is heard
                self._open = False
            self._session.handed_in.add(key)
            self._file.save(self._session)
        return [self._session.verdict(task_id) for task_id in task_ids]

    def end(self) -> None:
        """The simulation has ended: the page says so."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _restore(self, task_ids: Sequence[bytes]) -> None:
        """Put before the reviewer again what they decided and opened before the last stop."""
        until, name = int(time.time()) + HELD_FOR, NAME.encode()
        for task_id in task_ids:
            for attribute, stage in self._session.stages(task_id).items():
                at = self.steps.schema.names.index(attribute)
                self._machine.apply(Opened(task_id, at, int(stage), name))
            if task_id in self._session.labels:
                match, p = self._session.labels[task_id]
                self._machine.apply(HandedOut(task_id, until, name))
                self._machine.apply(_drafted(task_id, match, p))

    # For the page

    def deciding(self, decision: Callable[[ReviewUnit], Step | None]) -> bool:
        """Take a step of the page; handing in hands the batch to the simulation, once it is whole."""
        with self._waiting():
            step = decision(self._machine)
            if step is None or self._over:
                return False
            if isinstance(step.decision, Decided):
                if len(self._machine.assigned.drafts) < len(self._machine.waiting()):
                    return False
                self._handed, self._open = True, False
                self._changed.notify_all()
            else:
                self._machine.apply(step.decision)
                self._note(step.decision)
            return True

    def look(self, at: Callable[[ReviewUnit], Any]) -> Any:
        """What the page may see, as soon as the simulation is not at work."""
        with self._waiting():
            return at(self._machine)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: self._open or self._over, _LONGEST_WORK)
            yield

    def _note(self, decision: Decision) -> None:
        """Write labels and openings down; what is put before whom is of no use to the next run."""
        drafts = self._machine.assigned.drafts
        for task_id in [task_id for task_id in self._session.labels if task_id in self._machine.waiting()]:
            if task_id not in drafts:
                del self._session.labels[task_id]
        for task_id, draft in drafts.items():
            self._session.labels[task_id] = (draft.match, draft.p)
        if isinstance(decision, Opened):
            self._session.open(decision.task_id, self._machine.stages(decision.task_id))
        self._file.save(self._session)


def _drafted(task_id: bytes, match: bool | None, p: float) -> Drafted:  # noqa: FBT001 - a label
    nearest = min(CONFIDENCE, key=lambda step: abs(step - p))
    return Drafted(
        task_id, UNSURE if match is None else int(match), np.array([nearest], "<f8").tobytes(), NAME.encode()
    )
