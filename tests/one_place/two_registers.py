"""Generated people in two registers, and how they are encoded and compared in one place."""

from __future__ import annotations

from functools import cache

import numpy as np

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.engines import choose
from unveil.lab.synthetic import Registers, generate
from unveil.linkage.engine import Compare, Neighbours, comparing
from unveil.one_place.linked import LinkedRecords
from unveil.records import Column, Records
from unveil.schema import Schema, built_in

SCHEMA = built_in()


@cache
def people() -> Registers:
    return generate(records=1500, overlap=0.3, errors=1, seed=3)


def encoder(schema: Schema = SCHEMA) -> Encoder:
    return Encoder(schema, OwnerKey(bytes(32)), project="p")


def compare_of(schema: Schema) -> Compare:
    protocol = schema.protocol
    near = Neighbours.of(protocol)
    return comparing(choose(), floor=protocol.floor, max_block=protocol.max_block, neighbours=near)


def pairs(found: LinkedRecords) -> set[tuple[int, int]]:
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


def f1_of(found: LinkedRecords, registers: Registers) -> float:
    truth = set(map(tuple, registers.truth.tolist()))
    return 2 * len(pairs(found) & truth) / (len(found) + len(truth))


def with_rows_again(records: Records, rows: list[int]) -> Records:
    """The records, and these rows once more under ids of their own."""
    more = {
        name: Column(one.distinct, np.concatenate([one.codes, one.codes[rows]]))
        for name, one in records.columns.items()
    }
    return Records([*records.ids, *(f"again {row}" for row in rows)], more)
