"""
A person at a terminal decides about batches of masked pairs.

Whatever a key changes is on disk before the next key is read, so neither `q`, Ctrl-C nor a crash loses a label. The
pairs are drawn on the terminal's second screen: when the review ends, no value stays behind in the scrollback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from unveil.cli.review import keys
from unveil.cli.review.drawing import BatchProgress, ReviewScreen
from unveil.one_place.session_file import SessionFile
from unveil.roles.review_unit.display import NOTHING_MORE, Hiding, ReviewablePair, Verdict, opened_further
from unveil.roles.review_unit.session import ReviewSession, batch_key
from unveil.schema import Schema

if TYPE_CHECKING:
    from unveil.one_place.seen_risk import RiskOfPair

EXIT_TRY_AGAIN: Final = 75


class ReviewPaused(typer.Exit):
    """The reviewer left before the batch was done; the same command goes on from there."""

    def __init__(self) -> None:
        super().__init__(EXIT_TRY_AGAIN)


@dataclass(slots=True)
class _Position:
    """Where the reviewer is within a batch. Labels are given in order, so the labelled pairs are the first ones."""

    tasks: Sequence[ReviewablePair]
    at: int
    row: int = 0
    confidence: str = "6"

    @property
    def task(self) -> ReviewablePair:
        return self.tasks[self.at]

    @property
    def is_done(self) -> bool:
        return self.at == len(self.tasks)

    def go(self, at: int) -> None:
        self.at, self.row, self.confidence = at, 0, "6"


class TerminalReviewer:
    """
    Asks a person at a terminal about batches of pairs.

    `run` tells runs apart (a hash of seed and settings, say): a session file of another run is set aside. `risk` gives
    the risk of a pair with attributes opened so far; without it the share of characters shown is the cost of opening.
    """

    def __init__(
        self,
        *,
        schema: Schema,
        session: Path | None,
        console: Console,
        getkey: Callable[[], str] = typer.getchar,
        risk: RiskOfPair | None = None,
        run: str = "",
        hiding: Hiding = NOTHING_MORE,
    ) -> None:
        self._schema, self._console, self._getkey = schema, console, getkey
        self._screen = ReviewScreen(console, schema, risk=risk, hiding=hiding)
        self._file = SessionFile(session) if session else None
        self._session, note = self._file.load(run) if self._file else (ReviewSession(run), None)
        if note:
            console.print(Text(note))

    def review(self, tasks: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """
        Return a verdict for each task, asking for those that have none yet.

        A batch that was handed in before returns at once. Raises ReviewPaused when the reviewer quits.
        """
        key = batch_key([task.task_id for task in tasks])
        labelled = [task.task_id in self._session.labels for task in tasks]
        if tasks and key not in self._session.handed_in:
            position = _Position(tasks, labelled.index(False) if False in labelled else len(tasks))
            with self._console.screen() as screen:
                while not self._act(position, self._show(screen.update, position, spent, budget)):
                    pass
            self._session.handed_in.add(key)
            self._save()
        return [self._session.verdict(task.task_id) for task in tasks]

    def _show(self, update: Callable[[RenderableType], None], position: _Position, spent: int, budget: int) -> str:
        """Draw the position and return the next key; the help screen comes and goes in between."""
        while True:
            update(self._view(position, spent, budget))
            key = self._key()
            if key != keys.HELP:
                return key
            update(self._screen.help())
            self._key()

    def _view(self, position: _Position, spent: int, budget: int) -> RenderableType:
        given = [self._session.labels[task.task_id][0] for task in position.tasks[: position.at]]
        progress = BatchProgress(len(position.tasks), given, spent, budget)
        if position.is_done:
            return self._screen.end(progress)
        stages = self._session.stages(position.task.task_id)
        return self._screen.pair(progress, position.task, stages, row=position.row, confidence=position.confidence)

    def _key(self) -> str:
        """The next key; the end of the input counts as `q`."""
        try:
            return keys.first_key(self._getkey())
        except EOFError:
            return "q"

    def _act(self, position: _Position, key: str) -> bool:
        """Act on a key; True when the batch is handed in."""
        if key in keys.QUIT:
            raise ReviewPaused
        if key == keys.UNDO and position.at > 0:
            position.go(position.at - 1)
            del self._session.labels[position.task.task_id]
            self._save()
        elif position.is_done:
            return key in keys.ENTER
        elif key in keys.LABELS:
            self._label(position, keys.LABELS[key])
        elif key in keys.CONFIDENCE:
            position.confidence = key
        elif key in keys.MOVES:
            stages = self._session.stages(position.task.task_id)
            position.row = (position.row + keys.MOVES[key]) % len(self._screen.cells(position.task, stages))
        elif key in keys.ENTER:
            self._open(position.task, position.row)
        return False

    def _label(self, position: _Position, match: bool | None) -> None:  # noqa: FBT001 - a label, not a switch
        p = 1.0 if match is None else keys.CONFIDENCE[position.confidence]
        self._session.labels[position.task.task_id] = (match, p)
        position.go(position.at + 1)
        self._save()

    def _open(self, task: ReviewablePair, row: int) -> None:
        stages = self._session.stages(task.task_id)
        cell = self._screen.cells(task, stages)[row]
        if cell.can_open:
            self._session.open(task.task_id, opened_further(task, self._schema, stages, cell.attribute))
            self._save()

    def _save(self) -> None:
        if self._file:
            self._file.save(self._session)
