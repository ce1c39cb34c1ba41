"""An upload that is begun anew: in the same folder, with mended data, and never after a wish."""

from __future__ import annotations

from pathlib import Path

import pytest
from owner_trial import OwnerTrial

from unveil.errors import SettingError
from unveil.protocol.codec import encode
from unveil.protocol.messages import ID, KEY_PAIR, Agreement, EncodingWish
from unveil.protocol.roles import RECORD_UNIT
from unveil.runtime.owner.session import OwnerSession, open_session
from unveil.runtime.owner.upload_judgement import FILE_NAME, SetAside


def upload(session: OwnerSession) -> None:
    """Come as far as the upload, without units."""
    session.host.advance()
    session.host.take(
        RECORD_UNIT, f"agreed {session.host.log.head[0]}", encode(Agreement(1, session.host.machine._presented))
    )
    session.host.advance()
    assert session.host.machine.uploaded


def mend(trial: OwnerTrial) -> None:
    """Owner a's data are others now."""
    path = trial.trial.data("owner-a")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), encoding="utf-8")


def test_data_may_change_until_they_are_uploaded(tmp_path: Path) -> None:
    """Nothing but a fingerprint was sent; the same folder goes on with new handles."""
    trial = OwnerTrial(tmp_path / "trial")
    with open_session(trial.owner("a"), demonstration=True) as session:
        session.host.advance()
        before = session.host.machine.upload_id
    mend(trial)
    with open_session(trial.owner("a"), demonstration=True) as session:
        upload(session)
        assert 299 == session.look().records
        assert before != session.host.machine.upload_id
    mend(trial)
    with (
        pytest.raises(SettingError, match="changed since the linkage began"),
        open_session(trial.owner("a"), demonstration=True),
    ):
        pass


def test_mended_data_are_uploaded_anew_once_the_upload_was_set_aside(tmp_path: Path) -> None:
    """And the same data are not: they would be set aside again."""
    trial = OwnerTrial(tmp_path / "trial")
    with open_session(trial.owner("a"), demonstration=True) as session:
        upload(session)
    note = trial.owner("a") / FILE_NAME
    note.write_text("all alike")
    with pytest.raises(SetAside, match="all alike"), open_session(trial.owner("a"), demonstration=True):
        pass
    mend(trial)
    with open_session(trial.owner("a"), demonstration=True) as session:
        assert not note.exists()
        upload(session)
    note.write_text("left behind by a process that died")
    mend(trial)
    with open_session(trial.owner("a"), demonstration=True) as session:
        note.write_text("written again")
    with open_session(trial.owner("a"), demonstration=True):
        assert not note.exists(), "it speaks of an upload that was left behind"


def test_after_a_wish_nothing_is_begun_anew_although_a_note_says_so(tmp_path: Path) -> None:
    """The ledger, the keys that were served and the caps are the owner's, whatever a record unit says."""
    trial = OwnerTrial(tmp_path / "trial")
    with open_session(trial.owner("a"), demonstration=True) as session:
        upload(session)
        machine = session.host.machine
        assert machine._handles is not None
        wish = EncodingWish(0, machine.upload_id, bytes(ID), machine._handles.column[:ID], bytes(KEY_PAIR))
        session.host.take(RECORD_UNIT, "wish", encode(wish))
        session.host.advance()
        assert 1 == session.host.machine.ledger.pairs(2)
    (trial.owner("a") / FILE_NAME).write_text("all alike")
    mend(trial)
    with (
        pytest.raises(SettingError, match=r"changed since the linkage began|nothing can be begun anew"),
        open_session(trial.owner("a"), demonstration=True),
    ):
        pass
