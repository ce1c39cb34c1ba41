"""The protocol as a table: which message may go from which role to which. Whatever is not here is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from unveil.errors import LocalProtocolError, RemoteProtocolError, TooEarly
from unveil.protocol import messages as m
from unveil.protocol.roles import Address, Role

OWNER, RECORD, ATTRIBUTE, REVIEW = Role.OWNER, Role.RECORD_UNIT, Role.ATTRIBUTE_UNIT, Role.REVIEW_UNIT

FLOWS: Final[Mapping[type[m.Message], frozenset[tuple[Role, Role]]]] = MappingProxyType(
    {
        m.Fingerprint: frozenset({(OWNER, RECORD)}),
        m.Agreement: frozenset({(RECORD, OWNER)}),
        m.RecordEncodings: frozenset({(OWNER, RECORD)}),
        m.EncodingWish: frozenset({(RECORD, OWNER)}),
        m.Bootstrap: frozenset({(RECORD, ATTRIBUTE)}),
        m.AttributeEncodings: frozenset({(OWNER, ATTRIBUTE)}),
        m.AttributeWish: frozenset({(ATTRIBUTE, OWNER)}),
        m.FurtherWish: frozenset({(REVIEW, ATTRIBUTE), (ATTRIBUTE, OWNER)}),
        m.ReviewTask: frozenset({(ATTRIBUTE, REVIEW)}),
        m.AttributeValues: frozenset({(OWNER, REVIEW)}),
        m.Refusal: frozenset({(OWNER, ATTRIBUTE), (OWNER, REVIEW), (REVIEW, ATTRIBUTE)}),
        m.ReviewLabel: frozenset({(REVIEW, ATTRIBUTE)}),
        m.BatchLearnt: frozenset({(ATTRIBUTE, REVIEW)}),
        m.Labels: frozenset({(ATTRIBUTE, RECORD)}),
        m.LinkTable: frozenset({(RECORD, OWNER)}),
        m.JoinTable: frozenset({(RECORD, OWNER)}),
        m.LinkQuality: frozenset({(RECORD, OWNER)}),
        m.OwnersAnswers: frozenset({(ATTRIBUTE, RECORD)}),
    }
)


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message on its way."""

    sender: Address
    recipient: Address
    message: m.Message


def may_flow(envelope: Envelope) -> bool:
    """Whether the table allows this message between these roles."""
    return (envelope.sender.role, envelope.recipient.role) in FLOWS.get(type(envelope.message), frozenset())


def says_nothing(message: m.Message) -> bool:
    """Whether the message has no entry although its kind needs one."""
    return bool(message.KEY) and not message.MAY_BE_EMPTY and not len(message)


def check_outgoing(envelope: Envelope) -> None:
    """Refuse to send what the table does not allow, and what says nothing."""
    kind = type(envelope.message).__name__
    if not may_flow(envelope):
        raise LocalProtocolError(f"{envelope.sender} must not send {kind} to {envelope.recipient}")
    if says_nothing(envelope.message):
        raise LocalProtocolError(f"{envelope.sender} must not send {kind} about nothing")


def check_incoming(envelope: Envelope) -> None:
    """Refuse to take what the table does not allow, and what says nothing."""
    if not may_flow(envelope):
        raise refused(envelope, f"not allowed to {envelope.recipient}")
    if says_nothing(envelope.message):
        # No check of its entries would find fault with it, so it could be sent, and be kept, without end.
        raise refused(envelope, "about nothing")


def too_early(envelope: Envelope, problem: str) -> TooEarly:
    """The error for a message that came before what it refers to."""
    return TooEarly(str(envelope.sender), type(envelope.message).__name__, problem)


def refused(envelope: Envelope, problem: str) -> RemoteProtocolError:
    """The error for a message that its recipient does not take."""
    return RemoteProtocolError(str(envelope.sender), type(envelope.message).__name__, problem)
