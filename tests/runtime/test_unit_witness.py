"""A unit that was set back: it hears of it from whoever knows better, and decides and sends nothing any more."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from small_unit import PROJECT, A, B, agree, host, project
from unveil.errors import Conflict, TooEarly
from unveil.protocol.roles import Role
from unveil.runtime.units import RecordUnitService
from unveil.runtime.worker import Worker
from unveil.storage.database import Database
from unveil.transport.logs import configure
from unveil.transport.port import OPERATOR, Caller

OWNER_A, OWNER_B = (Caller(one.role_name, one.name) for one in (A, B))


def service(database: Database, data: Path) -> RecordUnitService:
    worker = Worker(project(), host(database, data, project()), configure(io.StringIO()))
    return RecordUnitService(Role.RECORD_UNIT, {PROJECT: worker}, database)


def test_no_mail_goes_out_before_logs_were_compared(tmp_path: Path) -> None:
    with Database.open(tmp_path / "unit.db", role="record unit") as database:
        unit = service(database, tmp_path)
        agree(unit.workers[PROJECT].host)
        unit.workers[PROJECT].host.advance()
        with pytest.raises(TooEarly, match="compare logs first"):
            unit.mail(PROJECT, OWNER_A)
        assert unit.compare(PROJECT, OWNER_A, None) is None
        assert unit.mail(PROJECT, OWNER_A) is not None
        with pytest.raises(TooEarly):
            unit.mail(PROJECT, OWNER_B)


def test_a_unit_with_an_older_log_is_told_and_goes_no_further(tmp_path: Path) -> None:
    """The caller noted a head that the older copy does not hold; whoever noted an earlier one cannot know."""
    with Database.open(tmp_path / "unit.db", role="record unit") as database:
        early = service(database, tmp_path).head(PROJECT)
    shutil.copy(tmp_path / "unit.db", tmp_path / "older.db")
    with Database.open(tmp_path / "unit.db", role="record unit") as database:
        unit = service(database, tmp_path)
        agree(unit.workers[PROJECT].host)
        unit.acknowledge(PROJECT, OWNER_A, "no such message", b"\1" * 32)
        late = unit.head(PROJECT)
        assert b"\1" * 32 == unit.compare(PROJECT, OWNER_A, late)
    with Database.open(tmp_path / "older.db", role="record unit") as database:
        unit = service(database, tmp_path)
        assert unit.compare(PROJECT, OWNER_B, early) is None
        assert not unit.unit_status(PROJECT, Caller(OPERATOR)).set_back
        with pytest.raises(Conflict, match="lacks entries that the caller knows of"):
            unit.compare(PROJECT, OWNER_A, late)
        with pytest.raises(TooEarly):
            unit.mail(PROJECT, OWNER_A)
        assert unit.unit_status(PROJECT, Caller(OPERATOR)).set_back
        agree(unit.workers[PROJECT].host)
        before = unit.head(PROJECT)
        unit.workers[PROJECT]._decide()
        assert before == unit.head(PROJECT), "a decision was due, and was not taken"
