"""
An owner at work: its folder held against a second process, its log folded.

However the work ends, nothing is half done: what was decided is in the log with what is to be sent, and the next
command goes on from there.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from unveil.errors import Closed, SettingError, UnveilError
from unveil.protocol.roles import Role, owner
from unveil.roles.owner.machine import Owner
from unveil.runtime.claim import Claim
from unveil.runtime.host import Host
from unveil.runtime.owner.column_check import require_confirmed
from unveil.runtime.owner.delivery import OwnerWorker
from unveil.runtime.owner.folder import OwnerFolder, home, load_config
from unveil.runtime.owner.live_policy import LivePolicy
from unveil.runtime.owner.observer import OwnerObserver, Unwatched
from unveil.runtime.owner.pause import Pause
from unveil.runtime.owner.progress import OwnerProgress
from unveil.runtime.owner.unit_watch import PATIENCE, UnitWatch
from unveil.runtime.owner.upload_judgement import SetAside, UploadJudgement
from unveil.runtime.owner.view import has_changed
from unveil.runtime.witness import LogWitness
from unveil.transport.failures import Busy, Refused, Unreachable
from unveil.transport.logs import Log, configure

LOG_NAME: Final = "owner.log"
_CHANGED = (
    "the key or the schema has changed since the owners agreed on them",
    "put the key file and the project file back as they were",
)
_ANEW: Final = "the data has changed and nothing was asked about it yet: it is uploaded anew"


@dataclass
class OwnerSession:
    """What uploading and answering work with."""

    folder: OwnerFolder
    host: Host[Owner]
    log: Log
    judgement: UploadJudgement
    rules: LivePolicy
    pause: Pause
    progress: OwnerProgress = field(default_factory=OwnerProgress)

    def look(self) -> OwnerProgress:
        """How far the owner is now."""
        return self.progress.read(self.host.log)

    def worker(self) -> OwnerWorker:
        """The threads that decide and deliver, not yet started."""
        return OwnerWorker(
            self.folder.member.project,
            self.host,
            self.log,
            self.folder.clients(),
            held=lambda: not self.follow_rules(),
            paused=self.pause.is_on,
        )

    def follow_rules(self) -> bool:
        """Take up what the policy file says now; whether it can be followed."""
        return self.host.look(lambda owner: self.rules.refresh(owner.obey))

    def compare_logs(self) -> None:
        """
        Compare logs with every unit that answers, before anything is decided; LogSetBack if ours was set back.

        A unit that does not answer now is compared with before the first message goes there.
        """
        clients = self.folder.clients()

        def compare(unit: str) -> None:
            with clients[unit] as client:
                client.witness = LogWitness(self.host.log, unit)
                try:
                    client.compare()
                except (Unreachable, Busy, Refused, Closed):
                    return

        with ThreadPoolExecutor(len(clients)) as pool:
            list(pool.map(compare, clients))

    def watch(self, unit: Role, *, longest_pause: float) -> UnitWatch:
        """Whoever asks a unit how it stands, not yet started; that many seconds between questions at most."""
        return UnitWatch(self.folder.client(unit, timeout=PATIENCE), longest_pause=longest_pause)

    def message_refused(self, error: UnveilError) -> None:
        """A message to us broke the protocol and was dropped."""
        self.log.warning("not taken", error=type(error).__name__)


@contextmanager
def open_session(path: Path, *, demonstration: bool, observer: OwnerObserver | None = None) -> Iterator[OwnerSession]:
    """Hold an owner's folder and open everything in it."""
    watching = observer or Unwatched()
    config = load_config(path, demonstration=demonstration)
    address = str(owner(config.name))
    judgement = UploadJudgement(home(config), address)
    # A demonstration too: two processes that answer the same wishes would disclose twice what the policy allows once.
    claim = Claim(home(config), address)
    try:
        with watching.busy("reading records"):
            folder = OwnerFolder.load(config, demonstration=demonstration)
        require_confirmed(folder)
        for note in folder.member.notes:
            watching.note(note)
        with folder.open(demonstration=demonstration) as database, log_file(home(config), LOG_NAME) as log:
            rules = LivePolicy(folder)
            host = folder.host(database, lambda: rules.policy)
            with watching.busy("reading the log"):
                _ = host.machine  # folded now, so that changed data is told before anything begins
            session = OwnerSession(folder, host, log, judgement, rules, Pause(home(config)))
            if _begun_anew(session):
                watching.note(_ANEW)
            progress = session.look()
            if progress.agreed and progress.fingerprint != folder.encoder.presented():
                raise SettingError(_CHANGED[0], hint=_CHANGED[1])
            yield session
    finally:
        claim.release()


def _begun_anew(session: OwnerSession) -> bool:
    """
    Begin anew if the upload was set aside or never went, and the data is another now; whether it was begun anew.

    In the same log, so that nothing is forgotten. SetAside if the data is still what it was.
    """
    host, judgement = session.host, session.judgement
    why, progress = judgement.known(), session.look()
    changed = has_changed(session.folder.records, progress)
    if why and progress.parts is not None:
        if not changed:
            raise SetAside(why)
    elif progress.parts is not None or not changed:
        judgement.forget()  # a note about an upload that was left behind just before the process died
        host.look(lambda owner: owner.check_data())
        return False
    host.deciding(lambda owner: owner.begin_anew())
    judgement.forget()
    return True


@contextmanager
def log_file(folder: Path, name: str) -> Iterator[Log]:
    """Until the block ends, logs go to a file in the folder, so that the screen stays calm."""
    handlers = logging.getLogger().handlers
    with open(folder / name, "a", encoding="utf-8", opener=_private) as file:
        try:
            yield configure(file)
        finally:
            logging.getLogger().handlers = handlers


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
