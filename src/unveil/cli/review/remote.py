"""
A person at a terminal decides about the pairs of a real project: the page's steps and rules, over HTTPS with a token.

The review unit decides every step. Here a view is drawn and a key is turned into a step; nothing is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.text import Text

from unveil.cli.review import keys
from unveil.cli.review.drawing import ReviewScreen
from unveil.errors import Conflict, ProtocolError
from unveil.roles.review_unit.display import Cell
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.rows import Glyph, Row, Sort
from unveil.roles.review_unit.words import Phrase
from unveil.safety.visible import visible

SKIP: Final = "k"
ASK: Final = "a"
HAND_IN: Final = "h"
_PAUSE: Final = 2.0  # seconds between looks while no pair waits
MORE_HELP: Final = "k leave to others  a ask owners for the attribute  h hand in"
_LESSONS: Final = {
    "slips": "one person, written down twice: slips of the pen, a lost value",
    "short names": "one person: short names or initials, and a move",
    "swapped names": "one person: first and last name in each other's column",
    "household": "two people of one home",
    "namesakes": "two people of one name",
    "strangers": "two people: what looks alike is alike by chance",
}


class RemoteReview:
    """Draws what the review unit says is before the reviewer, and sends a step for each key."""

    def __init__(
        self, step: Callable[..., dict[str, Any]], screen: ReviewScreen, console: Console, *, getkey: Callable[[], str],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        self._step, self._screen, self._console, self._getkey, self._pause = step, screen, console, getkey, pause
        self._row, self._confidence, self._said = 0, "6", ""
        self._view: dict[str, Any] = {}

    def run(self) -> None:
        """Work until the reviewer quits or the labels are given; ProtocolError if an answer makes no sense."""
        try:
            self._work()
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise ProtocolError("the review unit's answer cannot be read; it may be of another release") from None

    def _work(self) -> None:
        with self._console.screen() as screen:
            self._take("view")
            while self._view["stage"] != "finished":
                screen.update(self._drawn())
                if self._view["stage"] == "waiting":
                    self._pause(_PAUSE)
                    self._take("view")
                elif not self._act(keys.first_key(self._key())):
                    return

    def _key(self) -> str:
        try:
            return self._getkey()
        except EOFError:
            return "q"

    def _act(self, key: str) -> bool:
        """Act on a key; False to quit."""
        pair = self._view.get("pair")
        if key in keys.QUIT:
            return False
        if key == HAND_IN and self._view.get("drafts"):
            self._take("hand in")
        elif key == keys.UNDO and self._view.get("drafts"):
            self._take("undo", task=self._view["drafts"][-1]["task"])
        elif pair is None:
            if key in keys.ENTER and self._view["stage"].startswith("practice"):
                self._take("practise")
        else:
            self._at_pair(pair, key)
        return True

    def _at_pair(self, pair: Mapping[str, Any], key: str) -> None:
        if key in keys.LABELS:
            self._take("label", task=pair["task"], match=keys.LABELS[key], confidence=int(self._confidence))
        elif key == SKIP:
            self._take("skip", task=pair["task"])
        elif key == ASK and pair["cells"][self._row]["ask"]:
            self._take("ask", task=pair["task"], attribute=pair["cells"][self._row]["attribute"])
        elif key in keys.CONFIDENCE:
            self._confidence = key
        elif key in keys.MOVES:
            self._row = (self._row + keys.MOVES[key]) % len(pair["cells"])
        elif key in keys.ENTER and (step := pair["cells"][self._row]["next"]):
            attribute = pair["cells"][self._row]["attribute"]
            self._take("open", task=pair["task"], attribute=attribute, stage=step["stage"])

    def _take(self, do: str, **more: bool | int | str | None) -> None:
        before = self._before()
        try:
            self._view = self._step(do, **more)
            self._said = _told(self._view)
        except Conflict:
            self._view = self._step("view")
            self._said = "that step does not fit what is before you; here is how things stand"
        if self._before() != before:
            self._row, self._confidence = 0, "6"

    def _before(self) -> tuple[object, object]:
        return (self._view.get("pair") or {}).get("task"), self._view.get("at")

    def _drawn(self) -> RenderableType:
        view = self._view
        said = [Text(visible(self._said), style="italic")] if self._said else []
        if opinions := view.get("opinions"):
            differ = ", ".join(f"{_SAID[one['match']]} ({one['confidence']}/6)" for one in opinions)
            said.append(Text(f"reviewers disagree about this pair: {differ}; you decide", style="bold"))
        if batch := view.get("learnt"):
            said.append(Text(_learnt(batch), style="dim"))
        if view.get("pair"):
            pair = view["pair"]
            cells = [_cell(each) for each in pair["cells"]]
            body = self._screen.drawn(
                _progress(view), cells, _price(view, self._row), row=self._row, confidence=self._confidence
            )
            return Group(*said, body, Text(MORE_HELP, style="dim"))
        return Group(*said, Text(_MESSAGES[view["stage"]]))


_SAID: Final = {True: "match", False: "no match", None: "unsure"}
_MESSAGES: Final = {
    "practice begins": "First some practice on made-up pairs. Enter begins.",
    "practice again": "Not enough were right. Enter begins another round.",
    "end": "Every pair is decided. h hands your labels in; u undoes the last one.",
    "waiting": "No pair waits. New ones appear here by themselves; Ctrl-C leaves.",
}


def _progress(view: Mapping[str, Any]) -> str:
    if view["stage"] == "practice":
        return f"practice pair {view['at']} of {view['round']}, {view['right']} right so far"
    progress = view["progress"]
    return (
        f"{progress['left']} pairs wait{_elsewhere(progress)}    "
        f"labels {progress['labels']} of {progress['budget']}    {progress['openings']} openings left"
    )


def _learnt(batch: Mapping[str, Any]) -> str:
    """What the last batch of labels changed."""
    told = (
        f"the last {batch['labels']} labels: {batch['gained']} pairs became matches, "
        f"{batch['lost']} are none any more, of {batch['pairs']}"
    )
    if batch["right_before"] is None:
        return told
    return f"{told}; decisions expected to be right {batch['right_before']:.1%} -> {batch['right_after']:.1%}"


def _elsewhere(progress: Mapping[str, Any]) -> str:
    return f", {progress['elsewhere']} for others" if progress["elsewhere"] else ""


def _price(view: Mapping[str, Any], row: int) -> tuple[str, str]:
    pair, step = view["pair"], view["pair"]["cells"][row]["next"]
    if pair["cells"][row]["ask"]:
        return "a asks the owners for it; the pair waits for their answers", f"  {view['progress']['further']} left"
    if step is None:
        return "", ""
    what = "the whole value" if step["stage"] == "full" else "the differing characters"
    price = f"  characters shown {pair['seen']:.0%} -> {step['seen']:.0%}"
    return f"Enter opens {what}; that cannot be undone", price


def _told(view: Mapping[str, Any]) -> str:
    if told := view.get("told"):
        right = "right" if told["right"] else "not quite"
        return f"the last pair: {right}; {_LESSONS.get(told['lesson'], '')}"
    if view.get("asked"):
        return "asked; the pair comes back with the owners' answers"
    if given := view.get("handed_in"):
        return f"handed in: {given['match']} matches, {given['non_match']} non-matches, {given['unsure']} unsure"
    return ""


def _cell(given: Mapping[str, Any]) -> Cell:
    """A cell as the unit sent it."""
    left, right = (_row(row) for row in given["rows"])
    said = tuple(Phrase(key, count, noun) for key, count, noun in given["said"])
    return Cell(
        tuple(given["labels"]), given["state"], (left, right), given["icon"], said, Stage[given["stage"].upper()]
    )


def _row(given: list[list[str]]) -> Row:
    return tuple(Glyph(sign, Sort(sort)) for sign, sort in given)
