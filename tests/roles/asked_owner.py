"""What units ask of an owner, and what it sends to reviewers."""

from __future__ import annotations

from small_project import NAMES, handles, ids, sent

from unveil.protocol.flows import Envelope
from unveil.protocol.messages import ID, AttributeValues, AttributeWish, EncodingWish
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT
from unveil.roles.owner.machine import Owner


def keys(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(32, "big") for number in numbers)


def wish(party: Owner, rows: list[int], pairs: list[int], key_pairs: list[int]) -> Envelope:
    """The record unit asks for these rows."""
    known = handles(party)
    message = EncodingWish(0, party.upload_id, ids(*pairs), b"".join(known[row] for row in rows), keys(*key_pairs))
    return Envelope(RECORD_UNIT, party.address, message)


def show(party: Owner, pairs: list[int], tasks: list[int], asked: list[list[int]]) -> Envelope:
    """The attribute unit asks for values."""
    message = AttributeWish(len(NAMES), ids(*pairs), ids(*tasks), bytes(mark for row in asked for mark in row))
    return Envelope(ATTRIBUTE_UNIT, party.address, message)


def values(out: list[Envelope]) -> dict[bytes, dict[str, str]]:
    return {
        message.task_ids[i * ID : (i + 1) * ID]: dict(one)
        for message in sent(out, REVIEW_UNIT)
        if isinstance(message, AttributeValues)
        for i, one in enumerate(message.values)
    }
