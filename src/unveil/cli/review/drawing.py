"""
The reviewer's screen: progress and budget, a line for each attribute, and the chosen one in full.

It draws what `review_unit.display` lets it show and nothing of what the models think. Both values stand under each
other, the same position in the same column, and words are never cut off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group, RenderableType
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
from unveil.roles.review_unit.rows import GAP
from unveil.safety.visible import visible
from unveil.schema import Schema

if TYPE_CHECKING:
    from unveil.one_place.seen_risk import RiskOfPair

_OTHER_LINES: Final = 10  # of the screen, beside those of the attributes
_LABEL: Final = 19  # columns of the terminal, with the mark of the chosen attribute
_WORDS: Final = 25  # the least that words get beside the values; they go on in the next line


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
        price = self._price(task, stages, shown[row]) if shown[row].can_open else ("", "")
        return self.drawn(str(progress), shown, price, row=row, confidence=confidence)

    def drawn(
        self, progress: str, shown: Sequence[Cell], price: tuple[str, str], *, row: int, confidence: str
    ) -> RenderableType:
        """The same from cells, wherever they come from; `price` is what opening the chosen one would cost."""
        cell = shown[row]
        detail = (f"{cell.label}: {cell.words}", *price)  # always three lines: the keys below stay where they are
        return Group(
            Text(visible(progress), style="bold"),
            Text(),
            self._table(shown, row),
            Text(),
            *map(self._printable, map(visible, detail)),
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
        """Both values of every cell under each other, its words beside them; with too many cells, those around one."""
        table = Table(box=None, expand=True, padding=(0, 1, 0, 0), show_header=False)
        table.add_column(width=_LABEL)
        table.add_column(no_wrap=True, width=self._width)
        table.add_column(ratio=1, overflow="fold")
        lines = [self._lines(cell) for cell in shown]
        heights = [max(len(each), -(-len(cell.words) // _WORDS)) for each, cell in zip(lines, shown, strict=True)]
        first, last = _around(row, heights, max(3, self._console.height - _OTHER_LINES))
        for at in range(first, last):
            cell = shown[at]
            values = "\n".join(map(visible, lines[at]))
            parts = (visible(f"{'>' if at == row else ' '} {cell.label}"), values, visible(f"{cell.icon} {cell.words}"))
            table.add_row(*map(self._printable, parts), style="bold" if at == row else None)
        return table

    @property
    def _width(self) -> int:
        """Columns for values, so that the words beside them have room."""
        return max(10, self._console.width - _LABEL - _WORDS - 5)

    def _lines(self, cell: Cell) -> list[str]:
        """Both rows under each other; long ones go on below, both at the same position."""
        if not cell.left:
            return [""]
        width = self._width
        return [
            row[start : start + width] for start in range(0, len(cell.left), width) for row in (cell.left, cell.right)
        ]

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
            for icon, plain in (words.ASCII_ICONS | {GAP: "_"}).items():
                text = text.replace(icon, plain)
            text = text.encode("ascii", "replace").decode()
        return Text(text)


def _around(row: int, heights: Sequence[int], lines: int) -> tuple[int, int]:
    """The cells from the first to before the last that fit, with the chosen one among them."""
    first = last = row
    left = lines - heights[row]
    last += 1
    while True:
        grown = False
        if last < len(heights) and heights[last] <= left:
            left -= heights[last]
            last, grown = last + 1, True
        if first > 0 and heights[first - 1] <= left:
            first, grown = first - 1, True
            left -= heights[first]
        if not grown:
            return first, last
