"""HTTP answers as they come over a connection, byte for byte."""

from __future__ import annotations

import socket


def read_answer(connection: socket.socket) -> bytes:
    """One answer; what there is of it when the connection ends, in whatever way. One that never comes is an error."""
    got = b""
    while True:
        head, end, body = got.partition(b"\r\n\r\n")
        if end:
            sizes = [int(row.split(b":")[1]) for row in head.split(b"\r\n") if row.startswith(b"content-length:")]
            if len(body) >= (sizes or [0])[0]:
                return got
        try:
            part = connection.recv(65536)
        except TimeoutError:
            raise
        except OSError:
            part = b""
        if not part:
            return got
        got += part
