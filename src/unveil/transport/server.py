"""
Serves a unit's application over TLS until the process is told to stop.

Connections are bounded in number, in the size of what they may send unread, and in the time they may take over it, so
that nobody can hold the unit up without having been recognised.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from unveil.errors import SettingError
from unveil.transport.gate import PEER
from unveil.transport.limits import Limits
from unveil.transport.tls import Peer, peer_of

OnReady = Callable[[str, int], None]
_KEEP_ALIVE = 75  # seconds an idle connection is kept; clients drop theirs a little earlier
_GRACE = 10  # seconds for requests at work when the unit stops
_GOODBYE = 0.5  # seconds for the other side of an idle connection to say goodbye when the unit stops
_HEAD_SLACK = 4  # a head this many times over its limit is cut off instead of answered


def serve(app: FastAPI, tls: ssl.SSLContext, host: str, port: int, on_ready: OnReady) -> None:
    """Answer requests until SIGTERM or SIGINT; requests at work are finished first. Port 0 picks a free one."""
    UnitServer(app, tls, host, port, on_ready).run()


def ready_file(path: Path) -> OnReady:
    """Tell through a file on which host and port the unit listens. The file appears complete or not at all."""

    def write(host: str, port: int) -> None:
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps({"host": host, "port": port}), encoding="utf-8")
        part.replace(path)

    return write


class UnitServer:
    """A server that can also be stopped from another thread."""

    def __init__(self, app: FastAPI, tls: ssl.SSLContext, host: str, port: int, on_ready: OnReady) -> None:
        config = uvicorn.Config(
            app,
            http=_Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=_GRACE,
            ssl_context_factory=lambda _config, _default: tls,
        )
        self._address = (host, port)
        self._server = _Server(config, app, on_ready)

    def run(self) -> None:
        """Listen and answer until stopped."""
        host, port = self._address
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # Only sockets that say they are TCP are made by asyncio to send small answers at once; others wait 40 ms.
        with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
            try:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind((host, port))
            except OSError as error:
                raise SettingError(f"cannot listen on {host}:{port}: {error.strerror}") from None
            self._server.run(sockets=[listener])

    def stop(self) -> None:
        """End soon."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: FastAPI, on_ready: OnReady) -> None:
        super().__init__(config)
        self._app, self._on_ready = app, on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets is not None
        host, port = sockets[0].getsockname()[:2]
        self._on_ready(host, port)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.bell.close()  # or long polls would keep the unit from stopping
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; unlike the library's way, the signal is not raised again afterwards, so the process ends with 0."""
        del sig, frame
        self.should_exit = True


class _Connection(HttpToolsProtocol):
    """One connection: knows whose certificate it came with, and bounds what is sent before the gate sees it."""

    def __init__(self, config: uvicorn.Config, **others: Any) -> None:  # noqa: ANN401 - passed on as they are
        super().__init__(config, **others)
        self._limits: Limits = config.app.state.limits  # type: ignore[union-attr]
        self._peer: Peer | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._head = self._ignored = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
            transport.abort()
            return
        tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
        certificate = tls.getpeercert(binary_form=True) if tls else None
        self._peer = peer_of(certificate) if certificate else None
        self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_deadline()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close; an idle client does not read, so TLS would wait for its goodbye until the grace is over."""
        super().shutdown()
        if self.transport.is_closing():
            self.loop.call_later(_GOODBYE, self.transport.abort)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope[PEER] = self._peer  # type: ignore[typeddict-unknown-key]
        self._head = self._ignored = 0
        self._start_deadline()

    def on_url(self, url: bytes) -> None:
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value))
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        if self.cycle.response_complete:
            # Refused already. A little is read and dropped, so that the caller gets to see the answer.
            self._ignored += len(body)
            if self._ignored > 2 * self._limits.frame:
                self.transport.abort()

    def on_message_complete(self) -> None:
        self._stop_deadline()
        super().on_message_complete()

    def _count_head(self, size: int) -> None:
        self._head += size
        if self._head > _HEAD_SLACK * self._limits.headers:
            raise ValueError("the head of the request is too large")  # becomes 400 and the end of the connection

    def _start_deadline(self) -> None:
        self._stop_deadline()
        self._deadline = self.loop.call_later(self._limits.receive_s, self._too_slow)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self.transport.abort()
