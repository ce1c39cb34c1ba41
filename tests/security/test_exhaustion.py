"""Strangers and parties that take all they can get: the real units stay in bounds and go on serving the others."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from live_units import Line, LiveUnits, parted, serving

from http_answers import read_answer
from patience import wait_until
from unveil.transport.http.limits import RequestLimits

UNIT = "record-unit"
ALLOWED = 96 << 20  # bytes by which the units' process may grow; each of these attacks used to take far more
SOON = 45.0  # seconds; less than a connection has for its first request
CUT = (ConnectionError, ssl.SSLError)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveUnits]:
    """Units whose memory grows by what is done here and by nothing else."""
    with serving(tmp_path_factory.mktemp("exhausted")) as live:
        assert 200 == _status(live, "alpha")
        yield live


def _status(units: LiveUnits, project: str) -> int:
    """What an owner of the project is answered; 0 if it is cut off."""
    try:
        with units.line(UNIT, f"{project}-north") as line:
            return parted(line.ask("GET", f"/v1/projects/{project}"))[0]
    except CUT:
        return 0


def _open_files(units: LiveUnits) -> int:
    return len(list(Path(f"/proc/{units.pid}/fd").iterdir()))


def test_requests_whose_answers_nobody_reads_are_not_queued(alone: LiveUnits) -> None:
    """One connection of a stranger, and a hundred bytes of memory for every byte that it sends: no more."""
    before = alone.memory()
    requests = b"GET /x HTTP/1.1\r\n\r\n" * 4000
    with alone.line(UNIT) as stranger:
        stranger.socket.settimeout(SOON)
        with pytest.raises(CUT):
            _send_again_and_again(stranger, requests)
    assert alone.memory() - before < ALLOWED
    assert 200 == _status(alone, "alpha")


def _send_again_and_again(line: Line, sent: bytes) -> None:
    for _ in range(200):  # 15 MB, more than the sockets hold
        line.socket.sendall(sent)


def test_heads_of_very_many_headers_are_not_held(alone: LiveUnits) -> None:
    """Thousands of headers in a few kilobytes each weigh as objects, not as bytes."""
    before = alone.memory()
    head = b"GET /healthz HTTP/1.1\r\n" + b"ab:\r\n" * 32_000
    with ExitStack() as held:
        strangers = [held.enter_context(alone.line(UNIT)) for _ in range(64)]
        for stranger in strangers:
            with suppress(*CUT):
                stranger.socket.sendall(head)
        for stranger in strangers:  # and the end of the head is never sent
            stranger.socket.settimeout(SOON)
            assert read_answer(stranger.socket)[:12] in {b"HTTP/1.1 400", b""}
        assert alone.memory() - before < ALLOWED
        assert 200 == _status(alone, "alpha")


def test_silent_connections_are_bounded(units: LiveUnits) -> None:
    """Each holds the buffers of a handshake that it never begins."""
    before, most = _open_files(units), RequestLimits().connections
    with ExitStack() as held:
        for _ in range(most + 300):
            last = held.enter_context(socket.create_connection(units.address(UNIT), timeout=SOON))
        with suppress(*CUT):
            assert b"" == last.recv(1)
        assert _open_files(units) - before <= most + 20
    wait_until(lambda: _status(units, "alpha") == 200, "owners are served again")


def test_strangers_who_send_no_body_keep_nobody_out(units: LiveUnits) -> None:
    """More of them than there are places, each with a body in chunks that never come."""
    ask = b"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    with ExitStack() as held:
        for stranger in _lines(units, held, None):
            assert 413 == parted(stranger.send(ask))[0]
        assert 200 == _status(units, "alpha")
        assert 200 == _status(units, "beta")


def test_an_owner_who_sends_no_bodies_keeps_only_itself_out(units: LiveUnits) -> None:
    """Every place it gets is lost for a minute; the other project goes on."""
    head = (
        b"PUT /v1/projects/beta/messages/m HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n"
        b"Content-Type: application/octet-stream\r\n\r\n"
    )
    with ExitStack() as held:

        def has_all() -> bool:
            """The question itself takes a place for a moment, so one that found none asks anew."""
            held.enter_context(units.line(UNIT, "beta-north")).socket.sendall(head)
            return 503 == _status(units, "beta")

        for slow in _lines(units, held, "beta-north"):
            slow.socket.sendall(head)
        wait_until(has_all, "it has got all it can get")
        assert 200 == _status(units, "alpha")
    wait_until(lambda: _status(units, "beta") == 200, "its places are free again")


def _lines(units: LiveUnits, held: ExitStack, identity: str | None) -> list[Line]:
    """As many connections as there are places, and some more."""
    return [held.enter_context(units.line(UNIT, identity)) for _ in range(RequestLimits().requests + 8)]
