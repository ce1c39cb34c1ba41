"""Uploads made by hand, whose similarities are known, and a record unit that has taken them."""

from __future__ import annotations

from small_project import OWNERS, A, B, ids, make_record_unit, sent

from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import Bootstrap, Fingerprint, RecordEncodings
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address
from unveil.roles.record_unit.machine import RecordUnit

M = 1024  # bits of a filter

#: Ones in common with the partner, out of 100 each: pair i has similarity SHARED[i] / 100.
SHARED = (100, 77, 75, 73, 71, 69, 68, 66, 40)


FINGERPRINT = b"the same for all"


def fingerprint(sender: Address, value: bytes = FINGERPRINT) -> Envelope:
    return Envelope(sender, RECORD_UNIT, Fingerprint(value))


def upload(
    sender: Address,
    *,
    first: int = 0,
    part: int = 0,
    parts: int = 1,
    m: int = M,
    shared: tuple[int, ...] = SHARED,
    blocks: int = 0,
) -> Envelope:
    """Record i of either owner is in block i alone; its filter has 100 ones, shared[i] of them common to both."""
    filters, blocking = bytearray(), bytearray()
    for i, common in enumerate(shared):
        mine = range(common, 100) if sender == A else range(100 + common, 200)
        bits = sum(1 << bit for bit in (*range(common), *mine))
        filters += bits.to_bytes(m // 8, "little")
        blocking += (blocks + i + 1).to_bytes(16, "big")
    handles = ids(*(first + i for i in range(len(shared))))
    message = RecordEncodings(
        str(sender).encode().ljust(16), part, parts, m, 1, handles, bytes(filters), bytes(blocking)
    )
    return Envelope(sender, RECORD_UNIT, message)


def agreed(unit: RecordUnit | None = None) -> RecordUnit:
    """A unit whose owners share key and parameters."""
    unit = unit or make_record_unit()
    for party in OWNERS:
        receive(unit, fingerprint(party))
    return unit


def asking(unit: RecordUnit | None = None) -> tuple[RecordUnit, Bootstrap, list[Envelope]]:
    """A unit that has compared, the batch that it announced, and all that it sent with it."""
    unit = agreed(unit)
    assert [] == receive(unit, upload(A))
    out = receive(unit, upload(B, first=100))
    (batch,) = sent(out, ATTRIBUTE_UNIT)
    assert isinstance(batch, Bootstrap)
    return unit, batch, out
