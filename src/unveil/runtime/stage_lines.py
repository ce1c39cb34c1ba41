"""The life of a project as lines of a unit's log: which stage it has reached, and whom it waits for."""

from __future__ import annotations

from typing import Protocol

from unveil.protocol.stages import Awaited, StageKind, StageStatus
from unveil.transport.logs import Log


class Staged(Protocol):
    """A machine that tells where its project stands."""

    @property
    def stage(self) -> StageStatus:
        """Stage, whom it waits for, and how much of it is there."""
        ...


class StageLines:
    """Writes a line when the stage of one project is another, and one when somebody else is waited for."""

    def __init__(self, project: str, log: Log) -> None:
        self._project, self._log = project, log
        self._kind: StageKind | None = None
        self._awaited: Awaited | None = None

    def look(self, machine: Staged) -> None:
        """See where the machine stands now."""
        stage = machine.stage
        if stage.kind is not self._kind:
            self._log.info("stage reached", project=self._project, stage=stage.kind.value)
        elif stage.awaited is self._awaited:
            return
        self._kind, self._awaited = stage.kind, stage.awaited
        if stage.awaited is not Awaited.NOBODY:
            self._log.info(
                "waiting for", project=self._project, stage=stage.kind.value, waits_for=stage.awaited.value,
                counted=None if stage.counted is None else stage.counted.value, done=stage.done, of=stage.of,
            )  # fmt: skip
