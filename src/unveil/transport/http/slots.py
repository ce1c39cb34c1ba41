"""
Slots for requests that are at work at the same time.

A slot is taken before the body is read, for slots bound how many bodies are held; so a caller that does not send its
body keeps its slot until it is cut off. No caller gets more than a share of the slots, and the others go on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from unveil.transport.http.limits import Unacceptable
from unveil.transport.port import Caller

_SHARES: Final = 4  # a caller gets at most one of so many shares


class RequestSlots:
    """So many of them; a caller in a project gets at most a quarter."""

    def __init__(self, count: int) -> None:
        self._count, self._share = count, max(1, count // _SHARES)
        self._held: Counter[tuple[str, Caller]] = Counter()

    @contextmanager
    def taken(self, project: str, caller: Caller) -> Iterator[None]:
        """Hold a slot; Unacceptable if there is none for this caller."""
        holder = project, caller
        if self._held.total() >= self._count or self._held[holder] >= self._share:
            raise Unacceptable(503, "busy; try again")
        self._held[holder] += 1
        try:
            yield
        finally:
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]
