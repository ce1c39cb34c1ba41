"""
A machine made durable.

Every message is in the log before it is acknowledged, and every decision before it is acted on, together with the
messages that it sends. If the log cannot be written, what the machine holds is thrown away and folded anew from the
log, so memory is never ahead of it. After a crash the same fold brings the machine back.

Long work is done outside the lock, so that messages and questions need not wait for it; what it gave is taken in under
the lock, if the machine still waits for it.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from unveil.errors import Cancelled, Closed, Conflict
from unveil.protocol import codec, frames
from unveil.protocol.flows import Envelope, check_outgoing
from unveil.protocol.machine import Decision, Erased, Machine, Step, Work, fold
from unveil.protocol.messages import Message
from unveil.protocol.roles import Address, address_of
from unveil.storage.log.entries import LogEntry
from unveil.storage.log.log import LogMoved, ProjectLog
from unveil.storage.log.outbox import Outgoing

M = TypeVar("M", bound=Machine)
T = TypeVar("T")
_TELLING: Final = 0.02  # of work, done before it tells how long the rest takes
_ERASED: dict[str, type[Message]] = {"Erased": Erased}


@dataclass(frozen=True, slots=True)
class WorkUnderWay:
    """
    Long work that is being done: what it is, in a word, and the share of it that is done, from 0 to 1.

    `left` are the seconds that the rest takes if it goes on as it went; None before that can be told.
    """

    name: str
    share: float
    left: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"a share of {self.share}")


def seconds_left(share: float, spent: float) -> float | None:
    """What the rest of some work takes if this share of it took so long; None while too little is done to tell."""
    return max(0.0, spent) * (1 - share) / share if share >= _TELLING else None


def _never() -> bool:
    """Nobody wants the work cancelled."""
    return False


class Host(Generic[M]):
    """Keeps one machine and its log in step. Threads may share it."""

    def __init__(self, build: Callable[[], M], log: ProjectLog, *, clock: Callable[[], float]) -> None:
        self.log = log
        #: Called with the machine, under the lock, whenever it has taken in a new entry or work has been done for it.
        self.noticed: Callable[[M], None] = lambda _: None
        self._build, self._clock = build, clock
        self._lock = threading.RLock()
        self._machine: M | None = None
        self._seen = 0  # the last entry that the machine has taken in
        self._erasable: dict[int, Erased] = {}  # entry -> what will stay of it
        self._working: WorkUnderWay | None = None  # replaced as a whole, so it can be read without the lock

    @property
    def machine(self) -> M:
        """The machine, folded from the log if need be."""
        return self._current(_never)

    @property
    def working(self) -> WorkUnderWay | None:
        """The long work that is being done now, None if there is none; never waits for anything."""
        return self._working

    def _current(self, cancelled: Callable[[], bool]) -> M:
        with self._lock:
            if self.log.state == "closed":
                self._machine = None  # nothing but counts and links may stay, in memory too
                raise Closed("the project is closed")
            if self._machine is None:
                self._machine = self._folded(cancelled)
                self._erase(self._machine)
                self.noticed(self._machine)
            return self._machine

    def take(self, sender: Address, message_id: str, frame: bytes, head: bytes | None = None) -> bool:
        """
        Keep a message and apply it; whether it was new. Durable on return. An id has one body: another conflicts.

        `head` is the head of the sender's log, which is noted with it.
        """
        known = self.log.find(str(sender), message_id)
        if known is not None:
            return self._repeated(known.same(frame))
        message = codec.decode(frame)
        with self._lock:
            machine = self.machine
            known = self.log.find(str(sender), message_id)
            if known is not None:
                return self._repeated(known.same(frame))
            envelope = Envelope(sender, machine.address, message)
            kept = machine.admit(envelope)
            stub = machine.stub(kept.message)
            with self._writing():
                seq = self.log.append(
                    kind="message",
                    sender=str(sender),
                    message_id=message_id,
                    body=frame,
                    kept=None if kept is envelope else frames.write(kept.message),
                    stub=frames.write(stub) if stub else b"",
                    time=self._clock(),
                    heard=head,
                )
            if stub is not None:
                self._erasable[seq] = stub
            machine.apply(kept)
            self._seen = seq
            self.noticed(machine)
        return True

    def advance(self, cancelled: Callable[[], bool] = _never, held: Callable[[], bool] = _never) -> bool:
        """
        Do the work and take every decision that is due; whether there was a decision.

        Work ends with the error Cancelled soon after `cancelled` says so. It stays due then, and nothing is lost. No
        decision is taken while it is `held`, which is asked before each.
        """
        moved = False
        while True:
            with self._lock:
                machine = self._current(cancelled)
                work = machine.work()
                if work is None:
                    step = None if held() else machine.decide(self._clock())
                    if step is None:
                        return moved
                    self.commit(step)
                    moved = True
                    continue
            result = self._run(work, cancelled)
            with self._lock:
                machine = self._current(cancelled)
                # Meanwhile another thread may have finished it, or the machine may have been folded anew.
                if machine.work() is work:
                    machine.finish_work(work, result)
                    self.noticed(machine)

    def commit(self, step: Step) -> None:
        """Write a decision down with the messages that it sends, then apply it. Durable on return."""
        with self._lock:
            machine = self.machine
            outgoing = []
            for envelope in step.messages:
                check_outgoing(envelope)
                body = codec.encode(envelope.message)
                outgoing.append(Outgoing(str(envelope.recipient), secrets.token_hex(16), body))
            with self._writing():
                seq = self.log.append(
                    kind="decision", body=frames.write(step.decision), time=self._clock(), outgoing=outgoing
                )
            machine.apply(step.decision)
            self._seen = seq
            self._erase(machine)
            self.noticed(machine)

    def deciding(self, decision: Callable[[M], Step | None]) -> bool:
        """Let a person decide: `decision` sees the machine as it is, and what it returns is committed."""
        with self._lock:
            step = decision(self.machine)
            if step is not None:
                self.commit(step)
            return step is not None

    def look(self, at: Callable[[M], T]) -> T:
        """What `at` finds at the machine, while nobody changes it."""
        with self._lock:
            return at(self.machine)

    def catch_up(self) -> bool:
        """Take in what another process wrote to the log, for whoever only looks; whether there was anything."""
        with self._lock:
            machine, before = self.machine, self._seen
            try:
                self._read(machine)
            except BaseException:
                self._machine = None
                raise
            return self._seen != before

    def close(self, result: Callable[[M, dict[str, int]], Mapping[str, bytes]]) -> dict[str, int]:
        """
        Close the project and return its counts; `result` says what is kept, and may refuse by raising.

        Another process may be at work on the same log: what it wrote after this machine was folded is taken in first.
        """
        with self._lock, self._writing():
            while True:
                machine, counts = self.machine, self.log.counts()
                try:
                    self.log.close(counts, result(machine, counts), time=self._clock(), seen=self._seen)
                except LogMoved:
                    self._read(machine)
                    continue
                self._machine = None
                return counts

    def _run(self, work: Work, cancelled: Callable[[], bool]) -> object:
        """Do long work; `working` tells how far it is, and how long the rest takes."""
        began = self._clock()

        def progress(share: float) -> None:
            if cancelled():
                raise Cancelled(f"{work.name} was stopped; it is done again after the next start")
            self._working = WorkUnderWay(work.name, share, seconds_left(share, self._clock() - began))

        try:
            progress(0.0)
            return work.run(progress)
        finally:
            self._working = None

    def _folded(self, cancelled: Callable[[], bool]) -> M:
        machine = self._build()
        self._seen, self._erasable = 0, {}
        self._read(machine, cancelled)
        return machine

    def _read(self, machine: M, cancelled: Callable[[], bool] = _never) -> None:
        """Let the machine take in what it has not seen of the log. Work between two entries is done under the lock."""
        for entry in self.log.entries(after=self._seen):
            fold(machine, self._event(entry, machine), run=lambda work: self._run(work, cancelled))
            self._seen = entry.seq

    def _event(self, entry: LogEntry, machine: M) -> Envelope | Decision:
        if entry.kind == "decision":
            assert entry.body is not None, "decisions are kept while a project is open"
            return frames.read(entry.body, machine.decisions)
        message: Message
        if entry.body is None:
            message = frames.read(entry.stub, _ERASED)
        else:
            message = codec.decode(entry.body)
            stub = machine.stub(message)
            if stub is not None:
                self._erasable[entry.seq] = stub
        return Envelope(address_of(entry.sender), machine.address, message)

    def _erase(self, machine: M) -> None:
        """Erase what the machine needs no more."""
        seqs = [seq for seq, stub in self._erasable.items() if machine.done_with(stub)]
        if seqs:
            with self._writing():
                self.log.erase(seqs, time=self._clock())
            for seq in seqs:
                del self._erasable[seq]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Around every write: after a failure the machine is folded anew."""
        try:
            yield
        except BaseException:
            # Whether the entry was written is not known for sure; the log knows.
            self._machine = None
            raise

    @staticmethod
    def _repeated(same: bool | None) -> bool:  # noqa: FBT001 - an answer of the log, passed on
        if same is False:
            raise Conflict("this id was used for another message")
        # Of erased contents nobody can tell; to take it for the repetition that it claims to be changes nothing.
        return False
