"""
Checking a log against its chain.

Every row that has a meaning is reached from a hash: an entry's hash covers its own columns, the commitments to its
contents, a digest of what came with it (messages sent, entries erased, what a closed project keeps), and what was
delivered since the entry before. Deliveries since the last entry are covered by the next one, so of these it can be
said only that there are some (`ProjectLog.uncovered`). Rows that nothing covers are reported as strays. Reports name
entries by number and never quote what they hold.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from unveil.storage.backend import Row, Transaction
from unveil.storage.log import chain, contents, keeps
from unveil.storage.log.entries import last_of_batch
from unveil.storage.log.outbox import label_of

#: Below every number: an entry numbered 0 or -5 was put there by somebody else.
_LOWEST: Final = -(1 << 62)

_ENTRIES: Final = (
    "SELECT seq, kind, sender, message_id, time, arrived, stored, stub, attached, hash FROM log"
    " WHERE project = ? AND seq > ? AND seq <= ? ORDER BY seq"
)
_SENT: Final = (
    "SELECT seq, part, position, recipient, message_id, commitment, delivered FROM outgoing"
    " WHERE project = ? AND seq > ? AND seq <= ? ORDER BY position"
)
_CONTENT: Final = (
    "SELECT n.nonce, b.form, b.body FROM nonces n"
    " LEFT JOIN bodies b ON b.project = n.project AND b.seq = n.seq AND b.part = n.part"
    " WHERE n.project = ? AND n.seq = ? AND n.part = ?"
)
#: Rows that no entry leads to: the table, and which of its rows an entry or a message accounts for.
_OF_ENTRY: Final = "SELECT 1 FROM log l WHERE l.project = x.project AND l.seq = x.seq"
_OF_MESSAGE: Final = "SELECT 1 FROM outgoing o WHERE o.project = x.project AND o.seq = x.seq AND o.part = x.part"
_OF_CONTENT: Final = (f"{_OF_ENTRY} AND x.part IN (-1, 0)", _OF_MESSAGE)
_STRAYS: Final = {
    "contents": ("bodies", _OF_CONTENT),
    "nonces": ("nonces", _OF_CONTENT),
    "messages sent": ("outgoing", (_OF_ENTRY,)),
}


@dataclass
class _Walk:
    """How far the chain has been followed, and what was found on the way."""

    transaction: Transaction
    project: int
    home: bytes  # the log's first hash
    previous: bytes
    closed: bool
    last: int  # the entry at which the log is said to end
    seq: int = 0
    kind: str = ""
    erased: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))  # erasing entry: erased entries
    delivered: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))  # covering entry: messages
    gone: set[int] = field(default_factory=set)
    found: list[str] = field(default_factory=list)

    def report(self, seq: int, problem: str) -> None:
        self.found.append(f"entry {seq}: {problem}")


def problems(transaction: Transaction, project: int, first: bytes, expected: tuple[int, bytes] | None) -> list[str]:
    """Everything that is wrong with a project's log; empty when its chain is whole."""
    head = transaction.row("SELECT state, head_seq, head_hash FROM projects WHERE id = ?", [project])
    if head is None:
        return ["the project's own row is missing"]
    walk = _Walk(transaction, project, first, first, closed=head[0] != "open", last=head[1])
    if expected is not None and expected[0] == 0 and expected[1] != first:
        walk.found.append("the head that was noted is of another project")
    for seq, by in transaction.rows("SELECT seq, erased_by FROM erasures WHERE project = ?", [project]):
        walk.erased[by].append(seq)
        walk.gone.add(seq)
    delivered = "SELECT delivered, position FROM outgoing WHERE project = ? AND delivered <> 0"
    for covering, position in transaction.rows(delivered, [project]):
        walk.delivered[covering].append(position)
    for row, sent in _rows(transaction, project):
        if expected is not None and row[0] == expected[0] and row[9] != expected[1]:
            walk.report(row[0], "its hash is not the one that was noted")
        try:
            _entry(walk, row, sent)
        except (TypeError, ValueError, AttributeError, OverflowError, struct.error):
            walk.report(row[0], "a column holds what was never written there")
            walk.seq, walk.previous = row[0], row[9]
    _ends(walk, head, expected)
    return walk.found


def _rows(transaction: Transaction, project: int) -> Iterator[tuple[Row, list[Row]]]:
    """Every entry, with the messages it sent."""
    after = _LOWEST
    while (last := last_of_batch(transaction, project, after)) is not None:
        rows = transaction.rows(_ENTRIES, [project, after, last])
        found = contents.between(transaction, project, after, last)
        sent: dict[int, list[Row]] = defaultdict(list)
        for message in transaction.rows(_SENT, [project, after, last]):
            sent[message[0]].append(message)
        for row in rows:
            own = found.pop((row[0], contents.OWN), contents.NOTHING)
            stub = found.pop((row[0], contents.STUB), contents.NOTHING)
            yield (*row, own, stub), sent.get(row[0], [])
        after = last


def _entry(walk: _Walk, row: Row, sent: list[Row]) -> None:
    """Check one entry and what belongs to it."""
    link, hashed, (own, stub) = chain.Link(*row[:9]), row[9], row[10:]
    seq = link.seq
    if seq != walk.seq + 1:
        walk.report(seq, f"does not follow entry {walk.seq}: entries between them are missing or were moved")
    if walk.kind == "close":
        walk.report(seq, "comes after the project was closed")
    if link.after(walk.previous) != hashed:
        walk.report(seq, "it was changed, or the entry before it")
    if link.kind in {"message", "decision"}:
        about = link.kind, link.sender, link.message_id
        label = contents.Label(walk.home, seq, contents.OWN, about)
        _content(walk, "its body", label, link.stored, own, gone=walk.closed or seq in walk.gone)
        if link.stub:
            label = contents.Label(walk.home, seq, contents.STUB, about)
            _content(walk, "its stub", label, link.stub, stub, gone=walk.closed)
        elif stub != contents.NOTHING:
            walk.report(seq, "a stub was added")
        attached = chain.attached_messages((message[2], *message[3:6]) for message in sent)
        _sent(walk, seq, sent)
    else:
        if (own, stub) != (contents.NOTHING,) * 2 or sent:
            walk.report(seq, "contents were added")
        attached = (
            keeps.attached(walk.transaction, walk.project, keeps.rows(walk.transaction, walk.project))
            if link.kind == "close"
            else chain.attached_erasures(walk.erased.pop(seq, []))
        )
    if chain.with_deliveries(attached, walk.delivered.get(seq, [])) != link.attached:
        what = {"close": "what the project keeps or did not send", "erasure": "what it erased"}.get(
            link.kind, "what it sent"
        )
        walk.report(seq, f"{what}, or what was delivered before it, was changed, removed or added to")
    walk.seq, walk.kind, walk.previous = seq, link.kind, hashed


def _content(
    walk: _Walk, name: str, label: contents.Label, commit: bytes, stored: contents.Stored, *, gone: bool
) -> None:
    """Check one content: there, sealed for its place and as committed to, or erased without rest."""
    if gone:
        if not stored.erased:
            walk.report(label.seq, f"{name} should be erased and is not")
        return
    if stored.nonce is None or stored.sealed is None or stored.nonce == contents.ERASED:
        walk.report(label.seq, f"{name} is missing")
        return
    try:
        opened = contents.unseal(stored, label, commit)
    except contents.Damaged:
        walk.report(label.seq, f"{name} was changed")
        return
    if not chain.opens(commit, stored.nonce, opened):
        walk.report(label.seq, f"{name} was changed")


def _sent(walk: _Walk, seq: int, messages: list[Row]) -> None:
    for _, part, position, recipient, message_id, commit, delivered in messages:
        found = walk.transaction.row(_CONTENT, [walk.project, seq, part]) or (None, None, None)
        # Only what was sent can be delivered, and no later than now.
        if delivered != 0 and not seq < delivered <= walk.last + 1:
            walk.report(seq, f"message {position} is neither waiting nor delivered")
        label = label_of(walk.home, seq, part, recipient, message_id)
        stored = contents.Stored(*found)
        _content(walk, f"message {position}", label, commit, stored, gone=walk.closed or delivered != 0)


def _ends(walk: _Walk, head: Row, expected: tuple[int, bytes] | None) -> None:
    """Check that the log ends where its head says, that nothing lies beside it, and the noted head."""
    state, seq, hashed = head
    if (seq, hashed) != (walk.seq, walk.previous):
        walk.found.append(f"the log ends at entry {walk.seq}, its head was written for entry {seq} or was changed")
    if state not in {"open", "closed"} or walk.closed != (walk.kind == "close"):
        walk.found.append("the project's state is not what its last entry says")
    if expected is not None and expected[0] > walk.seq:
        walk.found.append(f"the log ends at entry {walk.seq}, before the noted entry {expected[0]}")
    if any(walk.erased.values()):
        walk.found.append("erasures are noted that no entry of the log made")
    if walk.kind != "close" and walk.transaction.rows("SELECT name FROM kept WHERE project = ?", [walk.project]):
        walk.found.append("the project keeps what only a closed project keeps")
    for what, (table, owners) in _STRAYS.items():
        missing = "".join(f" AND NOT EXISTS ({owner})" for owner in owners)
        query = f"SELECT count(*) FROM {table} x WHERE x.project = ?{missing}"
        count = (walk.transaction.row(query, [walk.project]) or (0,))[0]
        if count:
            walk.found.append(f"{count} {what} belong to no entry")
