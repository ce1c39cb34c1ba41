"""`unveil review`: the same pairs by the same rules at a terminal, over HTTPS with a token."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from review_site import FIRST, TOWN, LiveReview
from rich.console import Console

from unveil.cli.review.drawing import ReviewScreen
from unveil.cli.review.remote import RemoteReview
from unveil.errors import ProtocolError
from unveil.protocol.machine import Step
from unveil.roles.review_unit.decisions import Practised
from unveil.roles.review_unit.practice import ROUND, made_up
from unveil.schema import built_in
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context

DOWN, ENTER = "\x1b[B", "\r"


class Terminal:
    """Plays keys and keeps every screen that was drawn. A key may be a function that says it when it is needed."""

    def __init__(self, live: LiveReview) -> None:
        self.live = live
        secret = live.database.tokens.issue("stroke", "reviewer", time.time() + 600, time.time())
        self.id = secret.split(".")[1]
        tls = client_context(Credentials(live.folder / "authority.pem"))
        self.client = UnitClient(live.address, tls, "stroke", token=secret)
        self.buffer = io.StringIO()
        self.console = Console(file=self.buffer, width=90, height=30, force_terminal=False)
        self.screens: list[str] = []

    def play(self, *keys: str | Callable[[], str]) -> str:
        """The last screen after these keys; then the reviewer quits."""
        left = list(keys)

        def getkey() -> str:
            self.screens.append(self.buffer.getvalue())
            self.buffer.seek(0)
            self.buffer.truncate()
            if not left:
                raise EOFError
            key = left.pop(0)
            return key if isinstance(key, str) else key()

        RemoteReview(self.client.step, ReviewScreen(self.console, built_in()), self.console, getkey=getkey).run()
        assert not left
        return self.screens[-1]

    def right_answer(self) -> str:
        """The key that answers the practice pair that is shown."""
        current = self.live.unit.steps["stroke"].rounds.rounds[self.id]
        return "m" if made_up(self.live.project.linkage, current.numbers[len(current.answers)]).match else "n"


@pytest.fixture
def terminal(live: LiveReview) -> Iterator[Terminal]:
    live.unit.steps["stroke"].gold = 0.0
    found = Terminal(live)
    yield found
    found.client.close()


def test_practice_pairs_openings_undo_and_handing_in_at_a_terminal(live: LiveReview, terminal: Terminal) -> None:
    """What the page does, in one go; prices come before openings, and values are aligned."""
    live.ask(3)
    last = terminal.play(ENTER, *[terminal.right_answer] * ROUND)
    assert "the last pair: right" in last
    assert "3 pairs wait    labels 0 of 60    9 openings left" in last
    lines = last.splitlines()
    at = next(number for number, line in enumerate(lines) if "***H******" in line)
    assert lines[at].index("***H******") == lines[at + 1].index("***·******")
    opened = terminal.play(DOWN, DOWN, DOWN, ENTER, ENTER)
    assert "Enter opens the differing characters; that cannot be undone" in terminal.screens[-3]
    assert "**76" in terminal.screens[-2]
    assert "1976" in opened
    assert "7 openings left" in opened
    assert "Every pair is decided" in terminal.play("4", "m", "n", "u", "s", "n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal.client, "step", _until_waiting(terminal.client))
        terminal.play("h")
    assert 0 == live.host.look(lambda machine: machine.open_tasks)
    assert 2 == live.host.look(lambda machine: machine.labels_given)
    assert not [value for value in (*FIRST, *TOWN) if value in "".join(terminal.screens)]


def _until_waiting(client: UnitClient) -> Callable[..., dict[str, Any]]:
    """The client's steps; what waits for new pairs is told that all labels are given, so that the test ends."""
    step = client.step

    def taken(do: str, **more: Any) -> dict[str, Any]:
        found = step(do, **more)
        return {**found, "stage": "finished"} if found["stage"] == "waiting" else found

    return taken


def test_an_answer_that_makes_no_sense_is_an_error_and_no_traceback(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal.client, "step", lambda *_: {"stage": "pair", "pair": {"cells": 3}})
    with pytest.raises(ProtocolError, match="cannot be read"):
        terminal.play()


def test_one_more_attribute_is_asked_for_at_a_terminal(live: LiveReview, terminal: Terminal) -> None:
    """By the page's key; how many such wishes are left is said before, and the pair waits for the owners."""
    live.host.deciding(lambda _: Step(Practised(8, 8, terminal.id.encode())))
    live.ask(2)
    before = live.host.look(lambda machine: machine.further_left)
    last = terminal.play(DOWN, "a")
    assert "a asks the owners for it; the pair waits for their answers" in terminal.screens[-2]
    assert f"{before} left" in terminal.screens[-2]
    assert "asked; the pair comes back with the owners' answers" in last
    assert before - 1 == live.host.look(lambda machine: machine.further_left)
