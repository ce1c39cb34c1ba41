"""
The terminal reviewer: one masked pair at a time, decided by single keys.

It shows what `review_unit.display` lets it show and nothing of what the models think. Whatever a key changes is on disk
before the next key is read, so neither `q`, Ctrl-C nor a crash loses a label. The pairs are drawn on the terminal's
second screen: when the review ends, no value stays behind in the scrollback.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console, Group, OverflowMethod, RenderableType
from rich.table import Table
from rich.text import Text

from unveil.errors import SettingError
from unveil.roles.review_unit import words
from unveil.roles.review_unit.display import (
    NOTHING_MORE,
    Cell,
    Hiding,
    ReviewablePair,
    Verdict,
    cells,
    opened,
    opened_further,
    share_opened,
)
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.session import ReviewSession, batch_key
from unveil.schema import Schema

if TYPE_CHECKING:
    from unveil.privacy.population import ReferencePopulation

EXIT_TRY_AGAIN: Final = 75
Cost = Callable[[ReviewablePair, Mapping[str, Stage]], float]

_CONFIDENCE: Final = {"1": 0.5, "2": 0.6, "3": 0.7, "4": 0.8, "5": 0.9, "6": 1.0}
_LABELS: Final = {"m": True, "n": False, "s": None}
_MOVES: Final = {"\t": 1, "\x1b[Z": -1} | {
    f"{prefix}{letter}": move
    for prefix, letters in (("\x1b[", "ADBC"), ("\x1bO", "ADBC"), ("\xe0", "HKPM"), ("\x00", "HKPM"))
    for letter, move in zip(letters, (-1, -1, 1, 1), strict=True)
}
_ENTER: Final = ("\r", "\n")
_QUIT: Final = ("q", "\x04")
_DETAIL_LINES: Final = 5
_ONE_KEY = re.compile(r"\x1b[\[O][A-Z]|[\xe0\x00].|.", re.DOTALL)

_KEYS = """\
m match  n non-match  s unsure  1-6 confidence  arrows/Tab move
Enter open one step  u undo  ? keys  q save and quit"""
_HELP = """\
m  match            the two records are about one person
n  non-match        they are about two people
s  unsure           no label is spent on the pair
1 to 6              how sure the next label is (6 unless you say otherwise)
arrows, Tab         move between attributes
Enter               open the attribute one step; an opening cannot be undone
u                   undo the last label of this batch
q  or Ctrl-C        quit; everything is saved

*        the two values agree here
$ % @ …  a hidden character; the same sign is the same character
✎ replaced   + added   ⇄ neighbours swapped   ⤨ changed places
✓ equal      ✗ dissimilar      ? missing or withheld

Any key goes back."""


class ReviewPaused(typer.Exit):
    """The reviewer left before the batch was done; the same command goes on from there."""

    def __init__(self) -> None:
        super().__init__(EXIT_TRY_AGAIN)


class SessionFile:
    """The review session on disk: readable by its owner only, replaced as a whole."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self, run: str) -> tuple[ReviewSession, str | None]:
        """The session of that run, and what to tell the reviewer if the file held something else."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ReviewSession(run), None
        except (OSError, UnicodeDecodeError):
            raise SettingError(f"cannot read the review session {self._path}") from None
        try:
            session = ReviewSession.from_json(text)
            reason = None if session.run == run else "belongs to another run"
        except SettingError:
            reason = "cannot be read as a review session"
        if reason is None:
            return session, None
        kept = self._set_aside()
        return ReviewSession(
            run
        ), f"{self._path.name} {reason}: it was kept as {kept.name} and the review starts afresh"

    def save(self, session: ReviewSession) -> None:
        """Write the session to a new file and put that in the old one's place, so that no moment has half of it."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)  # mode 0600
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(session.to_json())
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._path)
        except OSError as error:
            raise SettingError(f"cannot write the review session {self._path}: {error.strerror}") from None

    def _set_aside(self) -> Path:
        number, kept = 1, self._path.with_name(self._path.name + ".bak")
        while kept.exists():
            number += 1
            kept = self._path.with_name(f"{self._path.name}.bak{number}")
        return self._path.replace(kept)


@dataclass(slots=True)
class _Place:
    """Where the reviewer is within a batch. Labels are given in order, so the labelled pairs are the first ones."""

    tasks: Sequence[ReviewablePair]
    at: int
    row: int = 0
    confidence: str = "6"

    @property
    def is_done(self) -> bool:
        return self.at == len(self.tasks)

    def go(self, at: int) -> None:
        self.at, self.row, self.confidence = at, 0, "6"


class TerminalReviewer:
    """
    Asks a person at a terminal about batches of pairs.

    `run` tells runs apart (a hash of seed and settings, say): a session file of another run is set aside. `cost` gives
    the risk of a pair with attributes opened so far; without it the share of characters shown is the cost.
    """

    def __init__(
        self,
        *,
        schema: Schema,
        session: Path | None,
        console: Console,
        getkey: Callable[[], str] = typer.getchar,
        cost: Cost | None = None,
        run: str = "",
        hiding: Hiding = NOTHING_MORE,
    ) -> None:
        self._schema, self._console, self._getkey, self._cost = schema, console, getkey, cost
        self._hiding = hiding
        self._is_unicode = console.encoding.lower().startswith("utf")
        self._file = SessionFile(session) if session else None
        self._session, said = self._file.load(run) if self._file else (ReviewSession(run), None)
        if said:
            console.print(Text(said))

    def review(self, tasks: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        """
        Return a verdict for each task, asking for those that have none yet.

        A batch that was handed in before returns at once. Raises ReviewPaused when the reviewer quits.
        """
        key = batch_key([task.task_id for task in tasks])
        labelled = [task.task_id in self._session.labels for task in tasks]
        if tasks and key not in self._session.handed_in:
            place = _Place(tasks, labelled.index(False) if False in labelled else len(tasks))
            with self._console.screen() as screen:
                while not self._step(place, self._show(screen.update, place, spent, budget)):
                    pass
            self._session.handed_in.add(key)
            self._save()
        return [self._session.verdict(task.task_id) for task in tasks]

    def _show(self, update: Callable[[RenderableType], None], place: _Place, spent: int, budget: int) -> str:
        """Draw the place and return the next key; the help screen comes and goes in between."""
        while True:
            update(self._view(place, spent, budget))
            key = self._key()
            if key != "?":
                return key
            update(self._printable(_HELP))
            self._key()

    def _key(self) -> str:
        """
        The next key, letters in lower case; the end of the input counts as `q`.

        Of several keys that come at once the first is taken: a key typed ahead must not label a pair nobody has seen.
        """
        try:
            found = _ONE_KEY.match(self._getkey())
        except EOFError:
            return "q"
        key = found[0] if found else ""
        return key.lower() if len(key) == 1 else key

    def _step(self, place: _Place, key: str) -> bool:
        """Act on a key; True when the batch is handed in."""
        if key in _QUIT:
            raise ReviewPaused
        if key == "u" and place.at > 0:
            place.go(place.at - 1)
            del self._session.labels[place.tasks[place.at].task_id]
            self._save()
        elif place.is_done:
            return key in _ENTER
        elif key in _LABELS:
            p = _CONFIDENCE[place.confidence]
            match = _LABELS[key]
            self._session.labels[place.tasks[place.at].task_id] = (match, 1.0 if match is None else p)
            place.go(place.at + 1)
            self._save()
        elif key in _CONFIDENCE:
            place.confidence = key
        elif key in _MOVES:
            place.row = (place.row + _MOVES[key]) % len(self._cells(place.tasks[place.at]))
        elif key in _ENTER:
            self._open(place.tasks[place.at], place.row)
        return False

    def _open(self, task: ReviewablePair, row: int) -> None:
        cell = self._cells(task)[row]
        if cell.can_open:
            self._session.open(task.task_id, self._next(task, cell))
            self._save()

    def _next(self, task: ReviewablePair, cell: Cell) -> dict[str, Stage]:
        return opened_further(task, self._schema, self._session.stages(task.task_id), cell.attribute)

    def _cells(self, task: ReviewablePair) -> tuple[Cell, ...]:
        return cells(task, self._schema, self._session.stages(task.task_id), self._hiding)

    def _save(self) -> None:
        if self._file:
            self._file.save(self._session)

    def _view(self, place: _Place, spent: int, budget: int) -> RenderableType:
        """The screen: progress and budget first, so that no terminal is too small for them."""
        given = [self._session.labels[task.task_id][0] for task in place.tasks[: place.at]]
        used = spent + sum(match is not None for match in given)
        number = min(place.at + 1, len(place.tasks))
        head = f"pair {number} of {len(place.tasks)} in this batch    labels {used} of {budget}, {budget - used} left"
        if place.is_done:
            unsure = sum(match is None for match in given)
            end = f"All {len(given)} pairs of this batch are decided, {unsure} of them as unsure.\n"
            end += "Enter hands them in.  u undoes the last label.  q saves and quits."
            return Group(Text(head, style="bold"), Text(), Text(end))
        task = place.tasks[place.at]
        shown = self._cells(task)
        return Group(
            Text(head, style="bold"),
            Text(),
            self._table(shown, place.row),
            Text(),
            self._detail(task, shown[place.row]),
            Text(f"confidence {place.confidence} of 6"),
            Text(_KEYS, style="dim"),
        )

    def _table(self, shown: Sequence[Cell], row: int) -> Table:
        """One line per cell; with more cells than lines, those around the chosen one."""
        table = Table(box=None, expand=True, padding=(0, 1, 0, 0))
        overflow: OverflowMethod = "ellipsis" if self._is_unicode else "crop"
        for title, ratio in (("", 1), ("attribute", 14), ("left", 15), ("right", 15), ("", 3), ("difference", 27)):
            table.add_column(title, ratio=ratio, no_wrap=True, overflow=overflow)
        room = max(3, self._console.height - 14)
        first = min(max(0, row - room // 2), max(0, len(shown) - room))
        for at, cell in enumerate(shown[first : first + room], start=first):
            parts = (">" if at == row else "", cell.label, cell.left, cell.right, cell.icon, cell.words)
            table.add_row(*map(self._printable, parts), style="bold" if at == row else None)
        return table

    def _detail(self, task: ReviewablePair, cell: Cell) -> RenderableType:
        """The chosen cell in full, and what opening it further would cost, said before it is paid."""
        lines = [f"{cell.label}: {cell.words}"]
        if cell.state == "shown":
            lines += [f"  left   {cell.left}", f"  right  {cell.right}"]
        if cell.can_open:
            lines += self._price(task, cell)
        lines += [""] * (_DETAIL_LINES - len(lines))  # the keys below stay where they are
        return Group(*map(self._printable, lines))

    def _price(self, task: ReviewablePair, cell: Cell) -> tuple[str, str]:
        before, after = self._session.stages(task.task_id), self._next(task, cell)
        step = "the whole value" if after[cell.attribute] is Stage.FULL else "the differing characters"
        if self._cost:
            cost = f"risk of this pair {self._cost(task, before):.4f} -> {self._cost(task, after):.4f}"
        else:
            share = [share_opened(task, self._schema, stages) for stages in (before, after)]
            cost = f"characters shown {share[0]:.0%} -> {share[1]:.0%}"
        return f"Enter opens {step}; that cannot be undone", f"  {cost}"

    def _printable(self, text: str) -> Text:
        """The text as this terminal can print it; never read as markup."""
        if not self._is_unicode:
            for icon, plain in words.ASCII_ICONS.items():
                text = text.replace(icon, plain)
            text = text.encode("ascii", "replace").decode()
        return Text(text)


def seen_risk(schema: Schema, population: ReferencePopulation, hiding: Hiding = NOTHING_MORE) -> Cost:
    """A cost for the reviewer: KAPR seen of one pair, counted in that population."""
    from unveil.privacy.kapr import kapr_seen

    def risk(pair: ReviewablePair, stages: Mapping[str, Stage]) -> float:
        values = [{name: both[side] for name, both in pair.values.items()} for side in (0, 1)]
        return kapr_seen(values, opened(pair, schema, stages), population, length_hidden=hiding.length)

    return risk
