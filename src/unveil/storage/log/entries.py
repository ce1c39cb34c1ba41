"""Entries of a log as they are read back."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from unveil.storage.backend import Row, Transaction
from unveil.storage.log import chain, contents

#: A batch ends at the entry that brings it to this many bytes, or at this many entries.
_BATCH_BYTES: Final = 8 << 20
_BATCH_ENTRIES: Final = 500


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A message received or a decision taken; its body is None once it was erased."""

    seq: int
    kind: str
    sender: str
    message_id: str
    body: bytes | None
    stub: bytes
    time: float

    def __repr__(self) -> str:
        size = "erased" if self.body is None else f"{len(self.body)} bytes"
        return f"Entry({self.seq}, {self.kind!r}, {self.sender!r}, {self.message_id!r}, {size})"


@dataclass(frozen=True, slots=True, repr=False)
class Known:
    """An entry that the log holds already."""

    seq: int
    arrived: bytes
    nonce: bytes | None

    def same(self, body: bytes) -> bool | None:
        """Whether this is what came in then; None when that was erased and nobody can tell."""
        if self.nonce is None or self.nonce == contents.ERASED:
            return None
        return chain.opens(self.arrived, self.nonce, body)


def last_of_batch(transaction: Transaction, project: int, after: int) -> int | None:
    """The number of the last entry of a batch of moderate size that begins past a number; None when there is none."""
    rows = transaction.rows(
        "SELECT seq FROM log WHERE project = ? AND seq > ? ORDER BY seq LIMIT ?", [project, after, _BATCH_ENTRIES]
    )
    if not rows:
        return None
    last = rows[-1][0]
    sizes = transaction.rows(
        # length() reads no body: both databases know it beforehand.
        "SELECT seq, length(body) FROM bodies WHERE project = ? AND seq > ? AND seq <= ? AND part = 0 ORDER BY seq",
        [project, after, last],
    )
    total = 0
    for seq, size in sizes:
        total += size
        if total >= _BATCH_BYTES:
            return int(seq)
    return int(last)


def batch(transaction: Transaction, project: int, home: bytes, after: int) -> tuple[int, list[LogEntry]] | None:
    """
    The next entries past a number, and the number up to which the log has been read; None at its end.

    Damaged if contents are not what was written, or are missing and no erasure says why. `home` is the log's first
    hash.
    """
    last = last_of_batch(transaction, project, after)
    if last is None:
        return None
    rows = transaction.rows(
        "SELECT seq, kind, sender, message_id, time, stored, stub FROM log"
        " WHERE project = ? AND seq > ? AND seq <= ? AND kind IN ('message', 'decision') ORDER BY seq",
        [project, after, last],
    )
    found = contents.between(transaction, project, after, last)
    erased = transaction.rows(
        "SELECT seq FROM erasures WHERE project = ? AND seq > ? AND seq <= ?", [project, after, last]
    )
    state = (transaction.row("SELECT state FROM projects WHERE id = ?", [project]) or ("",))[0]
    gone = range(after + 1, last + 1) if state == "closed" else {seq for (seq,) in erased}
    return last, [_entry(row, found, home, gone, closed=state == "closed") for row in rows]


def _entry(row: Row, found: contents.Contents, home: bytes, gone: Container[int], *, closed: bool) -> LogEntry:
    seq, kind, sender, message_id, time, stored, stub_commit = row
    about = kind, sender, message_id
    # Taken out as they are opened, so that sealed and opened bodies of a batch are not all held at once.
    own = found.pop((seq, contents.OWN), contents.NOTHING)
    rest = found.pop((seq, contents.STUB), contents.NOTHING)
    body = stub = None
    if not (own.erased and seq in gone):
        body = contents.unseal(own, contents.Label(home, seq, contents.OWN, about), stored)
    if stub_commit and not (rest.erased and closed):
        stub = contents.unseal(rest, contents.Label(home, seq, contents.STUB, about), stub_commit)
    return LogEntry(seq, kind, sender, message_id, body, stub or b"", time)
