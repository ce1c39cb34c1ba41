"""
RBF (Durham): bits sampled from every attribute's own filter, more from the heavier ones, then shuffled.

Kept for comparison and for the attack study: somebody who learns attribute similarities can tell which output position
belongs to which attribute, which a salted CLK does not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bits import chunks, or_rows, pack, unpack
from unveil.encoding.draws import permutation
from unveil.encoding.filters import column_of, value_filters
from unveil.encoding.keys import OwnerKey, Subkeys
from unveil.errors import SettingError
from unveil.linkage.bits import word_count
from unveil.records import Records
from unveil.schema import Schema


@dataclass(frozen=True, slots=True, repr=False)
class RbfLayout:
    """Output bit i is bit `source[i]` of the filter of attribute number `attribute[i]`. As secret as the key."""

    attribute: NDArray[np.int64]
    source: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"RbfLayout(<{len(self.source)} bits>)"


def rbf(records: Records, schema: Schema, keys: Subkeys) -> NDArray[np.uint64]:
    """
    For every record layer_r.m bits, sampled from its attribute filters as `rbf_layout` says.

    The filter of an attribute has layer_a.m bits and the attribute's h, under the key ("R", attribute name).
    """
    m, m_a = schema.layer_r.m, schema.layer_a.m
    layout = _layout(schema, keys)
    out = np.zeros((len(records), word_count(m)), dtype=np.uint64)
    for index, attribute in enumerate(schema.attributes):
        column = column_of(records, attribute)
        key = keys.of("R", attribute=attribute.name)
        filters = value_filters(column, attribute, index, key=key, m=m_a, h=attribute.h)
        places = np.flatnonzero(layout.attribute == index)
        or_rows(out, _placed(filters, m_a, layout.source[places], places, m), column.codes)
    return out


def rbf_layout(schema: Schema, key: OwnerKey, *, project: str) -> RbfLayout:
    """Where every output bit comes from; for the attack study, which must know what it tries to find out."""
    return _layout(schema, Subkeys(key, project))


def bits_per_attribute(weights: Sequence[float], m: int) -> list[int]:
    """The m bits split in proportion to the weights; the bits left by rounding down go to the largest remainders."""
    total = sum(weights)
    if total <= 0:
        raise SettingError("every attribute has weight 0", hint="RBF samples bits by weight; give one a weight")
    shares = [m * weight / total for weight in weights]
    bits = [int(share) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda i: bits[i] - shares[i])
    for i in by_remainder[: m - sum(bits)]:
        bits[i] += 1
    return bits


def _layout(schema: Schema, keys: Subkeys) -> RbfLayout:
    """
    Sample, then shuffle.

    Source bits come from a keyed permutation of the attribute's filter, then from a second one if more are wanted than
    it has, and so on: no bit is taken twice before each was taken once.
    """
    m, m_a = schema.layer_r.m, schema.layer_a.m
    attributes: list[NDArray[np.int64]] = []
    sources: list[NDArray[np.int64]] = []
    weights = [attribute.weight for attribute in schema.attributes]
    for index, wanted in enumerate(bits_per_attribute(weights, m)):
        name = schema.attributes[index].name
        turns = range(-(-wanted // m_a))
        shuffles = [permutation(keys.of("R", rbf="sample", attribute=name, turn=str(turn)), m_a) for turn in turns]
        sources.append(np.concatenate([np.empty(0, dtype=np.int64), *shuffles])[:wanted])
        attributes.append(np.full(wanted, index, dtype=np.int64))
    order = permutation(keys.of("R", rbf="permutation"), m)
    return RbfLayout(np.concatenate(attributes)[order], np.concatenate(sources)[order])


def _placed(
    filters: NDArray[np.uint64], m_a: int, source: NDArray[np.int64], places: NDArray[np.int64], m: int
) -> NDArray[np.uint64]:
    """The values' filters with bit source[j] moved to bit places[j] of m."""
    out = np.empty((len(filters), word_count(m)), dtype=np.uint64)
    for part in chunks(len(filters), m_a + m):
        bits = unpack(filters[part], m_a)
        moved = np.zeros((len(bits), m), dtype=np.uint8)
        moved[:, places] = bits[:, source]
        out[part] = pack(moved)
    return out
