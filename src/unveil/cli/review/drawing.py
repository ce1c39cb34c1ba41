"""
The reviewer's screen: progress and budget, a line for each attribute, and the chosen one in full.

It draws what `review_unit.display` lets it show and nothing of what the models think.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group, OverflowMethod, RenderableType
from rich.table import Table
from rich.text import Text

from unveil.cli.review import keys
from unveil.roles.review_unit import words
from unveil.roles.review_unit.display import (
    NOTHING_MORE,
    Cell,
    Hiding,
    ReviewablePair,
    cells,
    opened_further,
    share_opened,
)
from unveil.roles.review_unit.masking import Stage
from unveil.safety.visible import visible
from unveil.schema import Schema

if TYPE_CHECKING:
    from unveil.lab.simulation.seen_risk import RiskOfPair

_COLUMNS: Final = (("", 1), ("attribute", 14), ("left", 15), ("right", 15), ("", 3), ("difference", 27))
_OTHER_LINES: Final = 14  # of the screen, beside those of the attributes
_DETAIL_LINES: Final = 5


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is: its pairs, what was decided about the first of them, and the labels given before it."""

    pairs: int
    given: Sequence[bool | None]
    spent: int
    budget: int

    def __str__(self) -> str:
        used = self.spent + sum(match is not None for match in self.given)
        number = min(len(self.given) + 1, self.pairs)
        return (
            f"pair {number} of {self.pairs} in this batch    labels {used} of {self.budget}, {self.budget - used} left"
        )


class ReviewScreen:
    """
    Draws pairs for one terminal.

    `risk` gives the risk of a pair with attributes opened so far; without it the share of characters shown is the cost
    of opening.
    """

    def __init__(
        self, console: Console, schema: Schema, *, risk: RiskOfPair | None = None, hiding: Hiding = NOTHING_MORE
    ) -> None:
        self._console, self._schema, self._risk, self._hiding = console, schema, risk, hiding
        self._is_unicode = console.encoding.lower().startswith("utf")

    def cells(self, task: ReviewablePair, stages: Mapping[str, Stage]) -> tuple[Cell, ...]:
        """What the screen shows of a pair."""
        return cells(task, self._schema, stages, self._hiding)

    def pair(
        self, progress: BatchProgress, task: ReviewablePair, stages: Mapping[str, Stage], *, row: int, confidence: str
    ) -> RenderableType:
        """A pair with one attribute chosen: progress and budget first, so that no terminal is too small for them."""
        shown = self.cells(task, stages)
        return Group(
            Text(str(progress), style="bold"),
            Text(),
            self._table(shown, row),
            Text(),
            self._detail(task, stages, shown[row]),
            Text(f"confidence {confidence} of 6"),
            Text(keys.SHORT_HELP, style="dim"),
        )

    def end(self, progress: BatchProgress) -> RenderableType:
        """The screen after the last pair of a batch."""
        unsure = sum(match is None for match in progress.given)
        end = f"All {len(progress.given)} pairs of this batch are decided, {unsure} of them as unsure.\n"
        end += "Enter hands them in.  u undoes the last label.  q saves and quits."
        return Group(Text(str(progress), style="bold"), Text(), Text(end))

    def help(self) -> RenderableType:
        """Every key and every sign."""
        return self._printable(keys.LONG_HELP)

    def _table(self, shown: Sequence[Cell], row: int) -> Table:
        """One line per cell; with more cells than lines, those around the chosen one."""
        table = Table(box=None, expand=True, padding=(0, 1, 0, 0))
        overflow: OverflowMethod = "ellipsis" if self._is_unicode else "crop"
        for title, ratio in _COLUMNS:
            table.add_column(title, ratio=ratio, no_wrap=True, overflow=overflow)
        lines = max(3, self._console.height - _OTHER_LINES)
        first = min(max(0, row - lines // 2), max(0, len(shown) - lines))
        for at, cell in enumerate(shown[first : first + lines], start=first):
            parts = (">" if at == row else "", cell.label, cell.left, cell.right, cell.icon, cell.words)
            table.add_row(*map(self._printable, map(visible, parts)), style="bold" if at == row else None)
        return table

    def _detail(self, task: ReviewablePair, stages: Mapping[str, Stage], cell: Cell) -> RenderableType:
        """The chosen cell in full, and what opening it further would cost, said before it is paid."""
        lines = [f"{cell.label}: {cell.words}"]
        if cell.state == "shown":
            lines += [f"  left   {cell.left}", f"  right  {cell.right}"]
        if cell.can_open:
            lines += self._price(task, stages, cell)
        lines += [""] * (_DETAIL_LINES - len(lines))  # the keys below stay where they are
        return Group(*map(self._printable, map(visible, lines)))

    def _price(self, task: ReviewablePair, before: Mapping[str, Stage], cell: Cell) -> tuple[str, str]:
        after = opened_further(task, self._schema, before, cell.attribute)
        step = "the whole value" if after[cell.attribute] is Stage.FULL else "the differing characters"
        if self._risk:
            price = f"risk of this pair {self._risk(task, before):.4f} -> {self._risk(task, after):.4f}"
        else:
            share = [share_opened(task, self._schema, stages) for stages in (before, after)]
            price = f"characters shown {share[0]:.0%} -> {share[1]:.0%}"
        return f"Enter opens {step}; that cannot be undone", f"  {price}"

    def _printable(self, text: str) -> Text:
        """The text as this terminal can print it; never read as markup."""
        if not self._is_unicode:
            for icon, plain in words.ASCII_ICONS.items():
                text = text.replace(icon, plain)
            text = text.encode("ascii", "replace").decode()
        return Text(text)
