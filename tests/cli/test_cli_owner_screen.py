"""What a person sees of an owner's long work, and how a person ends it."""

from __future__ import annotations

import io
import signal
import threading

import pytest
from rich.console import Console

from unveil.cli.owner.approval_lines import approval_lines
from unveil.cli.owner.screen import RunScreen, UploadScreen, WorkScreen
from unveil.cli.owner.stopping import TerminalStop
from unveil.errors import UnveilError
from unveil.runtime.owner.observer import OwnerPhase, PhaseReport
from unveil.runtime.owner.progress import WishProgress
from unveil.runtime.owner.waiting import AskedAttribute, WaitingLayer, WaitingWishes


def console(*, terminal: bool) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, force_terminal=terminal, width=200), out


def test_without_a_terminal_a_line_is_printed_when_something_changes() -> None:
    """A log of a service should say what happened, once."""
    where, out = console(terminal=False)
    with WorkScreen(where, live=True, now=lambda: 0.0, pace=lambda: 0.0) as screen:
        for _ in range(3):
            screen.show_phase("waiting")
            screen.show_counts("1 pair")
            screen.trouble("record unit", "cannot be reached")
        screen.reached("record unit")
        screen.show_phase("answering")
    lines = out.getvalue().splitlines()
    assert 4 == len(lines)
    assert ["waiting", "record unit: all is well again", "answering"] == [lines[0], *lines[2:]]
    assert lines[1].startswith("record unit: cannot be reached (since 1970-01-01")


def test_on_a_terminal_one_line_holds_all_of_it() -> None:
    """Nothing scrolls; the line is gone when the work is done."""
    where, out = console(terminal=True)
    with RunScreen(where, "hospital-a") as screen:
        with screen.busy("reading records"):  # which has the terminal until the work begins
            assert "answering" not in out.getvalue()
        assert "reading records" in out.getvalue()
        screen.phase(PhaseReport(OwnerPhase.ANSWERING))
        wishes = WishProgress(received=1, answered=1, refused=0, waiting=0, values=2)
        screen.counts({"attribute unit": wishes, "review unit": wishes})
        assert "answering wishes as the policy says · pairs: 1 answered, 0 refused" in out.getvalue()


def test_every_phase_has_words() -> None:
    """A phase without them would print the name of a constant."""
    where, out = console(terminal=False)
    with RunScreen(where, "hospital-a") as run, UploadScreen(where) as upload:
        for phase in OwnerPhase:
            report = PhaseReport(phase, records=3000, parts=2, parts_arrived=1, waiting=5, labels=37, budget=100)
            run.phase(report)
            upload.phase(report)
    text = out.getvalue()
    for expected in (
        "encoding 3,000 records",
        "sending records: 1 of 2 parts are at the record unit",
        "sending 3,000 records in 2 parts",
        "5 wishes wait for approval: unveil owner approve hospital-a",
        "waiting for the other owner's fingerprint (unveil owner upload, over there)",
        "waiting for the other owner: its upload is not at the record unit yet, or is not usable",
        "waiting for reviewers: 37 of 100 labels",
    ):
        assert expected in text
    assert not [phase.name for phase in OwnerPhase if phase.name in text]


def test_parts_that_arrive_move_a_bar_that_goes_away() -> None:
    """What follows must not be drawn over it."""
    where, out = console(terminal=True)
    with UploadScreen(where) as screen:
        screen.phase(PhaseReport(OwnerPhase.SENDING, records=30, parts=3))
        screen.parts_arrived(1, 3, 30)
        assert screen._bar is not None
        screen.phase(PhaseReport(OwnerPhase.WAITING_FOR_SCREENING))
        assert screen._bar is None
    assert "1 of 3 parts" in out.getvalue()


def test_a_signal_asks_for_an_end_and_a_second_one_forces_it() -> None:
    """The first lets everything finish that is under way."""
    before = signal.getsignal(signal.SIGTERM)
    stop = TerminalStop()
    with stop.during_work():
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

    stop = TerminalStop()
    with stop.during_work():
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        with pytest.raises(UnveilError, match="unexpected RuntimeError") as caught:
            stop.wait(0)
    assert "CANARY" not in str(caught.value)


def test_one_and_many_have_their_own_words() -> None:
    """A sentence that is wrong makes people doubt the number in it."""
    for without, expected in ((1, "1 is refused whatever you say"), (2, "2 are refused whatever you say")):
        layer = WaitingLayer(wishes=3, records=3, without_consent=without, attributes={"zip": AskedAttribute(1, 1)})
        waiting = WaitingWishes((), {"attribute unit": layer, "review unit": WaitingLayer()})
        assert expected in "\n".join(approval_lines(waiting))
