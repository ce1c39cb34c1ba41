"""What a person sees of long work: a calm line that changes; without a terminal, a line when something changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from unveil.cli.owner.lines import count
from unveil.cli.owner.phase_lines import phase_line, wishes_line
from unveil.runtime.owner.observer import OwnerPhase, PhaseReport, Unwatched
from unveil.runtime.owner.progress import WishProgress
from unveil.safety.visible import visible

_EVERY: Final = 30.0  # seconds between lines that differ in counts only, without a terminal


class TerminalNotes(Unwatched):
    """Shows what takes a moment, and notes."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def busy(self, what: str) -> AbstractContextManager[object]:
        """What is being done, on a terminal."""
        return self.console.status(what)

    def note(self, text: str) -> None:
        """What whoever looks after the certificates should know."""
        self.console.print(f"note: {visible(text)}", markup=False, soft_wrap=True)


class WorkScreen(TerminalNotes):
    """
    The phase of the work, counts, and units that are in trouble, with the time since when.

    On a terminal all of that is one line at the bottom, if `live`; elsewhere a line is printed for each new phase and
    trouble, and now and then for new counts.
    """

    def __init__(
        self,
        console: Console,
        *,
        live: bool,
        now: Callable[[], float] = time.time,
        pace: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(console)
        self._now, self._pace = now, pace
        self._phase, self._counts = "", ""
        self._trouble: dict[str, tuple[str, str]] = {}  # unit -> since when, why
        self._printed = pace()
        self._live = Live(console=console, transient=True, auto_refresh=False) if live and console.is_terminal else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show_phase(self, text: str) -> None:
        """What is being done now."""
        if text != self._phase:
            self._phase = text
            self._tell(text)

    def show_counts(self, text: str) -> None:
        """How far it is."""
        if text == self._counts:
            return
        self._counts = text
        if self._live is None and text and self._pace() - self._printed > _EVERY:
            self._tell(text)
        self._draw()

    def trouble(self, unit: str, why: str) -> None:
        """A unit does not do its part; the first time counts."""
        if unit not in self._trouble:
            self._trouble[unit] = (time.strftime("%Y-%m-%d %H:%M", time.localtime(self._now())), why)
            self._tell(self._trouble_line(unit))

    def reached(self, unit: str) -> None:
        """The unit is fine."""
        if self._trouble.pop(unit, None) is not None:
            self._tell(f"{unit}: all is well again")

    def _trouble_line(self, unit: str) -> str:
        since, why = self._trouble[unit]
        return f"{unit}: {visible(why)} (since {since}; trying again)"

    def _tell(self, line: str) -> None:
        self._printed = self._pace()
        if self._live is None:
            self.console.print(visible(line), markup=False, soft_wrap=True)
        self._draw()

    def _draw(self) -> None:
        if self._live is None:
            return
        self._live.start()  # not before there is something to show: what is `busy` has the terminal until then
        lines = [" · ".join(filter(None, [self._phase, self._counts])), *map(self._trouble_line, self._trouble)]
        self._live.update(Text("\n".join(map(visible, lines)), overflow="fold"), refresh=True)


class RunScreen(WorkScreen):
    """Shows an owner that answers wishes."""

    def __init__(self, console: Console, folder: object) -> None:
        super().__init__(console, live=True)
        self._folder = folder

    def phase(self, report: PhaseReport) -> None:
        """What is being done now."""
        self.show_phase(phase_line(report, self._folder))

    def counts(self, wishes: Mapping[str, WishProgress]) -> None:
        """What became of wishes so far."""
        self.show_counts(wishes_line(wishes))


class UploadScreen(WorkScreen):
    """Shows an owner that uploads: phases as lines, and a bar for the parts that have arrived."""

    def __init__(self, console: Console) -> None:
        super().__init__(console, live=False)
        self._bar: PartsBar | None = None

    def __exit__(self, *_: object) -> None:
        self._end_bar()

    def phase(self, report: PhaseReport) -> None:
        """What is being done now."""
        self._end_bar()
        if report.phase is OwnerPhase.SENDING:
            self.show_phase(f"sending {report.records:,} records in {count(report.parts, 'part')}")
        else:
            self.show_phase(phase_line(report, ""))

    def parts_arrived(self, done: int, parts: int, records: int) -> None:
        """Move the bar."""
        if self._bar is None:
            self._bar = PartsBar(self.console, records, parts)
        self._bar.reach(done)

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar.end()
            self._bar = None


class PartsBar:
    """Parts that have arrived, and records per second, on a terminal."""

    def __init__(self, console: Console, records: int, parts: int) -> None:
        self._each = records / max(1, parts)
        self._start, self._first = time.monotonic(), -1
        self._progress = Progress(
            TextColumn("{task.completed} of {task.total} parts"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=parts, speed="")
        self._progress.start()

    def reach(self, done: int) -> None:
        """So many parts have arrived."""
        if self._first < 0:
            self._first = done
        speed = (done - self._first) * self._each / max(1e-3, time.monotonic() - self._start)
        self._progress.update(self._task, completed=done, speed=f"{speed:,.0f} records/s" if speed else "")

    def end(self) -> None:
        """Take the bar from the screen."""
        self._progress.stop()
