"""The one browser that the console lets in: by a link that works once, until it logs out or nobody sits there."""

from __future__ import annotations

import threading
from typing import Final

from unveil.storage.people import KnownPerson
from unveil.web.visitors import OneBrowser

IDLE: Final = 2 * 60 * 60.0  # seconds without a page until nobody is taken to sit there
_LONGEST: Final = 12 * 60 * 60.0


class ConsoleVisit:
    """Who is let in."""

    def __init__(self, project: str, owner: str) -> None:
        self.person = KnownPerson(owner, project, "owner", owner, 0.0, joined=True, locked_until=0.0)
        self._browser = OneBrowser(self.person)
        self._lock = threading.Lock()
        self._began, self._seen = 0.0, 0.0

    @property
    def link(self) -> str:
        """The secret of the link; empty once it was used."""
        return self._browser.link

    def begin(self, link: str, now: float) -> str | None:
        """Use the link; what the browser shows from now on, None if the link is wrong or was used."""
        person = self._browser.join(link, "", now)
        if person is None:
            return None
        self._began = self._seen = now
        return self._browser.begin_visit(person, now)

    def is_let_in(self, secret: str, now: float, *, by_itself: bool = False) -> bool:
        """Whether this is the browser; what a page asks `by_itself` shows nobody who sits there."""
        with self._lock:
            if self._browser.visitor(secret, now) is None:
                return False
            if now - self._seen > IDLE or now - self._began > _LONGEST:
                self._browser.end_visit(secret)
                return False
            if not by_itself:
                self._seen = now
            return True

    def end(self, secret: str) -> None:
        """Let the browser in no more."""
        self._browser.end_visit(secret)
