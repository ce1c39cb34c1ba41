"""An entry on its way into the log: its contents sealed for its place."""

from __future__ import annotations

from dataclasses import dataclass

from unveil.storage.backend import Transaction
from unveil.storage.log import chain, contents
from unveil.storage.log.outbox import Outgoing, Parcels


@dataclass(frozen=True, slots=True, repr=False)
class NewEntry:
    """An entry that is to be written; see `ProjectLog.append` for what the parts are."""

    kind: str
    sender: str
    message_id: str
    time: float
    body: bytes
    kept: bytes | None
    stub: bytes
    outgoing: tuple[Outgoing, ...]


class SealedEntry:
    """An entry sealed as the one of that number in the log whose first hash is `home`."""

    def __init__(self, entry: NewEntry, *, home: bytes, seq: int) -> None:
        self.seq, self._entry = seq, entry
        about = entry.kind, entry.sender, entry.message_id
        content = entry.body if entry.kept is None else entry.kept
        self._own = contents.seal(content, contents.Label(home, seq, contents.OWN, about))
        self._arrived = self._own.commitment
        if entry.kept is not None:
            self._arrived = chain.commitment(self._own.nonce, entry.body)
        self._stub = contents.seal(entry.stub, contents.Label(home, seq, contents.STUB, about)) if entry.stub else None
        self._parcels = Parcels(entry.outgoing, home=home, seq=seq)

    def insert(self, transaction: Transaction, project: int) -> chain.Link:
        """Write the contents and the messages; return what the chain is to hold of them."""
        contents.insert(transaction, project, self.seq, contents.OWN, self._own)
        if self._stub is not None:
            contents.insert(transaction, project, self.seq, contents.STUB, self._stub)
        attached = self._parcels.insert(transaction, project, self.seq)
        entry = self._entry
        return chain.Link(
            self.seq,
            entry.kind,
            entry.sender,
            entry.message_id,
            entry.time,
            self._arrived,
            self._own.commitment,
            b"" if self._stub is None else self._stub.commitment,
            attached,
        )
