"""What a unit tells about refused messages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from unveil.cli.owner.status import _said
from unveil.errors import RemoteProtocolError
from unveil.party.assemble import unit_machine
from unveil.party.host import Host
from unveil.party.seat import Seat
from unveil.party.unit import RecordUnitService
from unveil.presets import with_preset
from unveil.projects.project import Limits, Party, Project
from unveil.protocol.codec import encode
from unveil.protocol.messages import HASH, Fingerprint, RecordEncodings
from unveil.protocol.roles import Role
from unveil.schema import built_in
from unveil.storage.database import Database
from unveil.transport.logs import logger
from unveil.transport.port import OPERATOR, Caller

A, B = Caller("owner", "a"), Caller("owner", "b")


@pytest.fixture
def unit(tmp_path: Path) -> Iterator[RecordUnitService]:
    parties = tuple(Party(role="owner", name=name, public_key=f"sha256:{name * 42}A") for name in "ab")
    schema = with_preset(built_in(), "unveil", budget=10)
    project = Project(name="p", parties=parties, schema=schema, limits=Limits(records_per_owner=9))
    with Database.open(tmp_path / "log.sqlite", role="record unit") as database:
        build = unit_machine(Role.RECORD_UNIT, project, data=tmp_path, seed=1)
        host = Host(build, database.project("p"), clock=time.time)
        with (tmp_path / "log").open("w", encoding="utf-8") as log:
            yield RecordUnitService(Role.RECORD_UNIT, {"p": Seat(project, host, logger(log))}, database)


def records(count: int, m: int = 1024) -> bytes:
    keys = len(built_in().blocking)
    handles = b"".join(i.to_bytes(16, "big") for i in range(count))
    return encode(RecordEncodings(0, 1, m, keys, handles, bytes(m // 8 * count), bytes(HASH * keys * count)))


def test_a_party_sees_why_its_last_message_was_refused(unit: RecordUnitService) -> None:
    """A flood and filters of the wrong length do not get in; their owner and the operator see why, others do not."""
    for caller in (A, B):
        unit.take("p", caller, "hello", encode(Fingerprint(b"\x01" * 16)))
    unit.seats["p"].host.advance()
    assert {} == unit.status("p", B)["refused"]
    for message_id, frame, why in (
        ("flood", records(10), "more than 9 records"),
        ("short", records(3, m=512), "filters of 512 bits; the schema makes 1024"),
    ):
        with pytest.raises(RemoteProtocolError):
            unit.take("p", B, message_id, frame)
        assert {"owner b": why} == unit.status("p", B)["refused"] == unit.status("p", Caller(OPERATOR))["refused"]
        assert {} == unit.status("p", A)["refused"]
        assert f"our last message was refused: {why}" in _said({"reachable": True, **unit.status("p", B)})
    assert 2 == unit.metrics()["messages_refused"]
    unit.take("p", B, "right", records(3))
    assert {} == unit.status("p", B)["refused"]
