"""
ABF: one filter per attribute; plain, or keyed for one pair (KABF).

Plain filters use one key for all records. They serve as the baseline and as the control of the attack study, and are
not sent by the protocol. A keyed filter is made for one pair: at most two records ever share its hash functions, so no
frequency table can form at the attribute unit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import filters
from unveil.encoding.bits import CHUNK_BYTES
from unveil.encoding.filters import column_of, value_filters
from unveil.encoding.hashing import gathered, positions
from unveil.encoding.keys import SHORTEST_KEY, Subkeys
from unveil.encoding.qgrams import tokenise
from unveil.errors import SettingError
from unveil.linkage.bits import word_count
from unveil.records import Records
from unveil.schema import Schema

_ROWS_AT_ONCE = 2048


def abf(records: Records, schema: Schema, keys: Subkeys) -> NDArray[np.uint64]:
    """For every record and attribute a filter of layer_a.m bits under the key ("A", attribute name)."""
    m = schema.layer_a.m
    out = np.empty((len(records), len(schema.attributes), word_count(m)), dtype=np.uint64)
    for index, attribute in enumerate(schema.attributes):
        column = column_of(records, attribute)
        key = keys.of("A", attribute=attribute.name)
        out[:, index] = value_filters(column, attribute, index, key=key, m=m, h=attribute.h)[column.codes]
    return out


def kabf(
    records: Records,
    rows: NDArray[np.int64],
    key_pairs: Sequence[bytes],
    schema: Schema,
    keys: Subkeys,
    *,
    run: bytes = b"",
) -> NDArray[np.uint64]:
    """For record rows[i] and every attribute a filter under the key ("A", pair key_pairs[i], attribute name)."""
    if len(rows) >= filters.WORTH_COMPILING:
        from unveil.encoding.bulk import columns as bulk

        return bulk.kabf(records, rows, key_pairs, schema, keys, run=run)
    return _one_by_one(records, rows, key_pairs, schema, keys, run=run)


def _one_by_one(
    records: Records,
    rows: NDArray[np.int64],
    key_pairs: Sequence[bytes],
    schema: Schema,
    keys: Subkeys,
    *,
    run: bytes = b"",
) -> NDArray[np.uint64]:
    """The same through the library's HMAC, token by token: for small batches, and the reference of the kernels."""
    m = schema.layer_a.m
    out = np.empty((len(rows), len(schema.attributes), word_count(m)), dtype=np.uint64)
    step = max(1, min(_ROWS_AT_ONCE, CHUNK_BYTES // m))
    for index, attribute in enumerate(schema.attributes):
        column = column_of(records, attribute)
        wanted, value = np.unique(column.codes[rows], return_inverse=True)
        tokens = tokenise([column.distinct[code] for code in wanted.tolist()], attribute, index)
        token_lists, counts = tokens.lists(), tokens.counts[value]
        pair_keys = keys.of_pairs(key_pairs, attribute.name, run=run)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            jobs = [(key, token_lists[v]) for key, v in zip(pair_keys[part], value[part].tolist(), strict=True)]
            owner = np.repeat(np.arange(len(jobs)), counts[part])
            out[part, index] = gathered(positions(jobs, m=m, h=attribute.h), owner, len(jobs), m=m)
    return out


def checked(n: int, rows: NDArray[np.int64], key_pairs: Sequence[bytes]) -> None:
    """Raise SettingError unless every row is a record and has a key that is long enough."""
    if len(rows) != len(key_pairs):
        raise SettingError(f"{len(rows)} rows but {len(key_pairs)} pair keys")
    # A negative row would silently pick, and disclose, a record counted from the end.
    if len(rows) and (rows.min() < 0 or rows.max() >= n):
        raise SettingError(f"a row lies outside the {n} records")
    for place, key_pair in enumerate(key_pairs):
        if len(key_pair) < SHORTEST_KEY:
            raise SettingError(f"pair key {place} has {len(key_pair)} bytes, fewer than {SHORTEST_KEY}")
