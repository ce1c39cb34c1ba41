"""The simulated reviewer at a real review unit: it comes over HTTPS with a token, as a person would."""

from __future__ import annotations

import time
from contextlib import ExitStack
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from unveil.lab.local_parties.folder import OWNERS, PROJECT, UNIT_FOLDERS, Trial
from unveil.lab.local_parties.logs import log_of, opened
from unveil.lab.simulation.reviewer import SimulatedReviewer
from unveil.protocol.messages import ID, AttributeWish, EncodingWish
from unveil.roles.chance import SeededChance
from unveil.roles.columns import entries
from unveil.roles.handles import Handles
from unveil.roles.owner.decisions import KINDS, Prepared
from unveil.roles.review_unit.display import ReviewablePair
from unveil.storage.database import Database
from unveil.storage.log.log import ProjectLog
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context

_DAY = 86_400


def visitor(trial: Trial, unit: str, role: str) -> UnitClient:
    """A reviewer's or operator's way to a unit, with a token for a day. Issue it while the unit is not at work."""
    name, now = UNIT_FOLDERS[unit].value, time.time()
    with Database.open(trial.database(unit), role=name, demonstration=True) as database:
        token = database.tokens.issue(PROJECT, role, expires=now + _DAY, now=now)
    project = trial.project()
    tls = client_context(Credentials(trial.authority), server_key=project.server_key(UNIT_FOLDERS[unit]))
    return UnitClient(project.address(UNIT_FOLDERS[unit]), tls, PROJECT, token=token)


class TrialReviewer:
    """
    Decides about every task that waits.

    It knows the truth because it looks where no reviewer can look: both owners' logs tell which of their records a
    task is about.
    """

    def __init__(self, trial: Trial, truth: NDArray[np.int64], *, error: float, seed: int) -> None:
        self.given = 0
        self._trial = trial
        self._client = visitor(trial, "review-unit", "reviewer")
        self._true = set(map(tuple, truth.tolist()))
        self._sides: list[_Tasks] = []
        self._logs = ExitStack()
        self._reviewer = SimulatedReviewer(
            self._truth_of,
            error=error,
            chance=SeededChance(seed, "reviewer"),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()
        self._logs.close()

    def review(self) -> int:
        """Decide about the tasks that wait now; return how many there were."""
        # What the cells read makes no difference to a reviewer who knows the truth and errs by lot.
        pairs = [ReviewablePair(bytes.fromhex(task["task"]), {}, {}) for task in self._client.tasks()]
        for verdict in self._reviewer.review(pairs, spent=0, budget=0) if pairs else ():
            self._client.verdict(verdict.task_id.hex(), verdict.match, verdict.p)
            self.given += 1
        return len(pairs)

    def _truth_of(self, task_id: bytes) -> bool:
        if not self._sides:
            logs = [self._logs.enter_context(log_of(self._trial, party)) for party in OWNERS]
            self._sides = [_Tasks(log) for log in logs]
        return tuple(side.row(task_id) for side in self._sides) in self._true


class _Tasks:
    """Which of an owner's records its tasks are about, by its log, which grows meanwhile."""

    def __init__(self, log: ProjectLog) -> None:
        self._log, self._read = log, 0
        self._handles = Handles(b"")
        self._pairs: dict[bytes, int] = {}
        self._rows: dict[bytes, int] = {}

    def row(self, task_id: bytes) -> int:
        """The record's row."""
        if task_id not in self._rows:
            self._catch_up()
        return self._rows[task_id]

    def _catch_up(self) -> None:
        for entry in self._log.entries(after=self._read):
            self._read = entry.seq
            match opened(entry, KINDS):
                case Prepared() as decision:
                    self._handles = Handles(decision.handles)
                case EncodingWish() as wish:
                    rows = self._handles.rows(wish.handles).tolist()
                    self._pairs.update(zip(entries(wish.pair_ids, ID), rows, strict=True))
                case AttributeWish() as wish:
                    rows = [self._pairs[pair_id] for pair_id in entries(wish.pair_ids, ID)]
                    self._rows.update(zip(entries(wish.task_ids, ID), rows, strict=True))
