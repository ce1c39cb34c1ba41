"""
Whole columns at once: the encodings of `clk`, `filters` and `abf` through compiled kernels, on every core, bit for bit.

Values are cut into tokens without a Python object per token, every distinct token of an attribute is hashed once, and
tokens' masks make values' filters, values' filters make records'. Only a keyed filter is hashed for each pair anew:
that is its purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bulk import pair_streams, sign_streams, streams
from unveil.encoding.bulk.compiled import at_once, shared
from unveil.encoding.bulk.grams import Grams, cut
from unveil.encoding.bulk.sha256 import flat, one_key
from unveil.encoding.filters import column_of
from unveil.encoding.keys import Subkeys
from unveil.linkage.bits import word_count
from unveil.records import Column, Records
from unveil.schema import Attribute, Schema

#: Filters of values that are held at a time stay below this, or are those of a single attribute.
MASK_BYTES = 1 << 27
_ROWS_AT_ONCE = 1 << 16
#: Fewer pairs than this are hashed in less time than it takes to begin a thread.
WORTH_SHARING = 500

#: An attribute with its place in the schema and its column.
Numbered = tuple[int, Attribute, Column]


def value_filters(
    values: Sequence[str], attribute: Attribute, index: int, *, key: bytes, m: int, h: int
) -> NDArray[np.uint64]:
    """For every value the filter of m bits with h positions per q-gram; all zero for an empty value."""
    out = np.zeros((len(values), word_count(m)), dtype=np.uint64)
    _fill(out, values, (attribute, index), key, (m, h))
    return out


def clk(records: Records, schema: Schema, keys: Subkeys) -> NDArray[np.uint64]:
    """The filters of `clk.clk`."""
    m = schema.layer_r.m
    out = np.zeros((len(records), word_count(m)), dtype=np.uint64)
    for group in _groups(records, schema):
        _or_attributes(out, group, schema, keys)
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
    """The filters of `abf.kabf`; rows and pair keys have been checked."""
    m = schema.layer_a.m
    out = np.zeros((len(schema.attributes), len(rows), word_count(m)), dtype=np.uint64)
    for index, secret, (grams, value) in _keyed(records, rows, key_pairs, schema, keys, run=run):
        tokens = (grams.first, grams.last, grams.ids, streams.prepared(grams))
        h = schema.attributes[index].h
        share = shared if len(rows) >= WORTH_SHARING else _alone
        share(pair_streams.pair_rows, len(rows), *secret, value, *tokens, m, h, out[index])
    return np.ascontiguousarray(out.transpose(1, 0, 2))


def keyed_signs(
    records: Records, rows: NDArray[np.int64], key_pairs: Sequence[bytes], schema: Schema, keys: Subkeys, *, run: bytes
) -> NDArray[np.uint64]:
    """The signs and marks of `signs.keyed_signs`; zeros for a missing value."""
    layer = schema.layer_a
    out = np.zeros((len(schema.attributes), len(rows), word_count(layer.length)), dtype=np.uint64)
    for index, secret, (grams, value) in _keyed(records, rows, key_pairs, schema, keys, run=run):
        every, counts = sign_streams.with_whole_sets(grams)
        tokens = (every.first, every.last, every.ids, counts, streams.prepared(every))
        share = shared if len(rows) >= WORTH_SHARING else _alone
        share(sign_streams.sign_rows, len(rows), *secret, value, *tokens, layer.signs, out[index])
    return np.ascontiguousarray(out.transpose(1, 0, 2))


def _alone(kernel: Callable[..., object], n: int, *arguments: object) -> None:
    """Call the kernel for all rows, here."""
    kernel(0, n, *arguments)


def _keyed(
    records: Records, rows: NDArray[np.int64], key_pairs: Sequence[bytes], schema: Schema, keys: Subkeys, *, run: bytes
) -> Iterator[tuple[int, tuple[object, ...], tuple[Grams, NDArray[np.int64]]]]:
    """Of each attribute its place, what the pairs' keys are made of, and the tokens of values with each row's value."""
    between = [len(key_pair).to_bytes(8, "big") + key_pair for key_pair in key_pairs]  # as `join_parts` joins them
    # The message that makes a key is head, pair, tail: the texts 0, 2 + i and 1.
    pieces = np.stack([np.zeros(len(rows), np.int64), 2 + np.arange(len(rows)), np.ones(len(rows), np.int64)], axis=1)
    for index, attribute in enumerate(schema.attributes):
        column = column_of(records, attribute)
        wanted, value = np.unique(column.codes[rows], return_inverse=True)
        prk, head, tail = keys.around_pair(attribute.name, run=run)
        secret = (one_key(prk), *flat([head, tail, *between]), pieces)
        yield index, secret, (cut([column.distinct[code] for code in wanted.tolist()], attribute, index), value)


def _groups(records: Records, schema: Schema) -> Iterator[list[Numbered]]:
    """The attributes, as many at a time as MASK_BYTES allow: one pass over the records for all costs least."""
    group: list[Numbered] = []
    held = 0
    for index, attribute in enumerate(schema.attributes):
        column = column_of(records, attribute)
        size = len(column.distinct) * word_count(schema.layer_r.m) * 8
        if group and held + size > MASK_BYTES:
            yield group
            group, held = [], 0
        group.append((index, attribute, column))
        held += size
    yield group


def _or_attributes(out: NDArray[np.uint64], group: list[Numbered], schema: Schema, keys: Subkeys) -> None:
    """OR the filters of these attributes' values into the records that have them."""
    m = schema.layer_r.m
    borders = np.cumsum([0, *(len(column.distinct) for _, _, column in group)])
    masks = np.zeros((int(borders[-1]), out.shape[1]), dtype=np.uint64)
    calls: list[tuple[object, ...]] = []
    for (index, attribute, column), (start, stop) in zip(group, pairwise(borders.tolist()), strict=True):
        key = keys.of("R", attribute=attribute.name)
        size = m, attribute.positions_in(schema.layer_r)
        calls.append((masks[start:stop], column.distinct, (attribute, index), key, size))
    at_once(_fill, calls)
    for start in range(0, len(out), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        codes = np.stack([column.codes[part] for _, _, column in group])
        shared(streams.or_values, codes.shape[1], codes, borders[:-1], masks, out[part])


def _fill(
    out: NDArray[np.uint64], values: Sequence[str], place: tuple[Attribute, int], key: bytes, size: tuple[int, int]
) -> None:
    """OR the filter of every value into its row; size is (m, h)."""
    grams = cut(values, *place)
    m, h = size
    tokens = streams.prepared(grams)
    masks = np.zeros((len(tokens), word_count(m)), dtype=np.uint64)
    streams.token_rows(0, len(tokens), tokens, one_key(key), m, h, masks)
    streams.value_rows(0, len(out), grams.first, grams.last, grams.ids, masks, out)
