"""`unveil owner upload` when the record unit does not want it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import unveil
from owner_trial import OwnerTrial

from unveil.errors import Conflict
from unveil.transport.failures import Rejected
from unveil.transport.http.client import UnitClient


@pytest.mark.parametrize(
    ("error", "said"), [(Rejected("more than 9 records"), "more than 9 records"), (Conflict("other bytes"), "Conflict")]
)
def test_an_upload_that_is_not_taken_ends_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    """Trying again would not help; whoever waits in front of the screen is told what the unit said."""
    put = UnitClient.put

    def refused(client: UnitClient, message_id: str, frame: bytes) -> None:
        if b"RecordEncodings" in frame[:1000]:
            raise error
        put(client, message_id, frame)

    monkeypatch.setattr(UnitClient, "put", refused)
    monkeypatch.setattr("unveil.runtime.owner.upload._STALLED", 0.2)
    with OwnerTrial(tmp_path / "trial") as trial:
        trial.start_units()
        other = trial.start("upload", "b")
        done = unveil("owner", "upload", trial.owner("a"), "--demonstration")
        trial.end(other)
    assert 1 == done.returncode
    assert f"does not take the upload: {said}" in done.stderr
    assert "run the same command again" in done.stderr
