"""What the record unit's status means for an owner's upload, without units."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from unveil.errors import Closed, UnveilError
from unveil.runtime.owner.answering import AnsweringRun
from unveil.runtime.owner.unit_watch import SeenStatus
from unveil.runtime.owner.upload_judgement import (
    FILE_NAME,
    ProjectClosed,
    SetAside,
    SetAsideAfterWishes,
    UploadJudgement,
)
from unveil.transport.failures import Rejected
from unveil.transport.status import read_status

OWNER = "owner a"
WHY = "90% of the records resemble others"


def seen(*, later: float = 0.0, **status: object) -> SeenStatus:
    """A status that was asked for just now, or so much later."""
    document = {"role": "record unit", "state": "open", **status}
    return SeenStatus(time.monotonic() + later, read_status(document))


def set_aside(*, left: int = 9) -> dict[str, object]:
    return {OWNER: {"set_aside": WHY, "records_set_aside": 300, "uploads_left": left, "uploads_allowed": 10}}


@pytest.fixture
def judgement(tmp_path: Path) -> UploadJudgement:
    return UploadJudgement(tmp_path, OWNER)


def test_an_upload_is_usable_once_it_was_looked_at(judgement: UploadJudgement) -> None:
    """Records may be kept out of it, but not all."""
    judgement.arrived()
    assert not judgement.usable(seen(uploads={}))
    assert judgement.usable(seen(uploads={OWNER: {"kept_out": {"all zeros": 3}, "set_aside": None}}))


@pytest.mark.parametrize("status", [{}, {"uploads": 5}, {"role": "another unit"}])
def test_a_unit_that_does_not_tell_is_not_waited_for(judgement: UploadJudgement, status: dict[str, Any]) -> None:
    """Else an upload to a unit of another release would never end."""
    judgement.arrived()
    assert judgement.usable(seen(**status))


def test_what_was_set_aside_is_known_ever_after(judgement: UploadJudgement, tmp_path: Path) -> None:
    """A folder that ran again would throw away the messages for the one that took its place."""
    judgement.arrived()
    with pytest.raises(SetAside, match=f"{WHY}; 9 of 10 uploads are left") as caught:
        judgement.usable(seen(uploads=set_aside()))
    assert "in the same folder" in str(caught.value.hint)
    assert f"{WHY}; 9 of 10 uploads are left" == UploadJudgement(tmp_path, OWNER).known()
    assert "" == UploadJudgement(tmp_path / "other", OWNER).known()


def test_nothing_is_set_aside_after_a_wish_whatever_the_record_unit_says(
    judgement: UploadJudgement, tmp_path: Path
) -> None:
    """It would have the owner begin anew, and forget what it answered: ten times, in the end."""
    judgement.arrived()
    with pytest.raises(SetAsideAfterWishes, match="nothing is begun anew") as caught:
        judgement.usable(seen(uploads=set_aside()), asked=True)
    assert "project of another name" in str(caught.value.hint)
    assert not (tmp_path / FILE_NAME).exists()
    assert judgement.usable(seen(uploads={OWNER: {}}), asked=True)


def test_a_reason_counts_for_its_owner_alone(judgement: UploadJudgement) -> None:
    """What was found in another owner's upload says nothing about ours."""
    judgement.arrived()
    assert not judgement.usable(seen(uploads={"owner b": {"set_aside": WHY}}))


def test_what_was_found_in_an_earlier_upload_is_not_taken_for_ours(judgement: UploadJudgement, tmp_path: Path) -> None:
    """A sound folder would be given up for the sake of the one before it."""
    judgement.before(seen(uploads=set_aside()))
    assert not judgement.usable(seen(uploads=set_aside()))
    judgement.arrived()
    assert not judgement.usable(seen(later=-60, uploads=set_aside(left=8)))
    assert not judgement.usable(seen(uploads=set_aside()))
    assert judgement.usable(seen(uploads={OWNER: {}}))
    assert not (tmp_path / FILE_NAME).exists()
    with pytest.raises(SetAside):
        judgement.usable(seen(uploads=set_aside(left=8)))


def test_a_closed_project_ends_the_work_at_any_time(judgement: UploadJudgement) -> None:
    """Before the upload as well as after it."""
    with pytest.raises(ProjectClosed):
        judgement.usable(seen(state="closed"))


def test_a_sentence_that_says_all_sets_nothing_aside(judgement: UploadJudgement) -> None:
    """A reason is for people; what ends the work is a field of its own."""
    judgement.arrived()
    assert judgement.usable(seen(uploads={OWNER: {"kept_out": {f"all, since {WHY}": 300}}}))


@pytest.mark.parametrize(("refusal", "expected"), [(Closed("closed"), True), (Rejected("no"), False)])
def test_a_run_with_its_links_does_not_wait_for_units_that_have_closed(refusal: UnveilError, *, expected: bool) -> None:
    """Their last answers are taken by nobody any more."""
    log = SimpleNamespace(outgoing=lambda *, recipient, **_: [recipient] if recipient == "review unit" else [])
    session: Any = SimpleNamespace(look=lambda: SimpleNamespace(linked=True), host=SimpleNamespace(log=log))
    worker: Any = SimpleNamespace(
        clients={"record unit": None, "review unit": None}, not_taken={"review unit": refusal}
    )
    assert expected == AnsweringRun(session, cast("Any", None), cast("Any", None))._done(worker)
