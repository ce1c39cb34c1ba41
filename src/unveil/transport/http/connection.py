"""
A connection from anybody, before the gate sees what it asks.

It is bounded in the size of what it may send unread, and in the time it may take over it and over taking the answer. It
asks one thing at a time: the next request may come once the last is answered. So nobody can hold the unit up without
having been recognised.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from unveil.transport.http.deadline import Deadline
from unveil.transport.http.gate import PEER
from unveil.transport.http.limits import RequestLimits, weight
from unveil.transport.http.tls import Peer, peer_of

_GOODBYE = 0.5  # seconds for the other side of an idle connection to say goodbye when the unit stops
_HEAD_SLACK = 4  # a head this many times over its limit is cut off instead of answered


class Connection(HttpToolsProtocol):
    """One connection: knows whose certificate it came with, and bounds what is sent before the gate sees it."""

    def __init__(self, config: uvicorn.Config, **others: Any) -> None:
        super().__init__(config, **others)
        self._limits: RequestLimits = config.app.state.limits  # type: ignore[union-attr]
        self._largest_head = _HEAD_SLACK * self._limits.headers
        self._peer: Peer | None = None
        self._sending = Deadline(self._cut, self._limits.receive_s)
        self._taking = Deadline(self._cut, self._limits.receive_s)
        self._head = self._ignored = self._unseen = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """TLS is agreed on; from now on the caller has to ask something."""
        super().connection_made(transport)
        tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
        certificate = tls.getpeercert(binary_form=True) if tls else None
        self._peer = peer_of(certificate) if certificate else None
        self._sending.start()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended."""
        self._sending.stop()
        self._taking.stop()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close; an idle client does not read, so TLS would wait for its goodbye until the grace is over."""
        super().shutdown()
        if self.transport.is_closing():
            self.loop.call_later(_GOODBYE, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        """Read on. The parser shows whole headers only, so what it holds back of an endless one is counted here."""
        self._unseen += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._unseen > self._largest_head:
            self.send_400_response("the head of the request is too large")
        elif self._is_answered and self.timeout_keep_alive_task is None and not self._sending.running:
            # Any byte ends the time for which an idle connection is kept, also one that begins no request.
            self._sending.start()

    def pause_writing(self) -> None:
        """Answers pile up, for the caller does not read them: not for ever."""
        self._taking.start()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The caller has read most of what piled up."""
        self._taking.stop()
        super().resume_writing()

    def on_message_begin(self) -> None:
        """A request begins; ValueError becomes 400 and the end of the connection, here and below."""
        if not self._is_answered:
            # The library would queue it, and any number of others.
            raise ValueError("a request came before the last one was answered")
        super().on_message_begin()
        self.scope[PEER] = self._peer  # type: ignore[typeddict-unknown-key]
        self._head = self._ignored = 0
        self._sending.start()

    def on_url(self, url: bytes) -> None:
        """A piece of what is asked for."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer of the body."""
        self._count_head(weight(name, value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is whole; from here on the gate decides."""
        self._unseen = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._unseen = 0
        super().on_body(body)
        if self.cycle.response_complete:
            # Refused already. A little is read and dropped, so that the caller gets to see the answer.
            self._ignored += len(body)
            if self._ignored > 2 * self._limits.frame:
                self.transport.abort()

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._unseen = 0
        self._sending.stop()
        super().on_message_complete()

    @property
    def _is_answered(self) -> bool:
        """Whether nothing that came over this connection waits for an answer."""
        return self.cycle is None or self.cycle.response_complete

    def _count_head(self, size: int) -> None:
        self._unseen = 0
        self._head += size
        if self._head > self._largest_head:
            raise ValueError("the head of the request is too large")

    def _cut(self) -> None:
        self.transport.abort()
