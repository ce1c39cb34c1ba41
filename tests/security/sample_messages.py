"""One small message of every kind, of the shape that the built-in schema asks for, with fresh ids."""

from __future__ import annotations

import secrets

from unveil.linkage.shown import SHOWN
from unveil.protocol import messages as m

WIDTH = 7  # attributes
M_A, M_R, KEYS = 1024 + 64, 2048, 3  # signs and their mark
SURE = b"\x00" * 6 + b"\xf0\x3f"  # 1.0


def id_() -> bytes:
    """A fresh id."""
    return secrets.token_bytes(m.ID)


def record_encodings(*, part: int = 0, parts: int = 1, records: int = 1) -> m.RecordEncodings:
    """A part of an upload."""
    draw = secrets.token_bytes
    filters, keys = draw(M_R // 8 * records), draw(m.HASH * KEYS * records)
    return m.RecordEncodings(bytes(16), part, parts, M_R, KEYS, draw(m.ID * records), filters, keys)


def attribute_encodings(pairs: int = 1) -> m.AttributeEncodings:
    """Answers for pairs that nobody asked about."""
    filters = secrets.token_bytes(pairs * WIDTH * M_A // 8)
    return m.AttributeEncodings(WIDTH, M_A, secrets.token_bytes(m.ID * pairs), filters, bytes(WIDTH * pairs))


def samples() -> dict[type[m.Message], m.Message]:
    """A message of every kind."""
    found: list[m.Message] = [
        m.Fingerprint(bytes(m.ID)),
        m.Agreement(1, bytes(range(16))),
        record_encodings(),
        m.EncodingWish(0, id_(), id_(), id_(), id_() * 2),
        m.Bootstrap(id_(), b"\x00", b"\x01", SURE),
        attribute_encodings(),
        m.Refusal(id_()),
        m.AttributeWish(WIDTH, id_(), id_(), bytes(WIDTH)),
        m.FurtherWish(WIDTH, id_(), id_(), b"\x01" + bytes(WIDTH - 1)),
        m.ReviewTask(WIDTH, id_(), bytes([SHOWN]) * WIDTH, bytes(WIDTH)),
        m.AttributeValues(id_(), ({"last_name": "meier"},)),
        m.ReviewLabel(id_(), b"\x01", SURE),
        m.BatchLearnt(1, 9, 3, 1, 1, 9_000, 9_100),
        m.Labels(id_(), b"\x01", SURE),
        m.LinkTable(0, 1, id_(), id_()),
        m.JoinTable(0, 1, id_() * 2, id_() * 2, bytes(m.SEALED_QUALITY), id_()),
        m.LinkQuality(3, 1, 0, b""),
        m.OwnersAnswers(0, 3, bytes(8)),
    ]
    return {type(one): one for one in found}
