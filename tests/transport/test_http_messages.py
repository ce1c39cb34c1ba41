"""Messages over HTTPS, through the client that owners and units use."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from live_unit import Live, listening
from memory_unit import SECRET, MemoryUnit
from trial_project import Trial
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from patience import PATIENCE
from unveil.errors import Closed, Conflict, SettingError, TooEarly
from unveil.protocol.roles import Role
from unveil.transport.failures import Busy, Refused, Rejected, Unreachable
from unveil.transport.http import server
from unveil.transport.http.client import UnitClient
from unveil.transport.http.endpoints import messages
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.tls import Credentials, client_context
from unveil.transport.status import UnitStatus


@pytest.fixture
def owner(trial: Trial, live: Live, record_unit: MemoryUnit) -> Iterator[UnitClient]:
    assert {} == record_unit.taken
    with UnitClient(live.address, client_context(trial.parties["north"].credentials), "alpha") as client:
        yield client


def test_a_message_is_taken_once_however_often_it_is_sent(owner: UnitClient, record_unit: MemoryUnit) -> None:
    """Answers get lost, so senders repeat themselves."""
    for _ in range(3):
        owner.put("m1", b"frame")
    assert {"m1": b"frame"} == record_unit.taken


def test_a_large_message_arrives_whole(owner: UnitClient, record_unit: MemoryUnit) -> None:
    """It travels in pieces."""
    frame = bytes(range(256)) * 16_001
    owner.put("large", frame)
    assert frame == record_unit.taken["large"]


@pytest.mark.parametrize(
    ("frame", "error"),
    [(b"early", TooEarly), (b"full", Busy), (b"closed", Closed), (b"", Rejected), (b"other", Conflict)],
)
def test_every_way_to_fail_is_an_error_of_its_own(owner: UnitClient, frame: bytes, error: type[Exception]) -> None:
    """The courier must know whether to try again."""
    owner.put("m1", b"frame")
    with pytest.raises(error) as raised:
        owner.put("m1", frame)
    assert "secret" not in str(raised.value)


def test_a_defect_shows_nothing_of_what_it_was_about(owner: UnitClient, live: Live) -> None:
    """Exceptions quote values; neither the answer nor the log may."""
    with pytest.raises(Unreachable, match="status 500"):
        owner.put("m1", b"defect")
    assert SECRET not in live.logged.getvalue()
    failed = [line for line in map(json.loads, live.logged.getvalue().splitlines()) if line["event"] == "failed"]
    assert ["ValueError"] == [line["error"] for line in failed]


@pytest.fixture
def endless_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but the unit's bell ends a long poll, so that what ends one was the bell, however late it is."""

    async def until_it_rings(bell: asyncio.Event, _seconds: float) -> None:
        await bell.wait()

    monkeypatch.setattr(messages, "_within", until_it_rings)


@pytest.mark.usefixtures("endless_polls")
def test_a_long_poll_returns_as_soon_as_a_message_may_have_caused_mail(trial: Trial) -> None:
    """An owner that learns late of a wish answers late."""
    unit, context = trial.unit(Role.RECORD_UNIT), client_context(trial.parties["north"].credentials)
    with (
        ThreadPoolExecutor(1) as pool,
        listening(unit, trial.parties["record unit"]) as live,
        UnitClient(live.address, context, "alpha") as owner,
    ):
        poll = pool.submit(owner.mail, wait=30)
        assert unit.looked.wait(PATIENCE)
        assert not poll.done()
        unit.mailbox.append(("w1", b"wish"))
        owner.put("m1", b"frame")
        assert ("w1", b"wish") == poll.result(PATIENCE)


def test_mail_stays_until_it_is_acknowledged_and_can_be_acknowledged_twice(
    owner: UnitClient, record_unit: MemoryUnit
) -> None:
    """An owner may fall over between fetching and acknowledging, and between acknowledging and hearing so."""
    record_unit.mailbox.extend([("w1", b"one"), ("w2", b"two")])
    assert owner.mail() == owner.mail() == ("w1", b"one")
    owner.acknowledge("w1")
    owner.acknowledge("w1")
    assert ("w2", b"two") == owner.mail()
    owner.acknowledge("w2")
    assert None is owner.mail(wait=1)


@pytest.mark.usefixtures("endless_polls")
def test_a_unit_stops_although_somebody_waits_for_mail(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long polls take half a minute; an upgrade must not. A poll that the end breaks off gets no answer."""
    monkeypatch.setattr(server, "_GRACE", 60)
    unit, context = trial.unit(Role.RECORD_UNIT), client_context(trial.parties["north"].credentials)
    with ThreadPoolExecutor(1) as pool:
        with listening(unit, trial.parties["record unit"]) as live:
            client = UnitClient(live.address, context, "alpha")
            poll = pool.submit(client.mail, wait=30)
            assert unit.looked.wait(PATIENCE)
            assert not poll.done()
        with client:
            assert None is poll.result(PATIENCE)


def test_a_unit_with_its_hands_full_says_so(trial: Trial) -> None:
    """Bodies are held in memory while they are stored, so there may not be many at once."""
    unit, context = trial.unit(Role.RECORD_UNIT), client_context(trial.parties["north"].credentials)
    unit.hold = threading.Event()
    with (
        ThreadPoolExecutor(1) as pool,
        listening(unit, trial.parties["record unit"], limits=RequestLimits(requests=1)) as live,
        UnitClient(live.address, context, "alpha", timeout=PATIENCE) as client,
    ):
        first = pool.submit(client.put, "m1", b"frame")
        try:
            assert unit.taking.wait(PATIENCE)
            with pytest.raises(Busy):
                client.put("m2", b"frame")
        finally:
            unit.hold.set()
        first.result(PATIENCE)
        client.put("m2", b"frame")
    assert {"m1", "m2"} == set(unit.taken)


def test_small_answers_are_sent_at_once(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket that waits to fill its packets would take 40 ms each time, and no wish would be answered in time."""
    made, found = HttpToolsProtocol.connection_made, []

    def noted(connection: HttpToolsProtocol, transport: asyncio.Transport) -> None:
        found.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(connection, transport)

    monkeypatch.setattr(HttpToolsProtocol, "connection_made", noted)
    context = client_context(trial.parties["north"].credentials)
    with (
        listening(trial.unit(Role.RECORD_UNIT), trial.parties["record unit"]) as live,
        UnitClient(live.address, context, "alpha") as client,
    ):
        client.put("m1", b"frame")
    assert [True] == [*map(bool, found)]


def test_reviewers_see_tasks_open_cells_and_decide(trial: Trial) -> None:
    """They come with a token and no certificate."""
    unit = trial.unit(Role.REVIEW_UNIT)
    context = client_context(Credentials(trial.authority.file))
    with (
        listening(unit, trial.parties["review unit"]) as live,
        UnitClient(live.address, context, "alpha", token="reviewer-token") as reviewer,
    ):
        assert ["t1"] == [task["task"] for task in reviewer.tasks()]
        assert [{"attribute": "city", "stage": "full"}] == reviewer.open_cell("t1", "city", "full")["cells"]
        reviewer.verdict("t1", None, 0.5)
        with pytest.raises(Conflict):
            reviewer.verdict("t1", True, 1.0)
        with pytest.raises(Rejected, match="no such task"):
            reviewer.open_cell("t2", "city", "full")
        with pytest.raises(Rejected):
            reviewer.open_cell("t1", "city", SECRET)
        with pytest.raises(Refused):
            reviewer.status()
    assert {"t1": (None, 0.5)} == unit.verdicts
    assert SECRET not in live.logged.getvalue()


def test_status_and_metrics_count(owner: UnitClient, live: Live, trial: Trial) -> None:
    """The unit is told who asks, for gauges of a project are for its operator alone."""
    owner.put("m1", b"frame")
    assert UnitStatus(project="alpha") == owner.status()
    context = client_context(Credentials(trial.authority.file))
    with UnitClient(live.address, context, "alpha", token="operator-token") as operator:
        text = operator._http.get(f"{live.address}/metrics").text
    assert 'unveil_messages{caller="operator"} 1.0' in text
    assert 'path="/v1/projects/{project}/messages/{message_id}",status="204"}' in text


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "https://127.0.0.1:1/path", "ftp://x", "https://u@x"])
def test_only_https_addresses_are_called(address: str, trial: Trial) -> None:
    """A typing error must not send anything in the clear."""
    with pytest.raises(SettingError):
        UnitClient(address, client_context(trial.parties["north"].credentials), "alpha")


def test_ids_that_would_mean_another_path_are_not_sent(owner: UnitClient) -> None:
    """They would be put into the address."""
    for bad in ("../x", "a/b", "", "a" * 65, ".", "a\n"):
        with pytest.raises(SettingError):
            owner.put(bad, b"frame")


def test_nobody_at_home_is_unreachable(trial: Trial) -> None:
    """The courier tries again then."""
    context = client_context(trial.parties["north"].credentials)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # so that nobody else can come to listen there
        with (
            UnitClient(f"https://127.0.0.1:{taken.getsockname()[1]}", context, "alpha") as client,
            pytest.raises(Unreachable),
        ):
            client.put("m1", b"frame")
