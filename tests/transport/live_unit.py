"""A unit that really listens, in a thread of the test's process."""

from __future__ import annotations

import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from trial_certificates import Identity

from http_answers import read_answer
from patience import PATIENCE
from unveil.transport.http.app import application
from unveil.transport.http.endpoint import Endpoint
from unveil.transport.http.endpoints import ENDPOINTS
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.server import UnitServer
from unveil.transport.http.tls import client_context, server_context
from unveil.transport.logs import logger
from unveil.transport.port import UnitPort


@dataclass
class Live:
    """Where it listens and what it logged."""

    host: str
    port: int
    logged: io.StringIO

    @property
    def address(self) -> str:
        """Its URL."""
        return f"https://{self.host}:{self.port}"


@contextmanager
def listening(
    unit: UnitPort,
    identity: Identity,
    *,
    limits: RequestLimits | None = None,
    clock: Callable[[], float] = time.time,
    endpoints: Sequence[Endpoint] = ENDPOINTS,
) -> Iterator[Live]:
    """Serve a unit over TLS until the block ends."""
    live, ready = Live("", 0, io.StringIO()), threading.Event()

    def on_ready(host: str, port: int) -> None:
        live.host, live.port = host, port
        ready.set()

    limits = limits or RequestLimits()
    app = application(unit, limits=limits, clock=clock, log=logger(live.logged), endpoints=endpoints)
    server = UnitServer(app, server_context(identity.credentials), "127.0.0.1", 0, on_ready)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield live
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def raw(live: Live, identity: Identity | None, sent: bytes, *, authority: Identity) -> bytes:
    """All bytes that come back for these bytes over TLS, until the answer is complete or the connection ends."""
    context = client_context(identity.credentials) if identity else bare(authority)
    with connected(live) as plain, context.wrap_socket(plain, server_hostname=live.host) as secure:
        secure.sendall(sent)
        return read_answer(secure)


def connected(live: Live) -> socket.socket:
    """A connection over which nothing was said yet."""
    return socket.create_connection((live.host, live.port), timeout=PATIENCE)


def bare(authority: Identity) -> ssl.SSLContext:
    """What somebody without a certificate calls with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(authority.credentials.authority)
    return context


def status_of(answer: bytes) -> int:
    """The status of an answer."""
    return int(answer.split(b" ", 2)[1])
