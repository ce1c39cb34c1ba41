"""What a unit tells about a project, and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest

from small_unit import PROJECT, agree, host, people, project, upload
from unveil.cli.owner.status_lines import unit_line
from unveil.errors import RemoteProtocolError
from unveil.projects.project import Project
from unveil.protocol.codec import encode
from unveil.protocol.data_warnings import DataWarning, WarningKind
from unveil.protocol.messages import HASH, Fingerprint, RecordEncodings
from unveil.protocol.roles import Role, owner
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus
from unveil.runtime.owner.status import UnitAnswer
from unveil.runtime.reviews import ReviewUnitService
from unveil.runtime.units import AttributeUnitService, RecordUnitService, UnitService, told_stage
from unveil.runtime.worker import Worker
from unveil.schema import built_in
from unveil.storage.database import Database
from unveil.transport.logs import logger
from unveil.transport.port import OPERATOR, Caller
from unveil.transport.status import AttributeUnitStatus, RecordUnitStatus, UnitStatus, descriptions, read_status

A, B = Caller("owner", "a"), Caller("owner", "b")


@contextmanager
def record_unit(folder: Path, of: Project) -> Iterator[UnitService]:
    folder.mkdir(exist_ok=True)
    with (
        Database.open(folder / "log.sqlite", role="record unit") as database,
        (folder / "log").open("w", encoding="utf-8") as log,
    ):
        worker = Worker(of, host(database, folder, of), logger(log))
        yield RecordUnitService(Role.RECORD_UNIT, {PROJECT: worker}, database)


@pytest.fixture
def unit(tmp_path: Path) -> Iterator[UnitService]:
    with record_unit(tmp_path, project(records_per_owner=9)) as made:
        yield made


def records(count: int, m: int = 2048) -> bytes:
    keys = len(built_in().blocking)
    handles = b"".join(i.to_bytes(16, "big") for i in range(count))
    return encode(RecordEncodings(bytes(16), 0, 1, m, keys, handles, bytes(m // 8 * count), bytes(HASH * keys * count)))


def test_a_party_sees_why_its_last_message_was_refused(unit: UnitService) -> None:
    """A flood and filters of the wrong length do not get in; their owner and the operator see why, others do not."""
    for caller in (A, B):
        unit.take("p", caller, "hello", encode(Fingerprint(b"\x01" * 16)))
    unit.workers["p"].host.advance()
    assert {} == unit.unit_status("p", B).refused
    for message_id, frame, why in (
        ("flood", records(10), "more than 9 records"),
        ("short", records(3, m=512), "filters of 512 bits; the schema makes 2048"),
    ):
        with pytest.raises(RemoteProtocolError):
            unit.take("p", B, message_id, frame)
        assert {"owner b": why} == unit.unit_status("p", B).refused == unit.unit_status("p", Caller(OPERATOR)).refused
        assert {} == unit.unit_status("p", A).refused
        line = unit_line(UnitAnswer(read_status(unit.status("p", B))))
        assert f"our last message was refused: {why}" in line
    shown = {reading.gauge.name: reading.value for reading in unit.metrics(Caller(OPERATOR, "no such token"))}
    assert 2 == shown["unveil_messages_refused"]
    unit.take("p", B, "right", records(3))
    assert {} == unit.unit_status("p", B).refused


def _seen_by_a(folder: Path, register: np.ndarray, mine: np.ndarray) -> tuple[RecordUnitStatus, RecordUnitStatus]:
    """What owner a and the operator are told once both have uploaded and the pairs were compared."""
    with record_unit(folder, project()) as unit:
        at = unit.workers[PROJECT].host
        agree(at)
        upload(at, owner("b"), register)
        upload(at, owner("a"), mine)
        at.advance()
        seen = [unit.unit_status(PROJECT, caller) for caller in (A, Caller(OPERATOR))]
        assert seen == [read_status(unit.status(PROJECT, caller)) for caller in (A, Caller(OPERATOR))]
        owners, operators = seen
        assert isinstance(owners, RecordUnitStatus)
        assert isinstance(operators, RecordUnitStatus)
        return owners, operators


def test_an_owner_cannot_ask_the_status_who_is_in_the_other_register(tmp_path: Path) -> None:
    """It uploads one record and looks: the answer is the same whether the other owner has that person or not."""
    register = people(1, 20)
    there, operator_there = _seen_by_a(tmp_path / "there", register, register[3:4])
    absent, operator_absent = _seen_by_a(tmp_path / "absent", register, people(2, 1))
    assert there == absent
    assert (1, 0) == (operator_there.kept_pairs, operator_absent.kept_pairs)


@pytest.mark.parametrize(
    ("kind", "role", "everybody", "owners"),
    [
        (
            RecordUnitService,
            Role.RECORD_UNIT,
            {"fingerprints_agree", "uploads_complete", "finished", "uploads"},
            {"warnings"},
        ),
        (AttributeUnitService, Role.ATTRIBUTE_UNIT, set(), {"warnings"}),
        (ReviewUnitService, Role.REVIEW_UNIT, set(), set()),
    ],
)
def test_counts_of_pairs_and_tasks_are_for_operators_alone(
    kind: type[UnitService], role: Role, everybody: set[str], owners: set[str]
) -> None:
    """Other units are told how far the project is; owners besides what looks wrong, and nothing more."""
    unit = kind(role, {}, MagicMock())

    def tells(caller: Caller) -> set[str]:
        sent = unit.machine_status(MagicMock(), caller).as_json()
        return {name for name, value in sent.items() if value is not None} - set(descriptions(UnitStatus))

    for caller in (Caller(each.value) for each in Role if each is not Role.OWNER):
        assert everybody == tells(caller)
    assert everybody | owners == tells(A)
    assert everybody | owners < tells(Caller(OPERATOR))


def test_of_a_stage_owners_are_told_labels_and_no_other_count() -> None:
    """Each label is for a pair whose values they were asked for; how many batches or pairs there are is not theirs."""
    labels = StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, 37, 100)
    pairs = StageStatus(StageKind.ANSWERING, Awaited.OWNERS, CountedKind.PAIRS, 3, 50)
    assert (labels, pairs.without_figures()) == (told_stage(labels, A), told_stage(pairs, A))
    other_unit, operator = Caller(Role.RECORD_UNIT.value), Caller(OPERATOR)
    assert labels.without_figures() == told_stage(labels, other_unit)
    assert (labels, pairs) == (told_stage(labels, operator), told_stage(pairs, operator))


@pytest.mark.parametrize(
    ("kind", "role"), [(RecordUnitService, Role.RECORD_UNIT), (AttributeUnitService, Role.ATTRIBUTE_UNIT)]
)
def test_owners_are_warned_at_the_end_without_figures_of_others(kind: type[UnitService], role: Role) -> None:
    """Counts of pairs would tell who is in the other register, and before the end an owner could act on a warning."""
    key = DataWarning(WarningKind.KEY_HARDLY_AGREES, "name+year", {"pairs": 30, "agreeing": 0})
    full = [DataWarning(WarningKind.FILL_FAR_OFF, f"owner {name}", {"fill": 0.7}) for name in "ab"]
    machine = MagicMock(finished=False)
    machine.data_warnings.return_value = (key, *full)
    unit = kind(role, {}, MagicMock())

    def warned(caller: Caller) -> object:
        status = unit.machine_status(machine, caller)
        assert isinstance(status, RecordUnitStatus | AttributeUnitStatus)
        return status.warnings

    assert (key, *full) == warned(Caller(OPERATOR))
    assert warned(A) is None
    machine.finished = True
    assert (DataWarning(key.kind, key.subject), full[0]) == warned(A)
    assert warned(Caller(Role.REVIEW_UNIT.value)) is None


def test_a_closed_project_tells_no_more_than_that_it_is_closed(tmp_path: Path) -> None:
    """Everything else was erased; and a machine cannot be asked."""
    with record_unit(tmp_path, project()) as unit:
        unit.workers[PROJECT].host.close(lambda *_: {})
        expected = RecordUnitStatus(project=PROJECT, state="closed", refused={}, set_back=False)
        assert expected == unit.unit_status(PROJECT, Caller(OPERATOR))
        assert "closed" == unit_line(UnitAnswer(expected))
