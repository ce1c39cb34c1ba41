"""What a closed project keeps: its summary and blobs by name, covered by the hash of the closing entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unveil.storage.backend import Row, Transaction
from unveil.storage.log import chain, outbox
from unveil.storage.log.contents import Damaged


@dataclass(frozen=True, repr=False)
class Keeps:
    """What is to be kept, with a nonce for the commitment to each."""

    blobs: Mapping[str, bytes]
    nonces: Mapping[str, bytes] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nonces", {name: chain.new_nonce() for name in self.blobs})

    def attached(self, transaction: Transaction, project: int) -> bytes:
        """The digest of it and of what was never sent, which the closing entry covers."""
        commits = [(name, chain.commitment(self.nonces[name], blob)) for name, blob in self.blobs.items()]
        return chain.attached_keeps(commits, outbox.undelivered(transaction, project))

    def insert(self, transaction: Transaction, project: int) -> None:
        """Store it."""
        for name, blob in self.blobs.items():
            transaction.run(
                "INSERT INTO kept (project, name, nonce, body) VALUES (?, ?, ?, ?)",
                [project, name, self.nonces[name], blob],
            )


def rows(transaction: Transaction, project: int) -> list[Row]:
    """Name, nonce and contents of all that is kept."""
    return transaction.rows("SELECT name, nonce, body FROM kept WHERE project = ? ORDER BY name", [project])


def attached(transaction: Transaction, project: int, found: list[Row]) -> bytes:
    """The digest of these rows and of what was never sent."""
    commits = [(name, chain.commitment(nonce, body)) for name, nonce, body in found]
    return chain.attached_keeps(commits, outbox.undelivered(transaction, project))


def read(transaction: Transaction, project: int) -> dict[str, bytes]:
    """All that is kept, by name; Damaged if it is not what the closing entry covers. Nothing while it is open."""
    found = rows(transaction, project)
    closing = transaction.row("SELECT seq, attached FROM log WHERE project = ? AND kind = 'close'", [project])
    if closing is None and not found:
        return {}
    if closing is not None:
        try:
            present = attached(transaction, project, found)
        except (TypeError, ValueError, AttributeError):
            present = b""
        if chain.with_deliveries(present, outbox.deliveries(transaction, project, closing[0])) == closing[1]:
            return {name: body for name, _, body in found}
    raise Damaged("what the closed project keeps was changed")
