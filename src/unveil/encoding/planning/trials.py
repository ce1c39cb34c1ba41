"""
What blocking keys lose, tried on copies of an owner's own records.

A person is lost if the record and its copy share no key. Where blocks are too large, the linkage passes them over, and
their keys find nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.blocking_keys import transformed
from unveil.encoding.planning.copies import KeyTrial, People, as_assumed, hardships
from unveil.encoding.planning.facts import sample_of_rows
from unveil.records import Records
from unveil.schema import BlockingField, BlockingKey, Schema

#: The trial with everything that is assumed to happen.
ASSUMED: Final = "as assumed"
_PEOPLE: Final = 5000
_PER_HARDSHIP: Final = 400

Flags = NDArray[np.bool_]


def make_trials(
    records: Records, schema: Schema, missing: Mapping[str, float], *, times: float = 1.0, seed: int = 0
) -> list[KeyTrial]:
    """What is assumed to happen, as in `assumed_trial`, then one hardship after the other, on fewer records."""
    few = sample_of_rows(len(records), _PER_HARDSHIP)
    people = _values(records, schema, few)
    found = hardships(people, schema, np.random.default_rng(seed))
    assumed = assumed_trial(records, schema, missing, times=times, seed=seed)
    return [assumed, *(KeyTrial(name, few, people, copies) for name, copies in found)]


def assumed_trial(
    records: Records, schema: Schema, missing: Mapping[str, float], *, times: float = 1.0, seed: int = 0
) -> KeyTrial:
    """
    What is assumed to happen, tried on up to 5,000 records.

    `missing` says how often each attribute is missing in the other register; see `as_assumed` for `times`.
    """
    rows = sample_of_rows(len(records), _PEOPLE)
    people = _values(records, schema, rows)
    return KeyTrial(
        ASSUMED, rows, people, as_assumed(people, schema, missing, np.random.default_rng(seed), times=times)
    )


@dataclass(frozen=True, slots=True, repr=False)
class TrialKeys:
    """Which people of a trial a key finds; every field is computed once."""

    trial: KeyTrial
    schema: Schema
    _known: dict[BlockingField, Flags] = field(default_factory=dict)

    def found(self, key: BlockingKey) -> Flags:
        """Which people have the same key in both registers."""
        return np.logical_and.reduce([self._agrees(part) for part in key.parts()])

    def _agrees(self, part: BlockingField) -> Flags:
        if part not in self._known:
            attribute, known = self.schema.attribute(part.attribute), {}

            def fields(values: People) -> list[str]:
                for value in values[part.attribute]:
                    if value not in known:
                        known[value] = transformed(value, attribute, part.transform)
                return [known[value] for value in values[part.attribute]]

            pairs = zip(fields(self.trial.originals), fields(self.trial.copies), strict=True)
            self._known[part] = np.array([bool(one) and one == two for one, two in pairs])
        return self._known[part]


def lost(trials: list[KeyTrial], schema: Schema, reached: Mapping[str, Flags]) -> dict[str, float]:
    """By trial, the share of people that share no key; `reached` marks for each key the records of usable blocks."""
    shares = {}
    for trial in trials:
        keys = TrialKeys(trial, schema)
        found = np.zeros(len(trial.rows), bool)
        for key in schema.blocking:
            found |= keys.found(key) & reached[key.name][trial.rows]
        # A schema without keys compares every pair, and loses nobody.
        shares[trial.name] = float(1 - found.mean()) if schema.blocking else 0.0
    return shares


def _values(records: Records, schema: Schema, rows: NDArray[np.int64]) -> People:
    columns = {name: records.columns[name] for name in schema.names}
    return {name: [c.distinct[code] for code in c.codes[rows].tolist()] for name, c in columns.items()}
