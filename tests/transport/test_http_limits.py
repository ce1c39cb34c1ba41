"""Sizes: what is too large is refused before it is read."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_unit import Live, bare, connected, listening, raw, status_of
from memory_unit import SECRET, MemoryUnit
from trial_certificates import Identity
from trial_project import Trial

from http_answers import read_answer
from patience import wait_until
from unveil.protocol.roles import Role
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.reading import depth
from unveil.transport.http.tls import client_context

PUT = b"PUT /v1/projects/alpha/messages/m1 HTTP/1.1\r\nHost: x\r\n"
FRAME = b"Content-Type: application/octet-stream\r\n"


def _as_north(trial: Trial, live: Live, sent: bytes) -> int:
    north = trial.parties["north"]
    return status_of(raw(live, north, sent, authority=north))


@pytest.mark.parametrize("length", [b"8388609", b"99999999999999999999", b"18446744073709551615"])
def test_a_huge_length_is_refused_at_once(trial: Trial, live: Live, length: bytes) -> None:
    """Only a few bytes of the body ever come; the unit does not wait for them."""
    status = _as_north(trial, live, PUT + FRAME + b"Content-Length: " + length + b"\r\n\r\nabc")
    assert status in {413, 400}  # 400: more than a length can be; one who is waited for is cut off without an answer


def test_a_huge_length_from_a_stranger_is_refused_like_anything_else(trial: Trial, live: Live) -> None:
    """Recognition comes before everything."""
    sent = PUT + FRAME + b"Content-Length: 99999999999\r\n\r\nabc"
    assert 403 == status_of(raw(live, None, sent, authority=trial.parties["north"]))


def test_a_body_without_a_length_is_counted_while_it_is_read(trial: Trial, record_unit: MemoryUnit) -> None:
    """Chunked encoding announces nothing."""
    with listening(record_unit, trial.parties["record unit"], limits=RequestLimits(frame=100_000)) as live:
        head = PUT + FRAME + b"Transfer-Encoding: chunked\r\n\r\n"
        chunk = b"c350\r\n" + b"x" * 50_000 + b"\r\n"
        assert 204 == _as_north(trial, live, head + 2 * chunk + b"0\r\n\r\n")
        assert 413 == _as_north(trial, live, head + 2 * chunk + b"1\r\nx\r\n")
    assert {"m1": b"x" * 100_000} == record_unit.taken


def test_a_caller_who_goes_on_sending_after_a_refusal_is_cut_off(trial: Trial, record_unit: MemoryUnit) -> None:
    """A little is read and dropped so that the answer can be seen, but not without end."""
    with (
        listening(record_unit, trial.parties["record unit"], limits=RequestLimits(frame=1000)) as live,
        connected(live) as plain,
        bare(trial.parties["north"]).wrap_socket(plain, server_hostname=live.host) as secure,
    ):
        secure.sendall(PUT + FRAME + b"Content-Length: 99999999999\r\n\r\n")
        assert 403 == status_of(read_answer(secure))
        with pytest.raises((ConnectionError, ssl.SSLError)):
            _send_without_end(secure)


def _send_without_end(secure: socket.socket) -> None:
    for _ in range(1000):
        secure.sendall(b"x" * 100_000)


def test_a_caller_who_takes_too_long_over_a_request_is_cut_off(trial: Trial, record_unit: MemoryUnit) -> None:
    """Otherwise a few idle connections would use up all there are."""
    north = trial.parties["north"]
    with listening(record_unit, trial.parties["record unit"], limits=RequestLimits(receive_s=0.3)) as live:
        for sent in (b"", PUT, PUT + FRAME + b"Content-Length: 10\r\n\r\nabc"):
            with (
                connected(live) as plain,
                client_context(north.credentials).wrap_socket(plain, server_hostname=live.host) as secure,
            ):
                assert b"" == _all_that_comes(secure, sent)


def _all_that_comes(secure: socket.socket, sent: bytes) -> bytes:
    """The answer to these bytes; none if the connection ends, which may be while they are sent."""
    try:
        secure.sendall(sent)
        return secure.recv(1000)
    except ConnectionError:
        return b""
    except OSError as error:
        assert "EOF" in str(error)
        return b""


def test_connections_are_bounded(trial: Trial, record_unit: MemoryUnit) -> None:
    """Whoever comes when all are taken is turned away; as soon as one is free the next is served."""
    north, health = trial.parties["north"], b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with listening(record_unit, trial.parties["record unit"], limits=RequestLimits(connections=1)) as live:
        with (
            connected(live) as plain,
            bare(north).wrap_socket(plain, server_hostname=live.host) as secure,
        ):
            secure.sendall(health)
            assert 200 == status_of(read_answer(secure))
            with contextlib.suppress(OSError):
                assert b"" == raw(live, None, health, authority=north)
        wait_until(lambda: _served(live, health, authority=north), "the connection that is free again is given away")


def _served(live: Live, sent: bytes, *, authority: Identity) -> bool:
    with contextlib.suppress(OSError):
        return raw(live, None, sent, authority=authority).startswith(b"HTTP/1.1 200")
    return False


@pytest.mark.parametrize("encoding", [b"gzip", b"identity", b"deflate, gzip"])
def test_encoded_bodies_are_refused(trial: Trial, live: Live, encoding: bytes) -> None:
    """What is counted must be what is held."""
    sent = PUT + FRAME + b"Content-Encoding: " + encoding + b"\r\nContent-Length: 3\r\n\r\nabc"
    assert 415 == _as_north(trial, live, sent)


@pytest.mark.parametrize(
    "kind", [b"", b"Content-Type: application/json\r\n", b"Content-Type: text/plain\r\n", 2 * FRAME]
)
def test_other_media_types_are_refused(trial: Trial, live: Live, kind: bytes) -> None:
    """A frame is bytes and says so."""
    assert 415 == _as_north(trial, live, PUT + kind + b"Content-Length: 3\r\n\r\nabc")


@pytest.mark.parametrize(
    ("target", "expected"),
    [("?wait=1&wait=2", 422), ("?wait=31", 422), ("?wait=-1", 422), ("?wait=x", 422), ("?later=1", 422),
     ("?wait=0&x", 422), ("?wait=" + "0" * 1100, 422), ("?wait=0", 204), ("", 204)],
)  # fmt: skip
def test_queries_are_exactly_as_declared(trial: Trial, live: Live, target: str, expected: int) -> None:
    """An unknown parameter is a misunderstanding, not noise."""
    sent = f"GET /v1/projects/alpha/mailbox{target} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    assert expected == _as_north(trial, live, sent)


def test_endpoints_that_take_no_body_take_none(trial: Trial, live: Live) -> None:
    """Not even a small one."""
    sent = b"GET /v1/projects/alpha HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"
    assert 413 == _as_north(trial, live, sent)


def test_heads_are_bounded(trial: Trial, live: Live) -> None:
    """A large one is answered, an enormous one is cut off."""
    get = b"GET /v1/projects/alpha HTTP/1.1\r\nHost: x\r\n"
    large = b"".join(b"X-%d: %s\r\n" % (i, b"x" * 1000) for i in range(20))
    assert 413 == _as_north(trial, live, get + large + b"\r\n")
    enormous = b"".join(b"X-%d: %s\r\n" % (i, b"x" * 1000) for i in range(80))
    assert 400 == _as_north(trial, live, get + enormous + b"\r\n")
    assert 400 == _as_north(trial, live, b"GET /" + b"x" * 80_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")


@pytest.fixture(scope="module")
def review(trial: Trial) -> Iterator[Live]:
    with listening(trial.unit(Role.REVIEW_UNIT), trial.parties["review unit"]) as live:
        yield live


CELL = {"attribute": "city", "stage": "full"}


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 60_000,
        b'{"attribute":' * 4000 + b"1",
        b"",
        b"null",
        b"\xff\xfe",
        b"9" * 5000,
        b'{"attribute": "\\ud800", "stage": "full"}',
        json.dumps(CELL | {SECRET: 1}).encode(),
        json.dumps(CELL | {"attribute": SECRET * 10}).encode(),
        json.dumps({"attribute": "city"}).encode(),
        json.dumps(CELL | {"stage": "masked"}).encode(),
        json.dumps(CELL | {"attribute": 1}).encode(),
    ],
    ids=["deep list", "deep object", "empty", "null", "not text", "long number", "half a character", "unknown field",
         "long value", "missing field", "unknown stage", "wrong type"],
)  # fmt: skip
def test_json_that_is_not_as_declared_is_refused_without_quoting_it(trial: Trial, review: Live, body: bytes) -> None:
    """Depth bombs, unknown fields and wrong types alike; an error that quoted them would carry values into logs."""
    answer = _post(trial, review, body)
    assert 422 == status_of(answer)
    assert SECRET.encode() not in answer
    assert SECRET not in review.logged.getvalue()


def test_json_over_its_limit_is_refused(trial: Trial, review: Live) -> None:
    """Small questions have small bodies."""
    assert 413 == status_of(_post(trial, review, b'"' + b"x" * 65_536 + b'"'))
    assert 200 == status_of(_post(trial, review, json.dumps(CELL).encode() + b" " * 60_000))


@pytest.mark.parametrize("p", ["0.49", "1.01", "NaN", "Infinity", "null", '"1"'])
def test_a_verdict_needs_a_probability(trial: Trial, review: Live, p: str) -> None:
    """Python's JSON would let NaN through."""
    body = f'{{"match": true, "p": {p}}}'.encode()
    assert 422 == status_of(_post(trial, review, body, method="PUT", path="verdict"))


def _post(trial: Trial, live: Live, body: bytes, *, method: str = "POST", path: str = "cells") -> bytes:
    head = (
        f"{method} /v1/projects/alpha/tasks/t1/{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer reviewer-token\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return raw(live, None, head.encode() + body, authority=trial.parties["north"])


@given(
    st.recursive(
        st.none() | st.text() | st.floats(allow_nan=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_depth_is_counted_without_parsing(value: object) -> None:
    """Brackets within strings do not count, however they are escaped."""

    def deep(part: object) -> int:
        if isinstance(part, dict):
            return 1 + max((deep(inner) for inner in part.values()), default=0)
        return 1 + max((deep(inner) for inner in part), default=0) if isinstance(part, list) else 0

    assert deep(value) == depth(json.dumps(value).encode())
    assert deep(value) == depth(json.dumps(value, ensure_ascii=False).encode())
