"""CLK: all attributes of a record in one filter, each hashed under a key of its own (attribute salting)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import filters
from unveil.encoding.bits import or_rows
from unveil.encoding.filters import column_of, value_filters
from unveil.encoding.keys import Subkeys
from unveil.linkage.bits import word_count
from unveil.records import Records
from unveil.schema import Schema


def clk(records: Records, schema: Schema, keys: Subkeys) -> NDArray[np.uint64]:
    """
    For every record the OR of its attributes' filters, layer_r.m bits with the attribute's positions per q-gram.

    The key of an attribute is ("R", attribute name). A missing value adds no bits.
    """
    if len(records) >= filters.WORTH_COMPILING:
        from unveil.encoding.bulk import columns as bulk

        return bulk.clk(records, schema, keys)
    m = schema.layer_r.m
    out = np.zeros((len(records), word_count(m)), dtype=np.uint64)
    for index, attribute in enumerate(schema.attributes):
        column = column_of(records, attribute)
        key = keys.of("R", attribute=attribute.name)
        # One attribute's masks at a time: they are dropped before the next is hashed.
        h = attribute.positions_in(schema.layer_r)
        or_rows(out, value_filters(column, attribute, index, key=key, m=m, h=h), column.codes)
    return out
