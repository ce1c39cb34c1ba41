"""
What an attacker expects of the entries of its own register, if they were encoded as the targets were.

The schema is no secret, keys are. So it encodes its register under keys of its own, takes the mean over some of them,
and works out what hardening does to the agreement of two filters; of a filter salted by fields each part by itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.encoding.bits import unpack
from unveil.encoding.blocking_keys import field_codes
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.salting import parts
from unveil.linkage.bits import Bits
from unveil.privacy.attacks.agreement import Expected, Matrix, View, agreements, signs
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
    each = signs(unpack(targets.words, targets.m))
    if not by:
        return [View(each, expected, 1 / targets.m)]
    return [
        View(np.ascontiguousarray(each[:, start:end]), _alike(register, schema, field, expected), 1 / (end - start))
        for field, (start, end) in zip(by, parts(targets.m, len(by)), strict=True)
    ]


def _before_hardening(register: Records, schema: Schema, keys: int) -> Matrix:
    layer = schema.layer_r.model_copy(update={"hardening": ()})
    plain = schema.model_copy(update={"layer_r": layer})
    total = np.zeros((len(register), len(register)), np.float32)
    for number in range(keys):
        encoder = Encoder(plain, OwnerKey(bytes([number + 1]) * 32), project="attack")
        total += agreements(unpack(encoder.record_level(register), encoder.m))
    total /= np.float32(keys)
    return total


def _alike(register: Records, schema: Schema, field: str, expected: Matrix) -> Expected:
    """What is expected of two entries that agree on that field, and nothing of others; missing agrees with nothing."""
    from scipy.sparse import csr_array

    part = parse_field(field)
    values, codes = field_codes(register, schema.attribute(part.attribute), part.transform)
    order = np.argsort(codes, kind="stable")
    rows, columns, found = [], [], []
    for group in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        if not values[codes[group[0]]]:
            continue
        rows.append(np.repeat(group, len(group)))
        columns.append(np.tile(group, len(group)))
        found.append(expected[np.ix_(group, group)].ravel())
    shape = expected.shape
    if not rows:
        return csr_array(shape, dtype=np.float32)
    return csr_array((np.concatenate(found), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
