"""Comparing logs over a real connection: before anything goes, and again after a start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
import pytest
from live_unit import Live, listening
from memory_unit import MemoryUnit
from trial_project import Trial

from unveil.errors import Conflict, TooEarly
from unveil.protocol.roles import Role
from unveil.transport.failures import LogSetBack, UnitSetBack
from unveil.transport.http.client import UnitClient
from unveil.transport.http.limits import FRAME
from unveil.transport.http.tls import client_context
from unveil.transport.port import Caller

OLD, NEW, UNIT = b"\1" * 32, b"\2" * 32, b"\3" * 32


@dataclass
class NotingUnit(MemoryUnit):
    """A unit that notes heads, and asks whoever has not compared to do so first."""

    noted: bytes | None = None
    held: set[bytes] = field(default_factory=lambda: {UNIT})
    compared: bool = False

    def head(self, project: str) -> bytes:
        del project
        return UNIT

    def compare(self, project: str, caller: Caller, noted: bytes | None) -> bytes | None:
        del project, caller
        if noted is not None and noted not in self.held:
            raise Conflict("set back")
        self.compared = True
        return self.noted

    def take(self, project: str, caller: Caller, message_id: str, frame: bytes, head: bytes | None) -> None:
        super().take(project, caller, message_id, frame, head)
        self.noted = head or self.noted

    def mail(self, project: str, caller: Caller) -> tuple[str, bytes] | None:
        if not self.compared:
            raise TooEarly("owner", "a question for mail", "compare logs first")
        return super().mail(project, caller)


@dataclass
class Known:
    """What a caller knows."""

    own: list[bytes] = field(default_factory=lambda: [OLD, NEW])
    of_unit: bytes | None = None

    def head(self) -> bytes:
        return self.own[-1]

    def holds(self, head: bytes) -> bool:
        return head in self.own

    def noted(self) -> bytes | None:
        return self.of_unit


@pytest.fixture
def unit(trial: Trial) -> NotingUnit:
    plain = trial.unit(Role.RECORD_UNIT)
    return NotingUnit(plain.role, plain.keys, plain.tokens)


@pytest.fixture
def live_unit(trial: Trial, unit: NotingUnit) -> Iterator[Live]:
    with listening(unit, trial.parties["record unit"]) as live:
        yield live


@pytest.fixture
def client(trial: Trial, live_unit: Live) -> Iterator[UnitClient]:
    with UnitClient(live_unit.address, client_context(trial.parties["north"].credentials), "alpha") as made:
        made.witness = Known()
        yield made


def test_heads_travel_with_messages_and_back(client: UnitClient, unit: NotingUnit) -> None:
    assert UNIT == client.put("m1", b"frame")
    assert NEW == unit.noted
    unit.mailbox.append(("w1", b"wish"))
    assert ("w1", b"wish") == client.mail()
    assert UNIT == client.acknowledge("w1")


def test_an_older_log_is_noticed_before_anything_is_sent_or_fetched(client: UnitClient, unit: NotingUnit) -> None:
    """The unit knows the newest head; this caller's database is older, or another one."""
    unit.noted = NEW
    unit.mailbox.append(("w1", b"wish"))
    for own in ([OLD], []):
        client.witness = Known([*own, b"\7" * 32])
        with pytest.raises(LogSetBack) as caught:
            client.put("m1", b"frame")
        with pytest.raises(LogSetBack):
            client.mail()
        assert "the folder where the linkage began" in str(caught.value.hint)
    assert {} == unit.taken


def test_a_unit_with_an_older_log_is_sent_nothing(client: UnitClient, unit: NotingUnit) -> None:
    client.witness = Known(of_unit=b"\4" * 32)
    with pytest.raises(UnitSetBack, match="was set back"):
        client.put("m1", b"frame")
    assert {} == unit.taken


def test_logs_are_compared_again_when_the_unit_was_started_anew(client: UnitClient, unit: NotingUnit) -> None:
    """It forgets with whom it compared, and says so; in between its database may have been replaced."""
    client.put("m1", b"frame")
    unit.compared, unit.held = False, set()
    client.witness = Known(of_unit=UNIT)
    with pytest.raises(TooEarly):
        client.mail()
    with pytest.raises(UnitSetBack):
        client.mail()
    unit.held = {UNIT}
    assert client.mail() is None


@pytest.mark.parametrize("noted", ["", "00", "g" * 64, "A" * 64, "0" * 65, 7])
def test_what_is_no_head_is_not_taken_for_one(trial: Trial, live_unit: Live, noted: object) -> None:
    """A head is 64 hexadecimal digits."""
    tls = client_context(trial.parties["north"].credentials)
    with httpx.Client(base_url=live_unit.address, verify=tls, trust_env=False) as plain:
        assert 422 == plain.post("/v1/projects/alpha/witness", json={"noted": noted}).status_code
        headers = {"Content-Type": FRAME}
        if noted:
            path = f"/v1/projects/alpha/messages/m1?head={noted}"
            assert 422 == plain.put(path, content=b"x", headers=headers).status_code
