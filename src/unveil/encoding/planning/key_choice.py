"""
Choosing blocking keys: every small set of fields is a candidate, and those are taken that find whom others miss.

A key must be rare enough: of the pairs that it makes nearly all are of strangers, and each has to be compared. Keys are
tried on copies of the owner's records, taken one by one, each time the one that finds most people whom no key before it
found, less a little for the pairs it makes.
"""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.planning.blocks import BlockingTable
from unveil.encoding.planning.copies import KeyTrial
from unveil.encoding.planning.strangers import PersonMarks
from unveil.encoding.planning.trials import ASSUMED, TrialKeys
from unveil.schema import BlockingKey, Schema

#: Fields that keys may be made of, by role: the attribute itself, or a transform of it.
FIELDS: Final[dict[str, tuple[str | None, ...]]] = {
    "birthplace": (None,),
    "birth_date": (None, "day_and_month_of", "year_of"),
    "birth_year": (None,),
    "birth_part": (None,),
    "sex": (None,),
    "middle_name": (None, "first1"),
    "given_name": (None, "soundex", "first3", "first1"),
    "family_name": (None, "soundex", "first3"),
    "house_number": (None,),
    "street": (None, "soundex"),
    "postcode": (None, "first3"),
    "town": (None, "soundex"),
    "region": (None,),
    "phone": (None, "last6"),
    "email": (None,),
    "id_number": (None,),
    "other": (None,),
}
_UNKNOWN: Final = "other"
FEWEST, MOST = 4, 7
MOST_PAIRS: Final = 5.0  # for each record, that one key makes
_SMALLEST: Final = 20_000  # records of a register that keys must still be good for
_LARGEST_KEY: Final = 3  # fields
_HARDSHIPS: Final = 0.5  # what surviving all hardships counts, beside finding everybody as assumed
_PER_PAIR: Final = 0.002  # of the people found, that a key must bring for each pair per record
_WORTH: Final = 0.0005
_VERY_RARE: Final = 1.0  # pairs for each record
_MOST_ATTRIBUTES: Final = 14  # that keys are made of: more would take long, and bring nothing


def choose_keys(table: BlockingTable, trials: list[KeyTrial], *, records: int) -> tuple[BlockingKey, ...]:
    """The keys for registers of so many records, the most useful first; `table` may hold a sample of them."""
    pairs = _PairsPerRecord(table, records)
    candidates = _rare_enough(_fields(table.schema), pairs)
    people = [TrialKeys(trial, table.schema) for trial in trials]
    weights, found = _weights(trials), np.zeros(sum(len(trial.rows) for trial in trials), bool)
    chosen: list[BlockingKey] = []

    def brings(key: BlockingKey) -> float:
        return float(weights[_found(people, key) & ~found].sum())

    while candidates and len(chosen) < MOST:
        best = max(candidates, key=lambda key: (brings(key) - _PER_PAIR * pairs.at_least(key), -len(key.fields)))
        candidates.remove(best)
        if pairs.measured(best) > MOST_PAIRS:
            continue
        least = _WORTH + _PER_PAIR * pairs.measured(best) if len(chosen) >= FEWEST else 0.0
        if brings(best) <= least:
            break
        chosen.append(best)
        found |= _found(people, best)
    return tuple(chosen)


class _PairsPerRecord:
    """How many pairs a key makes for each record, in registers of that size."""

    def __init__(self, table: BlockingTable, size: int) -> None:
        self._table, self._size = table, max(size, _SMALLEST)
        self._marks = PersonMarks.of(table.records, table.schema)
        self._known: dict[tuple[str, ...], float] = {}

    def at_least(self, key: BlockingKey) -> float:
        """As if fields were independent of each other; those of one person are not, so it is more."""
        return self._size * prod(self._chance((one,)) for one in key.fields)

    def measured(self, key: BlockingKey) -> float:
        """By the records, and not less than if fields were independent: few records show no pair of a rare key."""
        return max(self._size * self._chance(key.fields), self.at_least(key))

    def _chance(self, fields: tuple[str, ...]) -> float:
        if fields not in self._known:
            key = BlockingKey(fields=fields)
            numbers = self._table.numbers(key)
            has = float(np.mean(numbers >= 0))
            found = self._marks.agreement(numbers, *(part.attribute for part in key.parts()))
            self._known[fields] = has * has * found.chance
        return self._known[fields]


def _rare_enough(fields: list[tuple[str, str]], pairs: _PairsPerRecord) -> list[BlockingKey]:
    """Every key of one to three fields, each of another attribute, that makes few pairs; none that another contains."""
    kept: list[BlockingKey] = []
    rare: list[set[str]] = []
    for size in range(1, _LARGEST_KEY + 1):
        for some in combinations(fields, size):
            key = BlockingKey(fields=tuple(text for _, text in some))
            enough = len({attribute for attribute, _ in some}) == size and pairs.at_least(key) <= MOST_PAIRS
            # With one field more a key that is rare already finds fewer people.
            if enough and not any(one <= set(key.fields) for one in rare):
                kept.append(key)
                if pairs.at_least(key) <= _VERY_RARE and pairs.measured(key) <= MOST_PAIRS:
                    rare.append(set(key.fields))
    return kept


def _fields(schema: Schema) -> list[tuple[str, str]]:
    """Attributes with each of their fields. Of many attributes those whose role is known come first."""
    attributes = sorted(schema.attributes, key=lambda attribute: attribute.meaning == _UNKNOWN)
    return [
        (attribute.name, f"{transform}({attribute.name})" if transform else attribute.name)
        for attribute in attributes[:_MOST_ATTRIBUTES]
        for transform in FIELDS[attribute.meaning]
    ]


def _found(people: list[TrialKeys], key: BlockingKey) -> NDArray[np.bool_]:
    return np.concatenate([trial.found(key) for trial in people])


def _weights(trials: list[KeyTrial]) -> NDArray[np.float64]:
    """What finding each person of the trials counts: 1 for all of the assumed trial, less for all hardships."""
    several = max(1, len(trials) - 1)
    return np.concatenate(
        [
            np.full(len(trial.rows), (1.0 if trial.name == ASSUMED else _HARDSHIPS / several) / len(trial.rows))
            for trial in trials
        ]
    )
