"""How evenly the ones of a study's filters are spread: whole records, plain attributes, attributes keyed per pair."""

from __future__ import annotations

from typing import Any

import numpy as np

from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.linkage.bits import Bits, Words, word_count
from unveil.privacy.bits import gini, gini_floor, js_distance, js_distance_floor, position_counts
from unveil.protocol.codec import decode
from unveil.protocol.messages import AttributeEncodings
from unveil.protocol.roles import Address
from unveil.schema import Schema

Measures = dict[str, float]


def record_spread(study: Study) -> Measures:
    """Gini and Jensen-Shannon distance of the record-level filters of both owners, with their noise floors."""
    left, right = study.encode()
    words = np.concatenate([left.filters.words, right.filters.words])
    return _measures(words, study.encoder.m, keys=len(words))


def plain_spread(study: Study) -> dict[str, Measures]:
    """The same of plain attribute filters of all records, by attribute."""
    filters = np.concatenate([study.encoder.attribute_level(records) for records in (study.a, study.b)])
    return _by_attribute(filters, study.schema, study.schema.layer_a.m, records_per_key=1)


def keyed_spread(study: Study, schema: Schema, settings: SimulationSettings) -> dict[str, Measures]:
    """The same of the attribute filters that owners sent in one run, each keyed for its pair."""
    sent: list[Words] = []

    def tap(sender: Address, recipient: Address, frame: bytes) -> None:
        del sender, recipient
        message = decode(frame)
        if isinstance(message, AttributeEncodings):
            words = np.frombuffer(message.filters, dtype="<u8")
            sent.append(words.reshape(len(message), message.attributes, -1).astype(np.uint64))

    World(study, schema, settings, tap=tap).run()
    words = (
        np.concatenate(sent) if sent else np.empty((0, len(schema.names), word_count(schema.layer_a.length)), np.uint64)
    )
    return _by_attribute(words, schema, schema.layer_a.length, records_per_key=2)


def _by_attribute(filters: Words, schema: Schema, m: int, *, records_per_key: int) -> dict[str, Measures]:
    found = {}
    for index, name in enumerate(schema.names):
        words = np.ascontiguousarray(filters[:, index])
        given = words[words.any(axis=1)]  # an empty filter is a missing value
        found[name] = _measures(given, m, keys=max(1, len(given) // records_per_key))
    return found


def _measures(words: Words, m: int, *, keys: int) -> Measures:
    """
    Count, Gini and distance, and what as many random filters of that fill would show.

    Two records of a pair share their key and mostly agree, so the floor counts keys, not records.
    """
    counts: Any = position_counts(Bits(words, m))
    fill = float(counts.sum()) / (len(words) * m) if len(words) else 0.0
    measured = {"count": float(len(words)), "gini": gini(counts), "jsd": js_distance(counts)}
    if not 0 < fill < 1:
        return {**measured, "gini_floor": 0.0, "jsd_floor": 0.0}
    return {**measured, "gini_floor": gini_floor(fill, keys), "jsd_floor": js_distance_floor(fill, keys)}
