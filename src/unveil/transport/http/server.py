"""Serves a unit's application over TLS until the process is told to stop."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from unveil.transport.failures import CannotListen
from unveil.transport.http.connection import Connection
from unveil.transport.http.listener import Listener

OnReady = Callable[[str, int], None]
_KEEP_ALIVE = 75  # seconds an idle connection is kept; clients drop theirs a little earlier
_GRACE = 10  # seconds for requests at work when the unit stops
_HANDSHAKE = 10  # seconds for a caller to agree on TLS; nothing is known of it before


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
            http=Connection,
            loop="asyncio",  # others would not ask the listener whether a connection may be accepted
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
        self._address, self._connections = (host, port), app.state.limits.connections
        self._server = _Server(config, app, on_ready)

    def run(self) -> None:
        """Listen and answer until stopped."""
        host, port = self._address
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with Listener(family, most=self._connections) as listener:
            try:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind((host, port))
            except OSError as error:
                raise CannotListen(host, port, error.strerror) from None
            self._server.run(sockets=[listener])

    def stop(self) -> None:
        """End soon."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: FastAPI, on_ready: OnReady) -> None:
        super().__init__(config)
        self._app, self._on_ready = app, on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; unlike the library's way, with an end to handshakes that do not get on."""
        assert sockets is not None
        loop = asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(
                self._connection, sock=each, ssl=self.config.ssl, backlog=self.config.backlog,
                ssl_handshake_timeout=_HANDSHAKE,
            )
            for each in sockets
        ]  # fmt: skip
        self.started = True
        host, port = sockets[0].getsockname()[:2]
        self._on_ready(host, port)

    def _connection(self) -> Connection:
        return Connection(self.config, server_state=self.server_state, app_state={})

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.bell.close()  # or long polls would keep the unit from stopping
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; unlike the library's way, the signal is not raised again afterwards, so the process ends with 0."""
        del sig, frame
        self.should_exit = True
