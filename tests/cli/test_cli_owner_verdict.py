"""What the record unit's word means for an owner's upload, without units."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from unveil.cli.owner.approve import lines as approval_lines
from unveil.cli.owner.run import Run
from unveil.cli.owner.session import NotTaken
from unveil.cli.owner.verdict import FILE_NAME, ProjectClosed, SetAside, Verdict, Word

WHOLE = "all, since 90% of the records resemble others; 9 of 10 uploads are left"


def said(*, later: float = 0.0, **status: object) -> Word:
    return Word.of({"state": "open", **status}, "owner a", asked=time.monotonic() + later)


@pytest.fixture
def verdict(tmp_path: Path) -> Verdict:
    return Verdict(tmp_path)


def test_an_upload_is_usable_once_it_was_looked_at(verdict: Verdict) -> None:
    """Records may be kept out of it, but not all."""
    verdict.arrived()
    assert not verdict.heed(said(quarantined={}))
    assert verdict.heed(said(quarantined={"owner a": {"all zeros": 3}}))


def test_a_unit_that_does_not_tell_is_not_waited_for(verdict: Verdict) -> None:
    """Else an upload to a unit of another release would never end."""
    verdict.arrived()
    assert verdict.heed(said())


def test_what_was_set_aside_is_known_ever_after(verdict: Verdict, tmp_path: Path) -> None:
    """A folder that ran again would throw away the messages for the one that took its place."""
    verdict.arrived()
    with pytest.raises(SetAside, match="90% of the records resemble others") as caught:
        verdict.heed(said(quarantined={"owner a": {WHOLE: 300}}))
    assert "unveil owner init NEWFOLDER" in str(caught.value.hint)
    assert "90% of" in Verdict(tmp_path).known()
    assert "" == Verdict(tmp_path / "other").known()


def test_a_word_about_an_earlier_upload_is_not_taken_for_ours(verdict: Verdict, tmp_path: Path) -> None:
    """A sound folder would be given up for the sake of the one before it."""
    earlier = {"owner a": {WHOLE: 300}}
    verdict.before(said(quarantined=earlier))
    assert not verdict.heed(said(quarantined=earlier))
    verdict.arrived()
    assert not verdict.heed(said(later=-60, quarantined={"owner a": {WHOLE.replace("9", "8"): 300}}))
    assert not verdict.heed(said(quarantined=earlier))
    assert verdict.heed(said(quarantined={"owner a": {}}))
    assert not (tmp_path / FILE_NAME).exists()
    with pytest.raises(SetAside):
        verdict.heed(said(quarantined={"owner a": {WHOLE.replace("9 of", "8 of"): 300}}))


def test_a_closed_project_ends_the_work_at_any_time(verdict: Verdict) -> None:
    """Before the upload as well as after it."""
    with pytest.raises(ProjectClosed):
        verdict.heed(said(state="closed"))


def test_whether_all_uploads_are_usable_is_taken_as_the_unit_says_it() -> None:
    """That the other owner's upload was set aside shows in nothing else."""
    assert [None, False, True, True] == [
        said().complete,
        said(compared=False).complete,
        said(compared=True).complete,
        said(compared=False, complete=True).complete,
    ]


def test_another_partys_words_cannot_move_the_cursor() -> None:
    """They end on a terminal, and a unit may be hostile."""
    word = said(quarantined={"owner a": {"all, since \x1b[2Jnothing\nhappened": 1}})
    assert "[2Jnothinghappened" == word.set_aside


@pytest.mark.parametrize(("kind", "expected"), [("Closed", True), ("Rejected", False)])
def test_a_run_with_its_links_does_not_wait_for_units_that_have_closed(kind: str, *, expected: bool) -> None:
    """Their last answers are taken by nobody any more."""
    log = SimpleNamespace(outgoing=lambda *, recipient, **_: [recipient] if recipient == "review unit" else [])
    session: Any = SimpleNamespace(
        look=lambda: SimpleNamespace(linked=True),
        host=SimpleNamespace(log=log),
        log=SimpleNamespace(not_taken={"review unit": NotTaken(kind, "")}),
    )
    seat: Any = SimpleNamespace(clients={"record unit": None, "review unit": None})
    assert expected == Run(session, cast("Any", None), cast("Any", None))._done(seat)


def test_one_and_many_have_their_own_words() -> None:
    """A sentence that is wrong makes people doubt the number in it."""
    attributes = {"zip": {"asked": 1, "may_go": 1}}
    for without, expected in ((1, "1 is refused whatever you say"), (2, "2 are refused whatever you say")):
        waiting = {"wishes": 3, "records": 3, "without_consent": without, "attributes": attributes}
        told = {"attribute unit": waiting, "review unit": {"wishes": 0}}
        assert expected in "\n".join(approval_lines(told))
