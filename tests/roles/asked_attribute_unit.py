"""An attribute unit with a batch of ten doubtful pairs, and the messages that lead there."""

from __future__ import annotations

import numpy as np
from small_project import (
    SCHEMA,
    A,
    B,
    ids,
    make_attribute_unit,
    reals,
    sent,
    with_protocol,
)

from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import (
    ID,
    AttributeEncodings,
    Bootstrap,
    Labels,
    OwnersAnswers,
    Refusal,
    ReviewLabel,
    ReviewTask,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.roles.attribute_unit.machine import AttributeUnit
from unveil.schema import Schema

#: Filters as small numbers: equal, half alike, unlike to 0b1111; 0 is missing.
FULL, HALF, OTHER, NONE = 0b1111, 0b0011_0011, 0b1111_0000, 0


def announced(pairs: list[int], g: list[int] | None = None, p: list[float] | None = None) -> Envelope:
    g, p = g or [1] * len(pairs), p or [0.6] * len(pairs)
    return Envelope(RECORD_UNIT, ATTRIBUTE_UNIT, Bootstrap(ids(*pairs), bytes(len(pairs)), bytes(g), reals(*p)))


def answer(sender: Address, pairs: list[int], filters: list[list[int]] | None = None, rank: int = 1) -> Envelope:
    """One small filter per pair and attribute, in 256 bits."""
    filters = filters or [[FULL] * 3] * len(pairs)
    wide = b"".join(value.to_bytes(32, "little") for row in filters for value in row)
    message = AttributeEncodings(3, 256, ids(*pairs), wide, bytes([rank] * 3 * len(pairs)))
    return Envelope(sender, ATTRIBUTE_UNIT, message)


def refusal(sender: Address, numbers: list[int] | bytes) -> Envelope:
    column = numbers if isinstance(numbers, bytes) else ids(*numbers)
    return Envelope(sender, ATTRIBUTE_UNIT, Refusal(column))


def verdict(task_ids: bytes, g: list[int], p: list[float] | None = None) -> Envelope:
    p = p or [1.0] * len(g)
    return Envelope(REVIEW_UNIT, ATTRIBUTE_UNIT, ReviewLabel(task_ids, bytes(g), reals(*p)))


def split(column: bytes) -> list[bytes]:
    return [column[start : start + ID] for start in range(0, len(column), ID)]


def labels(out: list[Envelope]) -> dict[bytes, tuple[int, float]]:
    message, *counts = sent(out, RECORD_UNIT)
    assert isinstance(message, Labels)
    assert all(isinstance(each, OwnersAnswers) for each in counts)
    p = np.frombuffer(message.p, "<f8").tolist()
    return dict(zip(split(message.pair_ids), zip(message.g, p, strict=True), strict=True))


TWO_LAYERS = with_protocol(SCHEMA, layers=2)
#: Ten pairs that contradict each other: equal evidence, and M_R calls every other one a match. M_A cannot be certain.
PAIRS = list(range(1, 11))
DOUBTFUL = [0, 1] * 5
#: Whichever pair is reviewed first, the few trees must not be certain of the others afterwards.
DOUBTING = with_protocol(SCHEMA, p_t=0.99)


def asking(schema: Schema = DOUBTING) -> tuple[AttributeUnit, ReviewTask, list[Envelope]]:
    """A unit that has compared ten doubtful pairs, its first review batch, and all that it sent with it."""
    unit = make_attribute_unit(schema)
    receive(unit, announced(PAIRS, DOUBTFUL))
    receive(unit, answer(A, PAIRS, [[FULL, HALF, FULL]] * 10))
    out = receive(unit, answer(B, PAIRS))
    (task,) = sent(out, REVIEW_UNIT)
    assert isinstance(task, ReviewTask)
    return unit, task, out


def asked(schema: Schema = DOUBTING) -> tuple[AttributeUnit, ReviewTask]:
    """A unit that has compared ten doubtful pairs, and its first review batch."""
    return asking(schema)[:2]
