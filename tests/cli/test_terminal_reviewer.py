import io
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from three_pairs import PAIRS, SCHEMA

from patience import PATIENCE
from unveil.cli.review.reviewer import ReviewPaused, TerminalReviewer
from unveil.one_place.seen_risk import seen_risk
from unveil.privacy.population import ReferencePopulation
from unveil.records import Column, Records
from unveil.roles.review_unit.display import ReviewablePair, Verdict
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.session import ReviewSession
from unveil.schema import Attribute

UP, DOWN, ENTER = "\x1b[A", "\x1b[B", "\r"
YEAR = [DOWN, DOWN, DOWN]


class Terminal:
    """Plays keys to a reviewer and keeps every screen that was drawn."""

    def __init__(self, *, session: Path | None = None, run: str = "run", encoding: str = "utf-8") -> None:
        self.buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
        self.console = Console(file=self.buffer, width=80, height=24, force_terminal=False)
        self.session, self.run = session, run
        self.keys: list[str] = []
        self.screens: list[str] = []

    def play(self, *keys: str, pairs: tuple[ReviewablePair, ...] = PAIRS, spent: int = 0) -> list[Verdict]:
        """A fresh reviewer, as after a restart."""
        self.keys = list(keys)
        reviewer = TerminalReviewer(
            schema=SCHEMA, session=self.session, console=self.console, getkey=self.next_key, run=self.run
        )
        verdicts = reviewer.review(pairs, spent=spent, budget=10)
        assert self.keys == []
        return verdicts

    def next_key(self) -> str:
        self.screens.append(self.drawn())
        if not self.keys:
            raise EOFError
        return self.keys.pop(0)

    def drawn(self) -> str:
        raw = self.buffer.buffer
        assert isinstance(raw, io.BytesIO)
        text = raw.getvalue().decode(self.buffer.encoding)
        raw.seek(0)
        raw.truncate()
        return text


def labels(verdicts: list[Verdict]) -> list[tuple[bool | None, float]]:
    return [(verdict.match, verdict.p) for verdict in verdicts]


def test_single_keys_decide_pairs() -> None:
    """m, n and s; confidence holds for the next label only, and an unsure answer has none."""
    verdicts = Terminal().play("4", "m", "n", "2", "s", ENTER)
    assert [(True, 0.8), (False, 1.0), (None, 1.0)] == labels(verdicts)
    assert [pair.task_id for pair in PAIRS] == [verdict.task_id for verdict in verdicts]


def test_progress_and_budget_are_always_in_view() -> None:
    """An unsure answer spends no label."""
    terminal = Terminal()
    terminal.play("m", "s", "n", ENTER, spent=4)
    heads = [screen.splitlines()[0].rstrip() for screen in terminal.screens]
    assert [
        "pair 1 of 3 in this batch    labels 4 of 10, 6 left",
        "pair 2 of 3 in this batch    labels 5 of 10, 5 left",
        "pair 3 of 3 in this batch    labels 5 of 10, 5 left",
        "pair 3 of 3 in this batch    labels 6 of 10, 4 left",
    ] == heads


def test_every_screen_fits_80_by_24() -> None:
    """Long values must not push the keys off the screen, nor many attributes the chosen one."""
    long = ReviewablePair(
        b"long",
        dict.fromkeys(SCHEMA.names, "shown"),
        dict.fromkeys(SCHEMA.names, ("MAXIMILIANE-" * 5, "MAXIMILIANA-" * 5)),
    )
    terminal = Terminal()
    terminal.play("?", "x", DOWN, UP, UP, "m", ENTER, pairs=(long,))
    help_page, *_, last, _ = terminal.screens[1:]
    assert "Any key goes back" in help_page
    assert "> place of birth" in last
    assert "MAXIMILIAN" not in last
    assert "q save and quit" in last
    assert {80} == set(map(len, last.splitlines()))


def test_more_attributes_than_lines_scroll_with_the_chosen_one() -> None:
    """A schema may be long; the chosen attribute and the keys stay in view."""
    many = SCHEMA.model_copy(update={"attributes": tuple(Attribute(name=f"a{at}") for at in range(30))})
    pair = ReviewablePair(b"many", dict.fromkeys(many.names, "equal"), {})
    terminal = Terminal()
    terminal.keys = [UP, "m", ENTER]
    TerminalReviewer(schema=many, session=None, console=terminal.console, getkey=terminal.next_key).review(
        [pair], spent=0, budget=1
    )
    first, last = terminal.screens[:2]
    for screen, chosen, hidden in ((first, "> a0 ", "a29 "), (last, "> a29 ", "a0 ")):
        assert chosen in screen
        assert hidden not in screen
        assert "q save and quit" in screen


def test_opening_says_its_cost_first_and_shows_one_step() -> None:
    """Masked, then the differing characters, then all; never a character before its step."""
    terminal = Terminal()
    verdicts = terminal.play(*YEAR, ENTER, ENTER, ENTER, "m", "n", "n", ENTER)
    masked, differing, full = terminal.screens[3:6]
    assert "Enter opens the differing characters; that cannot be undone" in masked
    assert "characters shown 5% -> 18%" in masked
    assert "***$" in masked
    assert "***6" not in masked
    assert "Enter opens the whole value; that cannot be undone" in differing
    assert "characters shown 18% -> 55%" in differing
    assert "***6" in differing
    assert "1976" not in differing
    assert "1976" in full
    assert "Enter opens the" not in full
    assert [{"year_of_birth": Stage.FULL}, {}, {}] == [verdict.opened for verdict in verdicts]


def test_closed_cells_cannot_be_opened() -> None:
    """Equal values are not even there."""
    assert {} == Terminal().play(DOWN, ENTER, "m", "m", "m", ENTER)[0].opened


def test_undo_takes_back_the_last_label_but_no_opening() -> None:
    """What was seen stays seen, and the cost stays paid."""
    verdicts = Terminal().play("u", *YEAR, ENTER, "m", "u", "n", "n", "m", "u", "n", ENTER)
    assert [(False, 1.0)] * 3 == labels(verdicts)
    assert {"year_of_birth": Stage.DIFFERING} == verdicts[0].opened


def test_keys_typed_ahead_do_not_label_unseen_pairs() -> None:
    """A burst of keys arrives as one text; the reviewer saw only the first pair."""
    verdicts = Terminal().play("mnn", f"{DOWN}{DOWN}", "s", "m", ENTER)
    assert [True, None, True] == [verdict.match for verdict in verdicts]


def test_quitting_and_going_on_loses_nothing(tmp_path: Path) -> None:
    """A label and an opening survive q, the end of the input and a restart, and are not asked again."""
    terminal = Terminal(session=tmp_path / "review.json")
    with pytest.raises(ReviewPaused) as paused:
        terminal.play("3", "m", *YEAR, ENTER, "q")
    assert 75 == paused.value.exit_code
    with pytest.raises(ReviewPaused):
        terminal.play()
    assert "pair 2 of 3" in terminal.screens[-1]
    assert "**@&" not in terminal.screens[-1]
    verdicts = terminal.play("n", "n", ENTER)
    assert [(True, 0.7), (False, 1.0), (False, 1.0)] == labels(verdicts)
    assert {"year_of_birth": Stage.DIFFERING} == verdicts[1].opened


def test_ctrl_c_loses_nothing(tmp_path: Path) -> None:
    """It goes through to the command line, after everything was saved."""
    terminal = Terminal(session=tmp_path / "review.json")

    def interrupt() -> str:
        if terminal.keys:
            return terminal.keys.pop(0)
        raise KeyboardInterrupt

    reviewer = TerminalReviewer(
        schema=SCHEMA, session=terminal.session, console=terminal.console, getkey=interrupt, run="run"
    )
    terminal.keys = ["m"]
    with pytest.raises(KeyboardInterrupt):
        reviewer.review(PAIRS, spent=0, budget=10)
    assert [True, False, False] == [verdict.match for verdict in terminal.play("n", "n", ENTER)]


def test_a_batch_that_was_handed_in_is_replayed_silently(tmp_path: Path) -> None:
    """A run that starts again asks only what is new."""
    terminal = Terminal(session=tmp_path / "review.json")
    first = terminal.play("m", "n", "s", ENTER)
    terminal.screens.clear()
    assert first == terminal.play()
    assert [] == terminal.screens


def test_the_session_file_is_private_and_holds_no_value(tmp_path: Path) -> None:
    """It lies around for days; labels and positions are all it may give away."""
    path = tmp_path / "new" / "review.json"
    Terminal(session=path).play(ENTER, "m", ENTER, "n", "s", ENTER)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert [path] == list(path.parent.iterdir())
    text = path.read_text()
    for value in ("PAUL", "MIL", "EDDA", "1976", "1981"):
        assert value not in text
    assert {"01": "match", "02": "non-match", "03": "unsure"} == {
        task: entry["label"] for task, entry in json.loads(text)["tasks"].items()
    }


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (ReviewSession("another").to_json(), "belongs to another run"),
        ('{"version": 1}', "cannot be read as a review session"),
        ('{"version": 9, "run": "run", "tasks": {}, "handed_in": []}', "cannot be read as a review session"),
        ("[", "cannot be read as a review session"),
    ],
)
def test_a_session_of_another_run_is_kept_and_said(tmp_path: Path, content: str, reason: str) -> None:
    """Its labels are about other pairs, and somebody may still want them."""
    path = tmp_path / "review.json"
    for kept in ("review.json.bak", "review.json.bak2"):
        path.write_text(content)
        terminal = Terminal(session=path)
        terminal.play("m", "m", "m", ENTER)
        assert f"review.json {reason}" in terminal.screens[0].replace("\n", " ")
        assert kept in terminal.screens[0]
        assert content == (tmp_path / kept).read_text()


def test_help_shows_every_key_and_comes_back() -> None:
    """Nobody reads a manual first."""
    terminal = Terminal()
    terminal.play("?", "m", "m", "m", "m", ENTER)
    assert "undo the last label" in terminal.screens[1]
    assert "pair 1 of 3" in terminal.screens[2]


def test_a_terminal_without_unicode_gets_plain_signs() -> None:
    """A review must not die of an icon."""
    terminal = Terminal(encoding="ascii")
    terminal.play("?", "m", "m", "m", "m", ENTER)
    assert "= " in terminal.screens[0]
    assert "one letter added at the end" in terminal.screens[0]


def test_both_values_stand_under_each_other_in_the_same_columns() -> None:
    """KAY** over B**KE beside each other is guesswork."""
    pair = ReviewablePair(b"x", {"first_name": "shown"}, {"first_name": ("KATHARINA", "CATARINA")})
    terminal = Terminal()
    terminal.play("m", ENTER, pairs=(pair,))
    lines = terminal.screens[0].splitlines()
    at = next(i for i, line in enumerate(lines) if "K**H*****" in line)
    assert lines[at].index("K**H*****") == lines[at + 1].index("C**·*****")
    said = " ".join(" ".join(line[48:].split()) for line in lines[at : at + 3])
    assert "one letter replaced and one letter added" in said


def test_values_are_never_read_as_markup() -> None:
    """A value may hold anything."""
    pair = ReviewablePair(b"x", {"first_name": "shown"}, {"first_name": ("[red]A[/red]", "[red]A[/rad]")})
    terminal = Terminal()
    terminal.play(ENTER, "m", ENTER, pairs=(pair,))
    assert "[red]A[/red]" in terminal.screens[1]


def test_risk_can_be_counted_in_a_population() -> None:
    """KAPR seen of the pair: one letter of PAULA, which nobody shares, of seven attributes and two records."""
    columns = {name: Column.of(["X", "Y"]) for name in SCHEMA.names}
    risk = seen_risk(SCHEMA, ReferencePopulation(SCHEMA.names, Records(["1", "2"], columns)))
    assert 0.2 / 7 / 2 == pytest.approx(risk(PAIRS[0], {}))
    assert 2 / 7 / 2 == pytest.approx(risk(PAIRS[0], {"first_name": Stage.FULL}))

    terminal = Terminal()
    terminal.keys = ["m", "m", "m", ENTER]
    getkey: Callable[[], str] = terminal.next_key
    reviewer = TerminalReviewer(schema=SCHEMA, session=None, console=terminal.console, getkey=getkey, risk=risk)
    reviewer.review(PAIRS, spent=0, budget=10)
    assert "risk of this pair 0.0143 -> 0.1429" in terminal.screens[0]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_review_in_a_real_terminal_can_be_left_and_taken_up(tmp_path: Path) -> None:
    """Keys, the second screen and the session file work together where they are meant to."""
    import pexpect

    script = Path(__file__).with_name("three_pairs.py")
    arguments = [str(script), str(tmp_path / "review.json"), "run"]

    def start() -> pexpect.spawn:
        environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1"}
        return pexpect.spawn(
            sys.executable, arguments, env=environment, dimensions=(24, 80), timeout=PATIENCE, encoding="utf-8"
        )

    child = start()
    child.expect("pair 1 of 3")
    child.expect("quit")
    child.send("m")
    child.expect("pair 2 of 3")
    child.expect("quit")
    child.send("q")
    child.expect("paused")
    child.expect(pexpect.EOF)
    child.wait()  # one that is closed while it is ending would be killed
    child.close()
    assert 75 == child.exitstatus

    child = start()
    child.expect("pair 2 of 3")
    child.expect("quit")
    child.send("\x1b[B")
    child.expect("middle name: equal")
    child.expect("quit")
    child.send("n")
    child.expect("pair 3 of 3")
    child.expect("quit")
    child.send("s")
    child.expect("Enter hands them in")
    child.send("\r")
    child.expect("verdicts True False None")
    child.expect(pexpect.EOF)
    child.wait()  # one that is closed while it is ending would be killed
    child.close()
    assert 0 == child.exitstatus
