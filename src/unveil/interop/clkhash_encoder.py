"""CLKs of clkhash, bit for bit: the filter of every record under a linkage schema and the parties' secret."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bits import chunks, or_rows, pack, unpack
from unveil.interop.clkhash_hashing import Keys, derived_keys, token_positions
from unveil.interop.clkhash_schema import ClkhashSchema, HashedFeature
from unveil.interop.clkhash_tokens import tokeniser
from unveil.interop.clkhash_values import UnfitValue, value_in_form
from unveil.linkage.bits import Words, word_count
from unveil.records import Column, Records

#: Positions of tokens that are held at a time; many tokens with many positions each are hashed in several goes.
MOST_PLACES: Final = 1 << 24
_BOMS: Final = {"utf-16": ("utf-16-le", b"\xff\xfe"), "utf-32": ("utf-32-le", b"\xff\xfe\x00\x00")}


class UnfitRecord(ValueError):
    """A value does not fit the schema: which column, the number of the first record that has it, and why."""

    def __init__(self, column: str, record: int, problem: str) -> None:
        super().__init__(problem)
        self.column, self.record, self.problem = column, record, problem


def clkhash_filters(records: Records, schema: ClkhashSchema, secret: bytes) -> Words:
    """
    For every record its CLK of l bits; columns have the names of the schema's features, and values are as they stand.

    Each distinct value is checked, cut and hashed once, however many records have it.
    """
    m = schema.unfolded
    keys = derived_keys(schema, secret)
    out = np.zeros((len(records), word_count(m)), np.uint64)
    for place, feature in schema.hashed:
        column = records.columns[feature.identifier]
        or_rows(out, _value_filters(column, feature, keys[place], m), column.codes)
    return folded(out, m, schema.config.folds)


def folded(filters: Words, m: int, folds: int) -> Words:
    """The filters of m bits folded so often: each time one half is laid on the other by XOR."""
    if not folds:
        return filters
    width = m >> folds
    out = np.zeros((len(filters), word_count(width)), np.uint64)
    for part in chunks(len(filters), m):
        layers = unpack(filters[part], m).reshape(-1, m // width, width)
        out[part] = pack(np.bitwise_xor.reduce(layers, axis=1))
    return out


def _value_filters(column: Column, feature: HashedFeature, keys: Keys, m: int) -> Words:
    """The filter of every distinct value."""
    texts = _texts(column, feature)
    cut = tokeniser(feature.hashing)
    out = np.zeros((len(texts), word_count(m)), np.uint64)
    for part in chunks(len(texts), max(m, 1 << 15)):
        try:
            tokens = [cut(text) for text in texts[part]]
        except UnfitValue:
            raise _refused(column, feature, texts, cut) from None
        out[part] = pack(_bits(tokens, feature, keys, m))
    return out


def _bits(tokens: Sequence[Sequence[str]], feature: HashedFeature, keys: Keys, m: int) -> NDArray[np.uint8]:
    """For each list of tokens the filter of m bits that they make, not packed."""
    strategy = feature.hashing.strategy
    known: dict[str, int] = {}
    ids = np.array([known.setdefault(token, len(known)) for some in tokens for token in some], np.int64)
    counts = np.array([count for some in tokens if some for count in strategy.positions(len(some))], np.int64)
    owners = np.repeat(np.arange(len(tokens)), [len(some) for some in tokens])
    out = np.zeros((len(tokens), m), np.uint8)
    if not len(ids):
        return out
    most = int(counts.max())
    if len(known) * most > MOST_PLACES and len(tokens) > 1:
        half = len(tokens) // 2
        return np.concatenate([_bits(some, feature, keys, m) for some in (tokens[:half], tokens[half:])])
    places = token_positions(_encoded(list(known), feature.encoding), feature, keys, m=m, count=most)
    for part in chunks(len(ids), 16 * most):
        set_here = np.arange(most) < counts[part, None]
        rows = np.broadcast_to(owners[part, None], set_here.shape)
        out[rows[set_here], places[ids[part]][set_here]] = 1
    return out


def _encoded(tokens: Sequence[str], encoding: str) -> list[bytes]:
    """The bytes of each token; with the mark in front that Python puts there on the machines that clkhash runs on."""
    codec, mark = _BOMS.get(encoding, (encoding, b""))
    return [mark + token.encode(codec) for token in tokens]


def _texts(column: Column, feature: HashedFeature) -> list[str]:
    """What is hashed for every distinct value."""
    form = value_in_form(feature)
    try:
        return [form(value) for value in column.distinct]
    except UnfitValue:
        raise _refused(column, feature, column.distinct, form) from None


def _refused(
    column: Column, feature: HashedFeature, values: Sequence[str], step: Callable[[str], object]
) -> UnfitRecord:
    """The first record in the file that a step does not take."""
    why: dict[int, str] = {}
    for code, value in enumerate(values):
        try:
            step(value)
        except UnfitValue as problem:
            why[code] = str(problem)
    record = int(np.flatnonzero(np.isin(column.codes, list(why)))[0])
    return UnfitRecord(feature.identifier, record, why[int(column.codes[record])])
