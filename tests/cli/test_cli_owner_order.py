"""What the record unit can read off the order of an upload, where parties run in earnest, without a seed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import unveil
from owner_trial import PEOPLE, OwnerTrial

from sorted_register import guessed_initials, rank_correlation, sorted_register
from three_units import start_units
from unveil.files.write import write_rows
from unveil.lab.local_parties.logs import log_of, opened
from unveil.protocol.messages import ID, RecordEncodings
from unveil.roles.columns import entries
from unveil.roles.owner import machine
from unveil.roles.owner.decisions import KINDS, Prepared
from unveil.schema import built_in
from unveil.transport.failures import Rejected
from unveil.transport.http.client import UnitClient


class EarnestTrial(OwnerTrial):
    """The same without a seed; owner a keeps its register by surname."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        for path in [*root.glob("*/unit.toml"), *root.glob("*/unveil.toml")]:
            path.write_text(re.sub(r"\[demonstration\]\nseed = \d+\n", "", path.read_text()))
        people = sorted_register(PEOPLE)
        columns = [people.columns[name].values() for name in built_in().names]
        path = self.trial.data("owner-a")
        path.unlink()
        write_rows(path, ("record_id", *built_in().names), zip(people.ids, *columns, strict=True), ids=())

    def start_units(self) -> None:
        self._units = start_units(self.root)

    def parts(self) -> list[RecordEncodings]:
        """Owner a's upload as the record unit's log has it, part by part."""
        found = [one for one in self.received("record-unit", "a") if isinstance(one, RecordEncodings)]
        return sorted(found, key=lambda one: one.part)

    def handles(self) -> list[bytes]:
        """The handle of each row of owner a's file, by its log."""
        with log_of(self.trial, "owner-a") as log:
            events = [opened(entry, KINDS) for entry in log.entries()]
        return entries(next(one.handles for one in events if isinstance(one, Prepared)), ID)


def test_the_order_of_an_upload_is_none_of_the_files_and_survives_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 300 people by surname, in six parts, of which three arrive before the network fails."""
    put, refused = UnitClient.put, list[str]()

    def failing(client: UnitClient, message_id: str, frame: bytes) -> None:
        if b"RecordEncodings" in frame[:1000]:
            refused.append(message_id)
            if len(set(refused)) > 3:
                raise Rejected("the disk is full")
        put(client, message_id, frame)

    monkeypatch.setattr(machine, "PART", 16_000)
    monkeypatch.setattr("unveil.runtime.owner.upload._STALLED", 0.2)
    with EarnestTrial(tmp_path / "trial") as trial:
        trial.start_units()
        other = trial.start("upload", "b")
        with monkeypatch.context() as patch:
            patch.setattr(UnitClient, "put", failing)
            assert "the disk is full" in unveil("owner", "upload", trial.owner("a")).stderr
        before = trial.parts()
        assert 0 == unveil("owner", "upload", trial.owner("a")).returncode
        trial.end(other)
        parts, handles = trial.parts(), trial.handles()
    assert (3, 6) == (len(before), len(parts))
    assert before == parts[:3]
    sent = [one for part in parts for one in entries(part.handles, ID)]
    assert sorted(handles) == sent
    order = [handles.index(one) for one in sent]
    assert abs(rank_correlation(order)) < 0.3, "five standard deviations"
    right, constant = guessed_initials(sorted_register(PEOPLE), order)
    assert right < constant + 0.05
    sure, _ = guessed_initials(sorted_register(PEOPLE), range(PEOPLE))
    assert sure > 0.7, "the control: in the order of the file"
