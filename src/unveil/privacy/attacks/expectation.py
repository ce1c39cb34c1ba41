"""
What an attacker expects of the entries of its own register, if they were encoded as the targets were.

The schema is no secret, keys are. So it encodes its register under keys of its own, takes the mean over some of them,
and works out what hardening does to the agreement of two filters; of a filter salted by fields each part by itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bits import unpack
from unveil.encoding.blocking_keys import field_codes
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.salting import parts
from unveil.linkage.bits import Bits
from unveil.privacy.attacks.agreement import Matrix, View, agreements
from unveil.records import Records
from unveil.schema import Schema
from unveil.schema.fields import parse_field
from unveil.schema.hardening import METHODS

#: Keys of the attacker's own that expectations are the mean of: positions that collide under one do not under another.
KEYS: Final = 3


def views_of(targets: Bits, register: Records, schema: Schema, *, keys: int = KEYS) -> list[View]:
    """How targets and entries of a register are alike, part by part of the filter."""
    expected = _before_hardening(register, schema, keys)
    by: tuple[str, ...] = ()
    for step in schema.layer_r.hardening:
        method = METHODS[step.method]
        expected = expected ** method.xor_of(step)
        if method.coins_leave is not None:
            expected *= np.float32(method.coins_leave(step))
        by = step.by or by
    bits = unpack(targets.words, targets.m)
    if not by:
        return [View(agreements(bits), expected, 1 / targets.m)]
    found = []
    for field, (start, end) in zip(by, parts(targets.m, len(by)), strict=True):
        alike = np.where(_same(register, schema, field), expected, np.float32(0))
        found.append(View(agreements(bits[:, start:end]), alike, 1 / (end - start)))
    return found


def _before_hardening(register: Records, schema: Schema, keys: int) -> Matrix:
    layer = schema.layer_r.model_copy(update={"hardening": ()})
    plain = schema.model_copy(update={"layer_r": layer})
    total = np.zeros((len(register), len(register)), np.float32)
    for number in range(keys):
        encoder = Encoder(plain, OwnerKey(bytes([number + 1]) * 32), project="attack")
        total += agreements(unpack(encoder.record_level(register), encoder.m))
    total /= np.float32(keys)
    return total


def _same(register: Records, schema: Schema, field: str) -> NDArray[np.bool_]:
    """Which two entries agree on that field; a missing one agrees with nothing."""
    part = parse_field(field)
    values, codes = field_codes(register, schema.attribute(part.attribute), part.transform)
    same: NDArray[np.bool_] = codes[:, None] == codes[None, :]
    if "" in values:
        same &= (codes != values.index(""))[:, None]
    np.fill_diagonal(same, val=False)
    return same
