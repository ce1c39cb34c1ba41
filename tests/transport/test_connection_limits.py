"""Connections that hold on: silent, slow, deaf or greedy ones keep nobody else out."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator

import pytest
from live_unit import Live, bare, connected, listening, raw, status_of
from memory_unit import MemoryUnit
from trial_certificates import Identity
from trial_project import Trial

import unveil.transport.http.server
from http_answers import read_answer
from patience import PATIENCE, wait_until
from unveil.protocol.roles import Role
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.tls import client_context

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
SOON = 45.0  # seconds; less than the times after which a connection ends anyway, far more than those set here
CUT = (ConnectionError, ssl.SSLError)


def _put(message_id: str, *, length: int) -> bytes:
    head = f"PUT /v1/projects/alpha/messages/{message_id} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n"
    return head.encode() + b"Content-Type: application/octet-stream\r\n\r\n"


def _get(project: str, rest: str = "") -> bytes:
    return f"GET /v1/projects/{project}{rest} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


@contextlib.contextmanager
def _line(live: Live, trial: Trial, name: str | None = None) -> Iterator[ssl.SSLSocket]:
    """A TLS connection of that party, or of a stranger."""
    context = client_context(trial.parties[name].credentials) if name else bare(trial.parties["north"])
    with connected(live) as plain, context.wrap_socket(plain, server_hostname=live.host) as secure:
        yield secure


def _ask(live: Live, trial: Trial, sent: bytes, name: str | None = None) -> int:
    """The status of the answer; 0 if the connection is cut before."""
    who: Identity | None = trial.parties[name] if name else None
    try:
        answer = raw(live, who, sent, authority=trial.parties["north"])
    except CUT:
        return 0
    return status_of(answer) if answer else 0


def _ends(plain: socket.socket) -> bool:
    """Whether the unit ends the connection soon, without a word."""
    plain.settimeout(SOON)
    try:
        return plain.recv(1000) == b""
    except TimeoutError:
        return False
    except CUT:
        return True


def test_a_request_before_the_last_one_is_answered_ends_the_connection(trial: Trial) -> None:
    """Requests that wait in a queue take memory, and anybody could send any number of them."""
    unit = trial.unit(Role.RECORD_UNIT)
    unit.hold = threading.Event()
    try:
        with listening(unit, trial.parties["record unit"]) as live, _line(live, trial, "north") as north:
            north.sendall(_put("m1", length=1) + b"x")
            assert unit.taking.wait(PATIENCE)
            north.sendall(_put("m2", length=1) + b"x")
            north.settimeout(SOON)
            assert 400 == status_of(read_answer(north))
            unit.hold.set()
            wait_until(lambda: unit.taken, "the first request is done")
    finally:
        unit.hold.set()
    assert {"m1"} == set(unit.taken)


def test_requests_one_after_the_other_share_a_connection(trial: Trial, live: Live, record_unit: MemoryUnit) -> None:
    """Also after one that was refused before its body had come."""
    with _line(live, trial, "north") as north:
        for sent, expected in (
            (HEALTH, 200),
            (_put("m1", length=1) + b"x", 204),
            (_put("m2", length=99_999_999) + b"x" * 99, 413),
        ):
            north.sendall(sent)
            assert expected == status_of(read_answer(north))
    with _line(live, trial) as stranger:
        for _ in range(3):
            stranger.sendall(_put("m3", length=100_000))
            assert 403 == status_of(read_answer(stranger))
            stranger.sendall(b"x" * 100_000)
    assert {"m1"} == set(record_unit.taken)


def test_silent_connections_count(trial: Trial, record_unit: MemoryUnit) -> None:
    """The buffers for TLS are there before the first word of it, so they have to be bounded as well."""
    with listening(record_unit, trial.parties["record unit"], limits=RequestLimits(connections=3)) as live:
        with contextlib.ExitStack() as silent:
            for _ in range(3):
                silent.enter_context(connected(live))
            assert 0 == _ask(live, trial, HEALTH)
        wait_until(lambda: _ask(live, trial, HEALTH) == 200, "there is room again")


def test_a_handshake_that_does_not_get_on_is_cut_off(
    trial: Trial, record_unit: MemoryUnit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is recognised before it is done."""
    monkeypatch.setattr(unveil.transport.http.server, "_HANDSHAKE", 0.2, raising=False)
    with listening(record_unit, trial.parties["record unit"]) as live, connected(live) as plain:
        assert _ends(plain)


def test_a_caller_who_takes_no_answers_is_cut_off(trial: Trial, record_unit: MemoryUnit) -> None:
    """The next answer waits until the last is taken, so that they do not pile up; but it does not wait for ever."""
    record_unit.mailbox.append(("m1", bytes(32 << 20)))  # more than a socket holds
    limits = RequestLimits(receive_s=2, connections=1)
    with (
        listening(record_unit, trial.parties["record unit"], limits=limits) as live,
        _line(live, trial, "north") as deaf,
    ):
        deaf.sendall(_get("alpha", "/mailbox"))
        assert deaf.recv(1)  # and no more of it
        deaf.sendall(_get("alpha", "/mailbox"))
        assert _served_soon(live, trial)


def _served_soon(live: Live, trial: Trial) -> bool:
    done = threading.Event()
    timer = threading.Timer(SOON, done.set)
    timer.start()
    try:
        while not done.is_set():
            if _ask(live, trial, HEALTH) == 200:
                return True
            done.wait(0.1)
        return False
    finally:
        timer.cancel()


@pytest.mark.parametrize(
    ("first", "then"), [(HEALTH, b"\r\n"), (_put("m1", length=3), b"abc")], ids=["a blank line", "a refused body"]
)
def test_idle_connections_end_whatever_came_last(
    trial: Trial, record_unit: MemoryUnit, first: bytes, then: bytes
) -> None:
    """Bytes that begin no request would keep a connection for ever, and a few hundred of those would be all."""
    limits = RequestLimits(receive_s=2)
    with (
        listening(record_unit, trial.parties["record unit"], limits=limits) as live,
        _line(live, trial) as stranger,
    ):
        stranger.sendall(first)
        assert status_of(read_answer(stranger)) in {200, 403}
        stranger.sendall(then)
        assert _ends(stranger)


def test_a_header_without_end_is_cut_off(trial: Trial, live: Live) -> None:
    """The parser shows headers when they are whole, and holds them until then."""
    with _line(live, trial) as stranger:
        stranger.settimeout(SOON)
        with contextlib.suppress(*CUT):
            stranger.sendall(b"GET /healthz HTTP/1.1\r\nHost: ")
            for _ in range(64):
                stranger.sendall(b"x" * (16 << 10))
        assert read_answer(stranger)[:12] in {b"HTTP/1.1 400", b""}


@pytest.mark.parametrize(("count", "expected"), [(100, 200), (300, 413), (2000, 400)])
def test_headers_weigh_more_than_their_text(trial: Trial, live: Live, count: int, expected: int) -> None:
    """Each is held as a pair of objects, however short it is."""
    sent = HEALTH.removesuffix(b"\r\n") + b"ab:\r\n" * count + b"\r\n"
    assert expected == _ask(live, trial, sent)


@pytest.mark.parametrize(("path", "name"), [("/healthz", None), ("/v1/projects/alpha", "north")])
def test_endpoints_without_a_body_do_not_wait_for_chunks(trial: Trial, live: Live, path: str, name: str | None) -> None:
    """A chunked body announces no length, and may never come."""
    sent = f"GET {path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert 413 == _ask(live, trial, sent.encode(), name)


def test_health_is_told_while_the_hands_are_full(trial: Trial) -> None:
    """It takes no place, or strangers could take them all by asking for it."""
    unit = trial.unit(Role.RECORD_UNIT)
    limits = RequestLimits(requests=1, receive_s=PATIENCE)
    with listening(unit, trial.parties["record unit"], limits=limits) as live, contextlib.ExitStack() as lines:

        def is_taken() -> bool:
            """The question itself takes the place for a moment, so one that found it taken asks anew."""
            lines.enter_context(_line(live, trial, "north")).sendall(_put("m1", length=1))
            return 503 == _ask(live, trial, _get("beta"), "south")

        wait_until(is_taken, "the only place is taken")
        assert 200 == _ask(live, trial, HEALTH)


@pytest.mark.parametrize(
    ("limits", "held", "asked", "expected"),
    [
        (RequestLimits(requests=8, receive_s=PATIENCE), _put("m1", length=1), "", 200),
        (RequestLimits(polls=8, wait_s=PATIENCE), _get("alpha", "/mailbox?wait=30"), "/mailbox", 204),
    ],
    ids=["bodies that do not come", "long polls"],
)
def test_a_caller_gets_a_share_of_the_places(
    trial: Trial, limits: RequestLimits, held: bytes, asked: str, expected: int
) -> None:
    """One owner that holds all it can get leaves room for another project's."""
    unit = trial.unit(Role.RECORD_UNIT)
    with listening(unit, trial.parties["record unit"], limits=limits) as live, contextlib.ExitStack() as lines:

        def is_used_up() -> bool:
            """The question itself takes a place for a moment, so one that found none asks anew."""
            lines.enter_context(_line(live, trial, "north")).sendall(held)
            return 503 == _ask(live, trial, _get("alpha", asked), "north")

        wait_until(is_used_up, "the share is used up")
        assert expected == _ask(live, trial, _get("beta", asked), "south")
