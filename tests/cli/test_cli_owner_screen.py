"""What a person sees of long work, and the words that travel from one process to another."""

from __future__ import annotations

import io
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from unveil.cli.owner.approvals import FOLDER, Approvals, undecided
from unveil.cli.owner.exposure import blocking_groups, repeats, unique_records
from unveil.cli.owner.screen import Screen
from unveil.cli.owner.session import stoppable
from unveil.errors import SettingError, UnveilError
from unveil.records import Column, Records
from unveil.roles.owner.wishes import Wish


def lines_of(*, terminal: bool) -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=200)
    return Screen(console, live=True, now=lambda: 0.0, pace=lambda: 0.0), out


def test_without_a_terminal_a_line_is_printed_when_something_changes() -> None:
    """A log of a service should say what happened, once."""
    screen, out = lines_of(terminal=False)
    with screen:
        for _ in range(3):
            screen.phase("waiting")
            screen.counts("1 pair")
            screen.trouble("record unit", "cannot be reached")
        screen.reached("record unit")
        screen.phase("answering")
    told = out.getvalue().splitlines()
    assert 4 == len(told)
    assert ["waiting", "record unit: all is well again", "answering"] == [told[0], *told[2:]]
    assert told[1].startswith("record unit: cannot be reached (since 1970-01-01")


def test_on_a_terminal_one_line_holds_all_of_it() -> None:
    """Nothing scrolls; the line is gone when the work is done."""
    screen, out = lines_of(terminal=True)
    with screen:
        screen.phase("answering")
        screen.counts("1 pair")
        assert "answering · 1 pair" in out.getvalue()


def wish(layer: int, *ids: int) -> Wish:
    marks = np.ones((len(ids), 1), bool)
    return Wish(layer, [bytes([one] * 16) for one in ids], np.arange(len(ids)), marks, [], marks[:, 0])


def test_a_word_covers_what_the_person_was_asked_about(tmp_path: Path) -> None:
    """A wish that comes while the person thinks waits for a word of its own."""
    approvals = Approvals(tmp_path)
    asked, later, other_layer = wish(3, 1, 2), wish(3, 3), wish(2, 1, 2)
    approvals.give([asked], granted=True)
    approvals.give([asked, later], granted=False)
    words = approvals.given()
    assert [True, True, False] == [words[3, bytes([one] * 16)] for one in (1, 2, 3)]
    assert [other_layer] == undecided([asked, later, other_layer], words)


@pytest.mark.parametrize("text", ["", "{}", '{"granted": 1, "wishes": []}', '{"granted": true, "wishes": [1]}', "[]"])
def test_what_is_not_a_word_is_not_taken_for_one(tmp_path: Path, text: str) -> None:
    """A damaged file must not let anything go."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "1.json").write_text(text)
    with pytest.raises(SettingError, match="is not an approval"):
        Approvals(tmp_path).given()


def test_a_signal_asks_for_an_end_and_a_second_one_forces_it() -> None:
    """The first lets everything finish that is under way."""
    before = signal.getsignal(signal.SIGTERM)
    with stoppable() as stop:
        assert not stop.wait(0)
        signal.raise_signal(signal.SIGTERM)
        assert stop.wait(0)
        assert 143 == stop.exit_code
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert before is signal.getsignal(signal.SIGTERM)


def test_a_thread_that_fails_ends_the_work_without_telling_what_it_held() -> None:
    """Else the command would wait for ever, or print a value."""

    def fail() -> None:
        raise RuntimeError("CANARY")

    with stoppable() as stop:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        with pytest.raises(UnveilError, match="unexpected RuntimeError") as caught:
            stop.wait(0)
    assert "CANARY" not in str(caught.value)


values = st.sampled_from(["", "x", "y", "z"])


@given(st.lists(st.tuples(values, values), max_size=30))
def test_counts_are_those_of_a_plain_count(rows: list[tuple[str, str]]) -> None:
    """The arrays must say what a loop says."""
    records = Records(
        [str(at) for at in range(len(rows))],
        {"a": Column.of(row[0] for row in rows), "b": Column.of(r[1] for r in rows)},
    )
    assert sum(rows.count(row) == 1 for row in rows) == unique_records(records, ("a", "b"))
    for at, told in enumerate(repeats(records, ("a", "b"))):
        held = [row[at] for row in rows if row[at]]
        most = max((held.count(value) for value in held), default=0)
        assert (len(set(held)), len(rows) - len(held), most) == (
            told["distinct"], told["missing"], told["most_frequent"],
        )  # fmt: skip


def test_records_without_a_blocking_key_form_no_group() -> None:
    """Zeros stand for no key; they are not one that all of them share."""
    keys = np.zeros((5, 1, 16), np.uint8)
    keys[:3, 0] = 7
    keys[3, 0] = 9
    assert [{"key": "k", "without": 1, "groups": 2, "largest": [3, 1]}] == blocking_groups(keys, ["k"])
