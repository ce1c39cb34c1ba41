from __future__ import annotations

import itertools
from dataclasses import fields, replace
from typing import Any

import pytest
from every_message import SAMPLES

from unveil.errors import LocalProtocolError, ProtocolError, RemoteProtocolError
from unveil.protocol import frames
from unveil.protocol import messages as m
from unveil.protocol.codec import FrameError, decode
from unveil.protocol.flows import FLOWS, Envelope, check_incoming, check_outgoing, too_early
from unveil.protocol.machine import Erased
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address, Role, owner

PARTIES = (owner("a"), RECORD_UNIT, ATTRIBUTE_UNIT, REVIEW_UNIT)
O, R, A, C = Role.OWNER, Role.RECORD_UNIT, Role.ATTRIBUTE_UNIT, Role.REVIEW_UNIT  # noqa: E741 - the owner

#: The table of the design, written down a second time.
DESIGN = {
    ("Fingerprint", O, R),
    ("Agreement", R, O),
    ("RecordEncodings", O, R),
    ("EncodingWish", R, O),
    ("Bootstrap", R, A),
    ("AttributeEncodings", O, A),
    ("Refusal", O, A),
    ("AttributeWish", A, O),
    ("FurtherWish", C, A),
    ("FurtherWish", A, O),
    ("ReviewTask", A, C),
    ("AttributeValues", O, C),
    ("Refusal", O, C),
    ("Refusal", C, A),
    ("ReviewLabel", C, A),
    ("BatchLearnt", A, C),
    ("Labels", A, R),
    ("LinkTable", R, O),
    ("JoinTable", R, O),
    ("LinkQuality", R, O),
    ("OwnersAnswers", A, R),
}


def test_the_table_is_that_of_the_design() -> None:
    """A flow that is added by mistake is a leak."""
    assert DESIGN == {(kind.__name__, *flow) for kind, flows in FLOWS.items() for flow in flows}


def test_every_message_has_a_flow() -> None:
    """A message that nobody may send is dead, and the codec reads only those in the table."""
    made = {kind for kind in m.Message.__subclasses__() if kind.__module__ == m.__name__}
    assert {kind.__name__ for kind in made} == {kind.__name__ for kind in FLOWS}


def test_what_stands_in_a_log_for_an_erased_message_flows_nowhere() -> None:
    """Sent by anybody it would make a unit believe that it had the contents before."""
    for sender, recipient in itertools.product(PARTIES, PARTIES):
        with pytest.raises(ProtocolError):
            check_incoming(Envelope(sender, recipient, Erased(bytes(16))))
    with pytest.raises(FrameError, match="unknown kind"):
        decode(frames.write(Erased(bytes(16))))


@pytest.mark.parametrize(("sender", "recipient"), list(itertools.product(PARTIES, PARTIES)), ids=str)
def test_only_what_the_table_allows_is_sent_and_taken(sender: Address, recipient: Address) -> None:
    """Every role to every role, every message."""
    for message in SAMPLES:
        envelope = Envelope(sender, recipient, message)
        if (type(message).__name__, sender.role, recipient.role) in DESIGN:
            check_outgoing(envelope)
            check_incoming(envelope)
            continue
        with pytest.raises(LocalProtocolError):
            check_outgoing(envelope)
        with pytest.raises(RemoteProtocolError) as error:
            check_incoming(envelope)
        assert (str(sender), type(message).__name__) == (error.value.sender, error.value.kind)


def test_nobody_sends_a_message_that_is_not_in_the_table() -> None:
    """The base class is no message."""
    with pytest.raises(ProtocolError):
        check_outgoing(Envelope(owner("a"), RECORD_UNIT, m.Message()))


def test_outcomes_never_flow_to_an_owner() -> None:
    """An owner must not learn what anybody thinks of a pair."""
    carrying = {kind for kind in FLOWS if {"g", "p"} & {field.name for field in fields(kind)}}
    assert {m.Bootstrap, m.ReviewLabel, m.Labels} == carrying
    assert not [flow for kind in carrying for flow in FLOWS[kind] if Role.OWNER in flow]


def test_plaintext_flows_from_owners_to_the_review_unit_alone() -> None:
    """One message has texts; all others are bytes and numbers."""
    texts = {kind for kind in FLOWS if any(field.type not in ("bytes", "int") for field in fields(kind))}
    assert {m.AttributeValues} == texts
    assert {(Role.OWNER, Role.REVIEW_UNIT)} == FLOWS[m.AttributeValues]


def test_labels_go_from_the_attribute_unit_to_the_record_unit_alone() -> None:
    """Back-propagation has one way: upward."""
    assert {(Role.ATTRIBUTE_UNIT, Role.RECORD_UNIT)} == FLOWS[m.Labels]


def test_owners_never_talk_to_each_other() -> None:
    """They share a key, not records."""
    assert not [flow for flows in FLOWS.values() for flow in flows if flow == (Role.OWNER, Role.OWNER)]


def test_the_table_cannot_be_changed_at_run_time() -> None:
    """It is a constant of the protocol."""
    with pytest.raises(TypeError):
        FLOWS[m.Labels] = frozenset()  # type: ignore[index]


def test_addresses_are_written_as_people_say_them() -> None:
    """They stand in errors."""
    assert ("owner a", "record unit") == (str(owner("a")), str(RECORD_UNIT))
    assert Role.OWNER is owner("a").role


def test_too_early_is_told_apart_from_never() -> None:
    """A transport sends the same message again after the one, and gives up after the other; both name the sender."""
    error = too_early(Envelope(owner("a"), REVIEW_UNIT, m.Refusal(b"")), "a task that is not known yet")
    assert isinstance(error, RemoteProtocolError)
    assert ("owner a", "Refusal") == (error.sender, error.kind)


#: Kinds that say something without an entry: an owner without records, a batch of nothing uncertain, no change.
EMPTY = {m.RecordEncodings, m.Bootstrap, m.Labels, m.LinkTable}


@pytest.mark.parametrize("sample", [one for one in SAMPLES if one.KEY], ids=lambda sample: type(sample).__name__)
def test_a_message_about_nothing_is_neither_sent_nor_taken(sample: m.Message) -> None:
    """Checks of its entries find no fault with it, so it could be sent, and kept, without end."""
    emptied: dict[str, Any] = dict.fromkeys(sample.widths(), b"")
    if isinstance(sample, m.AttributeValues):
        emptied["values"] = ()
    nothing = replace(sample, **emptied)
    roles = {party.role: party for party in PARTIES}
    for sender, recipient in FLOWS[type(sample)]:
        envelope = Envelope(roles[sender], roles[recipient], nothing)
        if type(sample) in EMPTY:
            check_outgoing(envelope)
            check_incoming(envelope)
            continue
        with pytest.raises(LocalProtocolError, match="about nothing"):
            check_outgoing(envelope)
        with pytest.raises(RemoteProtocolError, match="about nothing"):
            check_incoming(envelope)
