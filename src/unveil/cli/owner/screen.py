"""What a person sees of long work: a calm line that changes; without a terminal, a line when something changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

_EVERY: Final = 30.0  # seconds between lines that differ in counts only, without a terminal


class Screen:
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
        self.console = console
        self._now, self._pace = now, pace
        self._phase, self._counts, self._said = "", "", ""
        self._trouble: dict[str, tuple[str, str]] = {}  # unit -> since when, why
        self._printed = pace()
        self._live = Live(console=console, transient=True, auto_refresh=False) if live and console.is_terminal else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def phase(self, text: str) -> None:
        """What is being done now."""
        if text != self._phase:
            self._phase = text
            self._tell(text)

    def counts(self, text: str) -> None:
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
        return f"{unit}: {why} (since {since}; trying again)"

    def _tell(self, line: str) -> None:
        self._printed = self._pace()
        if self._live is None:
            self.console.print(line, markup=False, soft_wrap=True)
        self._draw()

    def _draw(self) -> None:
        if self._live is not None:
            lines = [" · ".join(filter(None, [self._phase, self._counts])), *map(self._trouble_line, self._trouble)]
            self._live.update(Text("\n".join(lines), overflow="fold"), refresh=True)
