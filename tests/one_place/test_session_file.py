from __future__ import annotations

from pathlib import Path

import pytest

from unveil.errors import SettingError
from unveil.one_place.session_file import SessionFile
from unveil.roles.review_unit.session import ReviewSession


def test_a_session_comes_back_from_its_file_and_leaves_no_other(tmp_path: Path) -> None:
    """It is replaced as a whole after every key; what was written on the way must not pile up."""
    path = tmp_path / "new" / "review.json"
    session = ReviewSession("run")
    for number in range(3):
        session.labels[bytes([number])] = (True, 0.8)
        SessionFile(path).save(session)
    loaded, note = SessionFile(path).load("run")
    assert (session.labels, None) == (loaded.labels, note)
    assert [path] == list(path.parent.iterdir())


def test_a_session_that_cannot_be_read_is_an_error_and_stays(tmp_path: Path) -> None:
    """Bytes that are no text are not ours to set aside: somebody pointed at the wrong file."""
    path = tmp_path / "review.json"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match="cannot read the review session"):
        SessionFile(path).load("run")
    assert b"\xff\xfe" == path.read_bytes()


def test_a_session_that_cannot_be_written_is_an_error_with_a_reason(tmp_path: Path) -> None:
    """A reviewer must not label on without knowing that nothing is kept."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="cannot write the review session"):
        SessionFile(tmp_path / "file" / "review.json").save(ReviewSession("run"))
