"""Progress of long work, on stderr: which stage is running, how far it is, how long it will take."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

#: Steps of a stage that tells the share of it that is done.
WHOLE: Final = 1000


class Stages:
    """One line that names the stage at work and vanishes afterwards; without a terminal it prints nothing."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, description: str, total: int | None = None) -> None:
        """A new stage, with so many steps if that is known."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(description, total=total)

    def advance(self) -> None:
        """One step of the stage is done."""
        if self._task is not None:
            self._progress.advance(self._task)

    def reach(self, done: int) -> None:
        """So many steps of the stage are done."""
        if self._task is not None:
            self._progress.update(self._task, completed=done)

    def share(self, done: float) -> None:
        """This share of the stage is done, of a stage that was begun with WHOLE steps."""
        self.reach(int(WHOLE * done))

    def pause(self) -> None:
        """Leave the screen to somebody else."""
        self._progress.stop()
