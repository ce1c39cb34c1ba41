"""The client against something that is not a unit."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from live_unit import Live
from memory_unit import MemoryUnit
from trial_project import Trial

from patience import PATIENCE
from unveil.transport.failures import Rejected, Unreachable
from unveil.transport.http import client as client_module
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import client_context, server_context


@contextmanager
def _answering(trial: Trial, answer: bytes) -> Iterator[str]:
    """Something that gives the same answer to the first who calls, whatever they say."""
    context = server_context(trial.parties["record unit"].credentials)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)

        def serve() -> None:
            plain, _ = listener.accept()
            # A caller that has seen enough may be gone before all of it is said.
            with suppress(OSError), context.wrap_socket(plain, server_side=True) as secure:
                secure.recv(65536)
                secure.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            thread.join()


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        OK + b"\r\n{}",
        OK + b"Unveil-Message-Id: ../x\r\n\r\n{}",
        OK + b"Unveil-Message-Id: m1\r\nContent-Encoding: gzip\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nUnveil-Message-Id: m1\r\nContent-Length: 2000\r\n\r\n" + b"x" * 2000,
        b"SSH-2.0-OpenSSH\r\n",
        b"",
    ],
    ids=["redirect", "not found", "no id", "odd id", "encoded", "too large", "not HTTP", "nothing"],
)
def test_answers_that_no_unit_would_give_are_not_taken(
    trial: Trial, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redirects lead elsewhere, encodings blow up, ids become parts of paths."""
    monkeypatch.setattr(client_module, "_LARGEST_FRAME", 1000)
    context = client_context(trial.parties["north"].credentials)
    with (
        _answering(trial, answer) as address,
        UnitClient(address, context, "alpha") as client,
        pytest.raises(Unreachable),
    ):
        client.mail()


def test_a_problem_is_shown_as_plain_text_of_bounded_length(trial: Trial) -> None:
    """It ends up on somebody's terminal."""
    body = b'{"problem": "\\u001b[2J' + b"x" * 1000 + b'"}'
    answer = b"HTTP/1.1 422 No\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    context = client_context(trial.parties["north"].credentials)
    with (
        _answering(trial, answer) as address,
        UnitClient(address, context, "alpha") as client,
        pytest.raises(Rejected) as raised,
    ):
        client.status()
    assert "[2J" + "x" * 296 == raised.value.problem


def test_proxies_of_the_environment_are_not_used(
    trial: Trial, live: Live, record_unit: MemoryUnit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages go to the unit and nowhere else."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with UnitClient(live.address, client_context(trial.parties["north"].credentials), "alpha") as client:
        client.put("m1", b"frame")
    assert {"m1": b"frame"} == record_unit.taken


def test_a_client_that_was_closed_says_so_to_a_thread_that_still_calls(trial: Trial, live: Live) -> None:
    """Whoever stops closes its clients, while a fetcher may be about to call once more."""
    client = UnitClient(live.address, client_context(trial.parties["north"].credentials), "alpha")
    client.close()
    with pytest.raises(Unreachable, match="closed here"):
        client.put("m1", b"frame")
