"""
What every role is: a machine without IO whose state is the fold of its log.

A log has two kinds of entries, messages that were received and decisions that were taken. `admit` checks a message,
`decide` takes the next decision that is due; both change nothing, so that an entry can be made durable before `apply`
takes it in. After a restart the same entries are applied again: no decision is taken twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from unveil.protocol.flows import Envelope
from unveil.protocol.messages import ID, Columnar, Message
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
        """The next decision that is due, or None."""
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


def settle(machine: Machine, now: float = 0.0) -> list[Envelope]:
    """Take every decision that is due; return what is to be sent."""
    out: list[Envelope] = []
    while (step := machine.decide(now)) is not None:
        machine.apply(step.decision)
        out += step.messages
    return out


def receive(machine: Machine, envelope: Envelope, now: float = 0.0) -> list[Envelope]:
    """Take one message and every decision that it makes due; return what is to be sent."""
    machine.apply(machine.admit(envelope))
    return settle(machine, now)
