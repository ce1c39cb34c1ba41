"""Whether this machine could listen at an address now."""

from __future__ import annotations

import socket


def why_not_listen(host: str, port: int) -> str | None:
    """Why nothing can listen there; None if it can. Nothing is listened to: the address is let go at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        return (error.strerror or "no such address").lower()
    return None
