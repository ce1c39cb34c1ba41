"""
What the record unit says of our upload and of the project, and when that ends the work.

An upload that was set aside as a whole is never looked at again: waiting for wishes would be waiting for ever. Once it
is known it is written down in the owner's folder. Whoever mends the data begins a new folder, and the old one, if it
ran once more, would fetch and throw away what is meant for the new one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from unveil.errors import Closed, UnveilError
from unveil.files.atomic import replacing
from unveil.settings.reader import read_text
from unveil.transport.http.client import UnitClient

FILE_NAME: Final = "set-aside.txt"
PATIENCE: Final = 5.0  # seconds for a unit to answer such a question
MEND: Final = "mend the data, then begin anew in another folder: unveil owner init NEWFOLDER"
NOT_COMPLETE: Final = "waiting for the other owner: its upload is not at the record unit yet, or is not usable"
_WHOLE: Final = "all, since "  # how the record unit begins its word on an upload that it has set aside
_LONGEST: Final = 300  # characters of a unit's words
_FIRST: Final = 0.5  # seconds before one that waits asks again; then twice as many each time
_EVERY: Final = 5.0  # seconds between two questions at most


class SetAside(UnveilError):
    """The record unit has set our upload aside as a whole."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the record unit has set the whole upload aside: {why}",
            hint=f"{MEND}; the project name stays, this folder is of no more use",
        )


class ProjectClosed(UnveilError):
    """The record unit has closed the project before the links had come."""

    def __init__(self) -> None:
        super().__init__(
            "the record unit has closed the project, and the links had not come",
            hint="ask whoever runs the record unit; a linkage can begin anew under another project name only",
        )


@dataclass(frozen=True, slots=True)
class Word:
    """What the record unit says, and since when it can have known it (seconds of a clock that only goes forward)."""

    asked: float
    closed: bool
    screened: bool  #: whether an upload of ours was looked at
    set_aside: str  #: why it was set aside as a whole; empty if it was not
    complete: bool | None  #: whether every owner's upload is usable; None: the unit does not tell

    @classmethod
    def of(cls, status: Mapping[str, Any], owner: str, *, asked: float = 0.0) -> Word:
        """The word in a record unit's status document for that owner."""
        kept_out = status.get("quarantined", {owner: {}})  # a unit that says nothing of it cannot be waited for
        reasons = kept_out.get(owner, {}) if isinstance(kept_out, Mapping) else {}
        whole = [why for why in reasons if why.startswith(_WHOLE)] if isinstance(reasons, Mapping) else []
        complete = status.get("complete", status.get("compared"))
        return cls(
            asked=asked,
            closed=status.get("state") == "closed",
            screened=isinstance(kept_out, Mapping) and owner in kept_out,
            set_aside=plain(whole[0].removeprefix(_WHOLE)) if whole else "",
            complete=complete if isinstance(complete, bool) else None,
        )


def plain(text: str) -> str:
    """Another party's words, without anything that a terminal would obey."""
    return "".join(letter for letter in text[:_LONGEST] if letter.isprintable())


def ask(client: UnitClient, owner: str) -> Word:
    """Ask the record unit; UnveilError if it does not answer."""
    asked = time.monotonic()
    try:
        return Word.of(client.status(), owner, asked=asked)
    except Closed:
        return Word(asked, closed=True, screened=False, set_aside="", complete=None)


class Verdict:
    """What words mean for the upload from one folder."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE_NAME
        self._earlier = ""  # said of another upload
        self._arrived: float | None = None

    def known(self) -> str:
        """Why this folder's upload was set aside, if that is known already; else empty."""
        return plain(read_text(self._path)) if self._path.exists() else ""

    def before(self, word: Word) -> None:
        """The record unit said this before any part was sent, so it is about an upload from another folder."""
        self._earlier = word.set_aside

    def arrived(self) -> None:
        """All parts of the upload are at the record unit."""
        if self._arrived is None:
            self._arrived = time.monotonic()

    def heed(self, word: Word) -> bool:
        """Whether the upload was found usable; SetAside or ProjectClosed if the work has to end."""
        if word.closed:
            raise ProjectClosed
        if self._arrived is None or word.asked < self._arrived or word.set_aside == self._earlier != "":
            return False  # it may be about another upload
        if not word.set_aside:
            return word.screened
        with replacing(self._path, overwrite=True) as temporary:
            temporary.write_text(word.set_aside, encoding="utf-8")
        raise SetAside(word.set_aside)


class Lookout:
    """Asks the record unit every few seconds, beside the work; `word` is what it said last."""

    def __init__(self, client: UnitClient, owner: str) -> None:
        self.word: Word | None = None
        self._client, self._owner = client, owner
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lookout", daemon=True)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def stop(self) -> None:
        """Ask no more. A question that is under way is not waited for."""
        self._stop.set()

    def _run(self) -> None:
        pause = _FIRST
        with self._client as client:
            while not self._stop.is_set():
                with suppress(UnveilError):  # whoever fetches messages meets it too, and says so
                    self.word = ask(client, self._owner)
                self._stop.wait(pause)
                pause = min(_EVERY, pause * 2)
