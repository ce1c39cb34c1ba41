"""A listening socket that bounds how many connections are open at the same time."""

from __future__ import annotations

import socket
import weakref
from typing import Any


class Listener(socket.socket):
    """
    Accepts as many connections as may be open at the same time, and cuts the others.

    A connection counts until its socket is closed, also one that never says a word: its buffers are there already.
    """

    def __init__(self, family: socket.AddressFamily, *, most: int) -> None:
        # Only sockets that say they are TCP are made by asyncio to send small answers at once; others wait 40 ms.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._most = most
        self._accepted: weakref.WeakSet[socket.socket] = weakref.WeakSet()

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection and where it comes from; ConnectionAbortedError if it is one too many."""
        connection, address = super().accept()
        if len(self._accepted) >= self._most:
            self._accepted = weakref.WeakSet(each for each in self._accepted if each.fileno() >= 0)
        if len(self._accepted) >= self._most:
            connection.close()
            raise ConnectionAbortedError
        self._accepted.add(connection)
        return connection, address
