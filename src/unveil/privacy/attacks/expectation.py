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
from unveil.linkage.bits import Bits
from unveil.privacy.attacks.agreement import Grouped, Matrix, Rows, View, signs
from unveil.records import Records
from unveil.schema import Schema
from unveil.schema.fields import parse_field
from unveil.schema.hardening import METHODS, parts

#: Keys of the attacker's own that expectations are the mean of: positions that collide under one do not under another.
KEYS: Final = 3


def views_of(targets: Bits, register: Records, schema: Schema, *, keys: int = KEYS) -> list[View]:
    """How targets and entries of a register are alike, part by part of the filter."""
    plain = _plain_signs(register, schema, keys)
    by: tuple[str, ...] = ()
    for step in schema.layer_r.hardening:
        by = step.by or by
    each = signs(unpack(targets.words, targets.m))
    if not by:
        everybody = np.arange(len(register))
        return [View(each, _hardened(plain, everybody, schema), 1 / targets.m)]
    return [
        View(np.ascontiguousarray(each[:, start:end]), _alike(register, schema, field, plain), 1 / (end - start))
        for field, (start, end) in zip(by, parts(targets.m, len(by)), strict=True)
    ]


def _plain_signs(register: Records, schema: Schema, keys: int) -> list[Matrix]:
    """Filters of the register before any hardening, under each of the attacker's keys."""
    layer = schema.layer_r.model_copy(update={"hardening": ()})
    plain = schema.model_copy(update={"layer_r": layer})
    encoders = [Encoder(plain, OwnerKey(bytes([number + 1]) * 32), project="attack") for number in range(keys)]
    return [signs(unpack(encoder.record_level(register), encoder.m)) for encoder in encoders]


def _hardened(plain: list[Matrix], rows: Rows, schema: Schema) -> Matrix:
    """How much these entries agree after hardening; 0 for one and itself."""
    total = np.zeros((len(rows), len(rows)), np.float32)
    for each in plain:
        some = each[rows]
        total += some @ some.T
    total /= np.float32(len(plain) * plain[0].shape[1])
    np.fill_diagonal(total, 0)
    for step in schema.layer_r.hardening:
        method = METHODS[step.method]
        power = method.xor_of(step)
        if power != 1:
            total **= power
        if method.coins_leave is not None:
            total *= np.float32(method.coins_leave(step))
    return total


def _alike(register: Records, schema: Schema, field: str, plain: list[Matrix]) -> Grouped:
    """What is expected of entries that agree on that field, and nothing of others; missing agrees with nothing."""
    part = parse_field(field)
    values, codes = field_codes(register, schema.attribute(part.attribute), part.transform)
    order = np.argsort(codes, kind="stable")
    groups = [
        group
        for group in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
        if len(group) and values[codes[group[0]]]
    ]
    return Grouped.of(len(register), groups, [_hardened(plain, group, schema) for group in groups])
