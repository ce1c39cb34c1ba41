"""The parties' logs, read from outside while they run or afterwards. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from unveil.lab.local_parties.folder import OWNERS, PARTY_FOLDERS, PROJECT, UNIT_FOLDERS, Trial
from unveil.protocol import codec, frames
from unveil.protocol.machine import Decision, Erased
from unveil.protocol.messages import Message
from unveil.storage.database import Database
from unveil.storage.log.entries import LogEntry
from unveil.storage.log.log import ProjectLog

_ERASED: Mapping[str, type[Erased]] = {"Erased": Erased}


@contextmanager
def log_of(trial: Trial, party: str) -> Iterator[ProjectLog]:
    """The log of a party, which must have run once."""
    role, name = (UNIT_FOLDERS[party].value, "") if party in UNIT_FOLDERS else ("owner", OWNERS[party])
    with Database.inspect(trial.database(party)) as database:
        # Parties of a trial may share a database.
        yield next(
            log
            for log in database.logs()
            if (log.role, log.name) == (role, PROJECT) and (not name or log.identity == name)
        )


def opened(entry: LogEntry, decisions: Mapping[str, type[Decision]]) -> Message | Decision:
    """What an entry holds; of a message whose contents were erased, what stands for it."""
    if entry.body is None:
        return frames.read(entry.stub, _ERASED)
    return frames.read(entry.body, decisions) if entry.kind == "decision" else codec.decode(entry.body)


@dataclass(frozen=True, slots=True)
class Holding:
    """What a party's database holds: entries of its log, how many of them were erased, bytes (None: not a file)."""

    party: str
    messages: int
    decisions: int
    erased: int
    bytes: int | None


def holdings(trial: Trial) -> list[Holding]:
    """What every party holds now."""
    found = []
    for party in PARTY_FOLDERS:
        with log_of(trial, party) as log:
            counts = log.counts()
        files = list((trial.root / party).glob("log.sqlite*"))
        size = sum(file.stat().st_size for file in files) if files else None
        found.append(Holding(party, counts["messages"], counts["decisions"], counts["erased"], size))
    return found
