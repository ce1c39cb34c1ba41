"""
What every role is: a machine without IO whose state is the fold of its log.

A log has two kinds of entries, messages that were received and decisions that were taken. `admit` checks a message,
`decide` takes the next decision that is due; both change nothing, so that an entry can be made durable before `apply`
takes it in. After a restart the same entries are applied again: no decision is taken twice.

Some decisions need long work first, such as comparing all records. It is no entry of the log, for it follows from the
log: a machine says by `work` that it is due and decides nothing until `finish_work` has taken its result in. So whoever
drives the machine can do it outside every lock, tell how far it is, or stop it and do it again another time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from unveil.errors import LocalProtocolError
from unveil.protocol.columnar import Columnar
from unveil.protocol.flows import Envelope
from unveil.protocol.messages import ID, Message
from unveil.protocol.roles import Address


@dataclass(frozen=True, slots=True, repr=False)
class Decision(Columnar):
    """What a machine decided: everything that chance, a clock, a person or a model had a part in."""


@dataclass(frozen=True, slots=True, repr=False)
class Erased(Message):
    """Stands in a log for a message whose contents are gone: the pairs or tasks that it was about."""

    KEY = "ids"
    WIDTHS = {"ids": ID}
    ids: bytes


@dataclass(frozen=True, slots=True)
class Step:
    """A decision and what is to be sent because of it, once it is written down."""

    decision: Decision
    messages: tuple[Envelope, ...] = ()


#: Is given the share of long work that is done, from 0 to 1. It may raise Cancelled, which ends the work.
ShareDone = Callable[[float], None]


class Work(Protocol):
    """Long work that is due: a frozen value. A machine gives the same object until the work is finished."""

    @property
    def name(self) -> str:
        """What is done, in a word for people: "comparing"."""
        ...

    def run(self, progress: ShareDone, /) -> object:
        """The result, which depends on this value alone and changes nothing: it may be computed anywhere, and again."""
        ...


class Machine(Protocol):
    """A role."""

    #: Kinds of decisions that it takes, by name.
    decisions: ClassVar[Mapping[str, type[Decision]]]

    @property
    def address(self) -> Address:
        """Who it is."""
        ...

    def admit(self, envelope: Envelope) -> Envelope:
        """Check a message and return what is to be kept of it; RemoteProtocolError or TooEarly if it is not taken."""
        ...

    def apply(self, event: Envelope | Decision) -> None:
        """Take in one entry of the log."""
        ...

    def decide(self, now: float) -> Step | None:
        """The next decision that is due, or None; always None while work is due."""
        ...

    def work(self) -> Work | None:
        """The long work that the next decision waits for, or None. Quick to ask: it is asked before every decision."""
        ...

    def finish_work(self, work: Work, result: object) -> None:
        """Take in the result of the work that is due; LocalProtocolError for any other, which changes nothing."""
        ...

    def unfinished(self) -> str:
        """What the role still has to do in the project, as far as it can know that; empty if nothing."""
        ...

    def kept_at_closing(self) -> Mapping[str, bytes]:
        """What must stay when the project is closed and all else erased, by name."""
        ...

    def stub(self, message: Message) -> Erased | None:
        """What must stay of a message when its contents are erased; None if they are never erased."""
        ...

    def done_with(self, message: Erased) -> bool:
        """Whether the contents of a message are needed no more, going by what stays of it."""
        ...


class KeepsAll:
    """For roles that need every message until the project is closed."""

    def stub(self, message: Message) -> Erased | None:
        """Nothing is erased."""
        del message
        return None

    def done_with(self, message: Erased) -> bool:
        """Everything is needed."""
        del message
        return False


class NoLongWork:
    """For roles whose decisions are quick."""

    def work(self) -> Work | None:
        """Never any."""
        return None

    def finish_work(self, work: Work, result: object) -> None:
        """None is ever due."""
        del result
        raise LocalProtocolError(f"no work is due here, least of all {work.name}")


class NothingKept:
    """For roles of whose work nothing stays when the project is closed."""

    def kept_at_closing(self) -> Mapping[str, bytes]:
        """Nothing."""
        return {}


def _plainly(work: Work) -> object:
    """The result of work that nobody watches."""
    return work.run(lambda _: None)


def do_due_work(machine: Machine, run: Callable[[Work], object] = _plainly) -> None:
    """Do the long work that is due, here and now; `run` may watch it."""
    while (work := machine.work()) is not None:
        machine.finish_work(work, run(work))


def fold(machine: Machine, event: Envelope | Decision, run: Callable[[Work], object] = _plainly) -> None:
    """
    Apply an entry of a log that was written before.

    No decision is taken while work is due, so one that stands in the log comes after that work. Messages may have come
    while it was under way: they do not need it.
    """
    if isinstance(event, Decision):
        do_due_work(machine, run)
    machine.apply(event)


def settle(machine: Machine, now: float = 0.0) -> list[Envelope]:
    """Do the work and take every decision that is due; return what is to be sent."""
    out: list[Envelope] = []
    do_due_work(machine)
    while (step := machine.decide(now)) is not None:
        machine.apply(step.decision)
        out += step.messages
        do_due_work(machine)
    return out


def receive(machine: Machine, envelope: Envelope, now: float = 0.0) -> list[Envelope]:
    """Take one message and every decision that it makes due; return what is to be sent."""
    machine.apply(machine.admit(envelope))
    return settle(machine, now)
