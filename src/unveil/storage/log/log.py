"""
One project's log: what a party received and decided, in order, durable before anybody hears of it.

An entry is written once. Its contents (the body) can be erased; its commitment, its stub and its place in the chain
stay. Erasures and the closing of a project are entries of the chain too, so that a body which is missing without one is
noticed; they have a number but are not among `entries`. So numbers ascend, with gaps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from unveil.errors import Closed, DuplicateError, SettingError, StorageError
from unveil.storage.backend import Backend, ConstraintBroken, Transaction
from unveil.storage.log import chain, contents, keeps, outbox, verification, witness
from unveil.storage.log.entries import Known, LogEntry, batch
from unveil.storage.log.keeps import Keeps
from unveil.storage.log.outbox import Outgoing, Pending
from unveil.storage.log.residue import Residue
from unveil.storage.log.sealing import NewEntry, SealedEntry

#: The summary of a closed project lies among what it keeps, under a name that no caller can use.
_SUMMARY: Final = ""


@dataclass(frozen=True, slots=True)
class _Head:
    """Where a log ends."""

    state: str
    seq: int
    hash: bytes


class LogMoved(StorageError):
    """The log holds messages or decisions that the caller has not seen; nothing was changed."""


class ProjectLog:
    """The log of one project; see `Database.project`."""

    def __init__(self, backend: Backend, residue: Residue, number: int, name: str, *, role: str, identity: str) -> None:
        self.name, self.role, self.identity = name, role, identity
        self._backend, self._residue, self._number = backend, residue, number
        self._home = chain.genesis(role, identity, name)
        self._next = 1  # the number that the next entry will have, unless another process writes first

    @property
    def state(self) -> Literal["open", "closed"]:
        """Whether the project takes entries."""
        with self._backend.read() as transaction:
            return "open" if self._head(transaction).state == "open" else "closed"

    @property
    def head(self) -> tuple[int, bytes]:
        """The last entry's number and hash: what an auditor notes elsewhere, to check against later."""
        with self._backend.read() as transaction:
            head = self._head(transaction)
        return head.seq, head.hash

    @property
    def residue(self) -> bool:
        """Whether erased contents may still lie in the database's files, since another process is reading them."""
        return self._residue.left

    def entries(self, *, after: int = 0) -> Iterator[LogEntry]:
        """
        Every message and decision past a number, in order.

        Reads in batches of a few megabytes and holds no lock between them, so the log may grow or lose contents
        meanwhile.
        """
        while True:
            with self._backend.read() as transaction:
                found = batch(transaction, self._number, self._home, after)
            if found is None:
                return
            after, entries = found
            yield from entries

    def find(self, sender: str, message_id: str) -> Known | None:
        """The entry of that sender and id, if the log holds one."""
        if not message_id or not (_plain(sender) and _plain(message_id)):
            return None
        with self._backend.read() as transaction:
            found = transaction.row(
                "SELECT l.seq, l.arrived, n.nonce FROM log l"
                " LEFT JOIN nonces n ON n.project = l.project AND n.seq = l.seq AND n.part = 0"
                " WHERE l.project = ? AND l.sender = ? AND l.message_id = ? AND l.message_id <> ''",
                [self._number, sender, message_id],
            )
        return Known(*found) if found else None

    def append(
        self,
        *,
        kind: Literal["message", "decision"],
        sender: str = "",
        message_id: str = "",
        body: bytes,
        kept: bytes | None = None,
        stub: bytes = b"",
        time: float,
        outgoing: Sequence[Outgoing] = (),
        heard: bytes | None = None,
    ) -> int:
        """
        Write an entry and the messages it sends in one transaction, and return its number. Durable on return.

        `body` is what came in, by which a repetition is recognised; `kept` is what is stored, if that is less. `stub`
        stays when the body is erased. An entry with an id is refused if the sender used that id before. `heard` is the
        head of the sender's log, if it told that.
        """
        _check(time, sender, message_id, *(text for one in outgoing for text in (one.recipient, one.message_id)))
        entry = NewEntry(kind, sender, message_id, time + 0.0, body, kept, stub, tuple(outgoing))
        # Hashing and sealing are the slow part, so they are done before the database is locked. What is sealed is bound
        # to the entry's number; if that is taken by then, it is sealed again.
        sealed = SealedEntry(entry, home=self._home, seq=self._next)
        try:
            with self._backend.write() as transaction:
                head = self._open_head(transaction)
                if message_id and self._holds(transaction, sender, message_id):
                    raise DuplicateError(f"{self.name}: the log holds an entry of this sender and id already")
                seq = head.seq + 1
                if sealed.seq != seq:
                    sealed = SealedEntry(entry, home=self._home, seq=seq)
                self._add(transaction, head, sealed.insert(transaction, self._number))
                if heard is not None:
                    witness.note(transaction, self._number, sender, heard)
        except ConstraintBroken:
            raise DuplicateError(f"{self.name}: a message of this recipient and id was sent already") from None
        self._residue.retry()
        return seq

    def erase(self, seqs: Sequence[int], *, time: float) -> None:
        """
        Erase the bodies of these entries for good; the chain notes it. Those erased before are passed over.

        What they held is gone from the database's files on return, unless `residue` says that another process keeps
        SQLite's write-ahead log from being cut; then it goes as soon as that lets go. On PostgreSQL see
        `Postgresql.scrub` for what stays in the server's own log.
        """
        _check(time)
        with self._backend.write() as transaction:
            head = self._head(transaction)
            present = self._with_bodies(transaction, seqs)
            if present:
                seq = head.seq + 1
                contents.erase(transaction, self._number, [(one, contents.OWN) for one in present])
                transaction.run_many(
                    "INSERT INTO erasures (project, seq, erased_by) VALUES (?, ?, ?)",
                    [[self._number, one, seq] for one in present],
                )
                attached = chain.attached_erasures(present)
                self._add(transaction, head, chain.Link(seq, "erasure", "", "", time + 0.0, b"", b"", b"", attached))
        self._residue.remove()

    def outgoing(self, *, recipient: str | None = None, limit: int = 1) -> list[Pending]:
        """Undelivered messages, oldest first; to one recipient or to all."""
        with self._backend.read() as transaction:
            found = outbox.waiting(transaction, self._number, self._home, recipient=recipient, limit=limit)
        if not found:
            self._residue.retry()  # a courier with nothing to send looks again and again, so nothing is left for long
        return found

    def delivered(self, message_id: str, *, recipient: str, heard: bytes | None = None) -> None:
        """
        Note that a message arrived and erase its body; repeating this changes nothing.

        `heard` is the head of the recipient's log, if it told that.

        What it held is gone from the database's files on return, or a moment later where deliveries follow each other
        closely; see `residue`.
        """
        with self._backend.write() as transaction:
            head = self._head(transaction)
            if heard is not None:
                witness.note(transaction, self._number, recipient, heard)
            # What a closed project did not send stays unsent.
            gone = head.state == "open" and outbox.deliver(
                transaction, self._number, recipient, message_id, covered_by=head.seq + 1
            )
        if gone:
            self._residue.leave()

    def note(self, party: str, head: bytes) -> None:
        """Note the head of another party's log."""
        with self._backend.write() as transaction:
            witness.note(transaction, self._number, party, head)

    def noted(self, party: str) -> bytes | None:
        """The head of that party's log that was noted last; None if it never told one."""
        with self._backend.read() as transaction:
            return witness.noted(transaction, self._number, party)

    def holds(self, head: bytes) -> bool:
        """Whether this was the head of this log once. One that another party noted was, unless this log is set back."""
        if head == chain.genesis(self.role, self.identity, self.name):
            return True
        with self._backend.read() as transaction:
            return witness.holds(transaction, self._number, head)

    def uncovered(self) -> int:
        """How many deliveries no hash covers yet: those since the last entry. The next entry covers them."""
        with self._backend.read() as transaction:
            head = self._head(transaction)
            # A closed project's last hash covers what was not sent, and so the rest too.
            return len(outbox.deliveries(transaction, self._number, head.seq + 1)) if head.state == "open" else 0

    def counts(self) -> dict[str, int]:
        """How many messages, decisions, erased bodies, messages sent, and messages still waiting there are."""
        which = [self._number]
        with self._backend.read() as transaction:
            kinds = transaction.rows("SELECT kind, count(*) FROM log WHERE project = ? GROUP BY kind", which)
            erased = transaction.rows("SELECT 'erased', count(*) FROM erasures WHERE project = ?", which)
            sent = transaction.rows("SELECT 'sent', count(*) FROM outgoing WHERE project = ?", which)
            waiting = len(outbox.undelivered(transaction, self._number))
        found = dict(map(tuple, kinds + erased + sent))
        return {
            "messages": found.get("message", 0), "decisions": found.get("decision", 0), "erased": found["erased"],
            "sent": found["sent"], "waiting": waiting,
        }  # fmt: skip

    def waiting(self) -> dict[str, int]:
        """By recipient, how many messages it does not have yet; nothing of a closed project, which sends no more."""
        with self._backend.read() as transaction:
            if self._head(transaction).state != "open":
                return {}
            return outbox.waiting_by_recipient(transaction, self._number)

    def moved(self) -> float | None:
        """When the last message came or the last decision was taken; None before any."""
        with self._backend.read() as transaction:
            found = transaction.row(
                "SELECT time FROM log WHERE project = ? AND kind IN ('message', 'decision') ORDER BY seq DESC LIMIT 1",
                [self._number],
            )
        return None if found is None else float(found[0])

    def close(
        self, summary: Mapping[str, Any], keep: Mapping[str, bytes], *, time: float = 0.0, seen: int | None = None
    ) -> None:
        """
        Erase every body, stub and message of the project; keep its chain, the summary (JSON) and the blobs given.

        A closed project takes no more entries. `seen` is the last entry that the caller knows of: if another process
        has written a message or a decision since, of which nothing would be kept, LogMoved is raised instead.
        """
        _check(time, *keep)
        if _SUMMARY in keep:
            raise SettingError("what a closed project keeps needs a name")
        whole = json.dumps(dict(summary), sort_keys=True, ensure_ascii=False).encode()
        kept = Keeps({**keep, _SUMMARY: whole})
        with self._backend.write() as transaction:
            head = self._open_head(transaction)
            if seen is not None and self._later(transaction, seen):
                raise LogMoved(f"{self.name}: the log has moved on")
            attached = kept.attached(transaction, self._number)
            contents.erase_all(transaction, self._number)
            kept.insert(transaction, self._number)
            link = chain.Link(head.seq + 1, "close", "", "", time + 0.0, b"", b"", b"", attached)
            self._add(transaction, head, link, state="closed")
        self._residue.remove(thorough=True)

    def kept_names(self) -> list[str]:
        """Under which names a closed project keeps something, beside its summary."""
        with self._backend.read() as transaction:
            found = transaction.rows("SELECT name FROM kept WHERE project = ? ORDER BY name", [self._number])
        return [name for (name,) in found if name != _SUMMARY]

    def kept(self, name: str) -> bytes | None:
        """What a closed project keeps under that name; Damaged if what it keeps was changed."""
        with self._backend.read() as transaction:
            return keeps.read(transaction, self._number).get(name)

    def summary(self) -> dict[str, Any] | None:
        """The summary with which the project was closed; None while it is open."""
        found = self.kept(_SUMMARY)
        return None if found is None else json.loads(found)

    def verify(self, expected: tuple[int, bytes] | None = None) -> list[str]:
        """
        Everything that is wrong with the log, in words without values; empty when its chain is whole.

        `expected` is a head that was noted elsewhere: only with it can a log be told from a shorter or wholly
        rewritten one.
        """
        with self._backend.read() as transaction:
            return verification.problems(transaction, self._number, self._home, expected)

    def _head(self, transaction: Transaction) -> _Head:
        found = transaction.row("SELECT state, head_seq, head_hash FROM projects WHERE id = ?", [self._number])
        if found is None:
            raise StorageError(f"{self.name}: the database holds no such project any more")
        return _Head(*found)

    def _open_head(self, transaction: Transaction) -> _Head:
        head = self._head(transaction)
        if head.state != "open":
            raise Closed(f"{self.name}: the project is closed")
        return head

    def _holds(self, transaction: Transaction, sender: str, message_id: str) -> bool:
        found = transaction.row(
            "SELECT seq FROM log WHERE project = ? AND sender = ? AND message_id = ? AND message_id <> ''",
            [self._number, sender, message_id],
        )
        return found is not None

    def _later(self, transaction: Transaction, seq: int) -> bool:
        """Whether there is a message or a decision past a number."""
        found = transaction.row(
            "SELECT seq FROM log WHERE project = ? AND seq > ? AND kind IN ('message', 'decision') LIMIT 1",
            [self._number, seq],
        )
        return found is not None

    def _with_bodies(self, transaction: Transaction, seqs: Sequence[int]) -> list[int]:
        """Those of the entries that still have a body, ascending."""
        find = "SELECT seq FROM bodies WHERE project = ? AND seq = ? AND part = 0"
        return [seq for seq in sorted(set(seqs)) if transaction.row(find, [self._number, seq])]

    def _add(self, transaction: Transaction, head: _Head, link: chain.Link, *, state: str = "open") -> None:
        """Put an entry at the end of the chain; it covers what was delivered since the one before."""
        delivered = outbox.deliveries(transaction, self._number, link.seq)
        link = replace(link, attached=chain.with_deliveries(link.attached, delivered))
        hashed = link.after(head.hash)
        transaction.run(
            "INSERT INTO log (project, seq, kind, sender, message_id, time, arrived, stored, stub, attached, hash)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                self._number, link.seq, link.kind, link.sender, link.message_id, link.time, link.arrived, link.stored,
                link.stub, link.attached, hashed,
            ],
        )  # fmt: skip
        transaction.run(
            "UPDATE projects SET state = ?, head_seq = ?, head_hash = ? WHERE id = ?",
            [state, link.seq, hashed, self._number],
        )
        self._next = link.seq + 1


def _plain(text: str) -> bool:
    """Whether both databases can hold a text: PostgreSQL takes no NUL, neither takes half a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _check(time: float, *texts: str) -> None:
    if not math.isfinite(time):
        raise SettingError("the time of an entry is not a finite number")
    if not all(map(_plain, texts)):
        raise SettingError("a name or id holds characters that no database takes")
