"""
Heads of other parties' logs, noted so that a log which was set back is noticed.

A party tells the head of its log, a hash, with every message and with every acknowledgement, and whoever hears it notes
it here. When the two meet again after a start, each is told the head that the other noted last. A log that does not
hold it was set back: its database was restored from an older copy, or is another one. A head tells nothing else: it is
a hash over commitments, and its number in the log is not told.
"""

from __future__ import annotations

from unveil.storage.backend import Transaction


def note(transaction: Transaction, project: int, party: str, head: bytes) -> None:
    """Note the head of that party's log, in place of the one noted before."""
    transaction.run(
        "INSERT INTO witnesses (project, party, head) VALUES (?, ?, ?)"
        " ON CONFLICT (project, party) DO UPDATE SET head = excluded.head",
        [project, party, head],
    )


def noted(transaction: Transaction, project: int, party: str) -> bytes | None:
    """The head of that party's log that was noted last."""
    found = transaction.row("SELECT head FROM witnesses WHERE project = ? AND party = ?", [project, party])
    return bytes(found[0]) if found else None


def holds(transaction: Transaction, project: int, head: bytes) -> bool:
    """Whether the log has an entry with that hash."""
    return transaction.row("SELECT seq FROM log WHERE project = ? AND hash = ?", [project, head]) is not None
