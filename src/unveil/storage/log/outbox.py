"""
The messages that entries of a log send: kept until their recipient has them.

A message goes in with the entry that decided on it, in one transaction, so neither exists without the other. Its row
stays when it is delivered, its contents do not.

A delivery is no entry of its own: there is one for every message. Its row names the entry that comes next in the log,
and that entry's hash covers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.storage.backend import Row, Transaction
from unveil.storage.log import chain, contents


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send."""

    recipient: str
    message_id: str
    body: bytes

    def __repr__(self) -> str:
        return f"Outgoing({self.recipient!r}, {self.message_id!r}, {len(self.body)} bytes)"


@dataclass(frozen=True, slots=True)
class Pending:
    """A message that its recipient does not have yet; `position` counts up over the whole project."""

    position: int
    recipient: str
    message_id: str
    body: bytes

    def __repr__(self) -> str:
        return f"Pending({self.position}, {self.recipient!r}, {self.message_id!r}, {len(self.body)} bytes)"


def label_of(home: bytes, seq: int, part: int, recipient: str, message_id: str) -> contents.Label:
    """The label of a message that an entry sends."""
    return contents.Label(home, seq, part, ("outgoing", recipient, message_id))


class Parcels:
    """The messages of the entry of one number, sealed before the database is locked; `home` is the log's first hash."""

    def __init__(self, messages: Sequence[Outgoing], *, home: bytes, seq: int) -> None:
        self._messages = [
            (message, contents.seal(message.body, label_of(home, seq, part, message.recipient, message.message_id)))
            for part, message in enumerate(messages, 1)
        ]

    def insert(self, transaction: Transaction, project: int, seq: int) -> bytes:
        """Write the messages of one entry and return the digest of them that its hash covers."""
        if not self._messages:
            return chain.attached_messages([])
        found = transaction.row("SELECT coalesce(max(position), 0) FROM outgoing WHERE project = ?", [project])
        last = int(found[0]) if found else 0
        covered = []
        for part, (message, sealed) in enumerate(self._messages, 1):
            transaction.run(
                "INSERT INTO outgoing (project, position, seq, part, recipient, message_id, commitment, delivered)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
                [project, last + part, seq, part, message.recipient, message.message_id, sealed.commitment],
            )
            contents.insert(transaction, project, seq, part, sealed)
            covered.append((last + part, message.recipient, message.message_id, sealed.commitment))
        return chain.attached_messages(covered)


def waiting(transaction: Transaction, project: int, home: bytes, *, recipient: str | None, limit: int) -> list[Pending]:
    """Undelivered messages of an open project, oldest first; to one recipient or to all. Damaged if one was changed."""
    wanted, values = ("", []) if recipient is None else (" AND o.recipient = ?", [recipient])
    rows = transaction.rows(
        # Put together from fixed pieces; every value is a parameter.
        "SELECT o.position, o.recipient, o.message_id, o.seq, o.part, o.commitment, n.nonce, b.form, b.body"
        " FROM outgoing o JOIN projects p ON p.id = o.project"
        " LEFT JOIN nonces n ON n.project = o.project AND n.seq = o.seq AND n.part = o.part"
        " LEFT JOIN bodies b ON b.project = o.project AND b.seq = o.seq AND b.part = o.part"
        f" WHERE o.project = ? AND p.state <> 'closed' AND o.delivered = 0{wanted} ORDER BY o.position LIMIT ?",
        [project, *values, limit],
    )
    return [_pending(row, home) for row in rows]


def _pending(row: Row, home: bytes) -> Pending:
    position, recipient, message_id, seq, part, commitment = row[:6]
    label = label_of(home, seq, part, recipient, message_id)
    return Pending(position, recipient, message_id, contents.unseal(contents.Stored(*row[6:]), label, commitment))


def undelivered(transaction: Transaction, project: int) -> list[int]:
    """The positions of the messages that were not delivered."""
    rows = transaction.rows("SELECT position FROM outgoing WHERE project = ? AND delivered = 0", [project])
    return [row[0] for row in rows]


def waiting_by_recipient(transaction: Transaction, project: int) -> dict[str, int]:
    """How many messages were not delivered, by recipient."""
    rows = transaction.rows(
        "SELECT recipient, count(*) FROM outgoing WHERE project = ? AND delivered = 0"
        " GROUP BY recipient ORDER BY recipient",
        [project],
    )
    return {str(recipient): int(count) for recipient, count in rows}


def deliver(transaction: Transaction, project: int, recipient: str, message_id: str, *, covered_by: int) -> bool:
    """
    Note that a message was delivered and erase its body; False if it was before, or if there is none.

    `covered_by` is the number that the next entry of the log will have.
    """
    found = transaction.row(
        "SELECT position, seq, part FROM outgoing"
        " WHERE project = ? AND recipient = ? AND message_id = ? AND delivered = 0",
        [project, recipient, message_id],
    )
    if found is None:
        return False
    position, seq, part = found
    transaction.run(
        "UPDATE outgoing SET delivered = ? WHERE project = ? AND position = ?", [covered_by, project, position]
    )
    contents.erase(transaction, project, [(seq, part)])
    return True


def deliveries(transaction: Transaction, project: int, seq: int) -> list[int]:
    """The positions of the messages whose delivery the entry of that number covers."""
    # That it is not 0 is said for the planner, which could not use the index of what was delivered otherwise.
    rows = transaction.rows(
        "SELECT position FROM outgoing WHERE project = ? AND delivered <> 0 AND delivered = ?", [project, seq]
    )
    return [row[0] for row in rows]
