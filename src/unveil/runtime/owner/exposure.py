"""How exposed an owner's data is: how often values repeat, who is unique, how large groups are. Counts only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.records import Records

_LARGEST: Final = 3  # groups of each blocking key that are told


@dataclass(frozen=True, slots=True)
class AttributeRepeats:
    """How often an attribute's values repeat: distinct ones, missing ones, records with the most frequent one."""

    attribute: str
    distinct: int
    missing: int
    most_frequent: int
    most_frequent_share: float


@dataclass(frozen=True, slots=True)
class BlockingGroups:
    """Into which groups a blocking key divides the records: those without one, groups, and sizes of the largest."""

    key: str
    without: int
    groups: int
    largest: tuple[int, ...]


def repeats(records: Records, names: Sequence[str]) -> tuple[AttributeRepeats, ...]:
    """For each attribute, how often its values repeat."""
    return tuple(_repeats(records, name) for name in names)


def _repeats(records: Records, name: str) -> AttributeRepeats:
    column = records.columns[name]
    counts = column.counts()
    present = counts[np.array([value != "" for value in column.distinct], bool) & (counts > 0)]
    most = int(present.max(initial=0))
    return AttributeRepeats(name, len(present), int(column.missing().sum()), most, share(most, len(records)))


def unique_records(records: Records, names: Sequence[str]) -> int:
    """How many records share the combination of all attributes with no other; a missing value counts as a value."""
    combined = np.zeros(len(records), np.int64)
    for name in names:
        column = records.columns[name]
        # Renumbered after each attribute, the numbers stay below n and their product cannot overflow.
        _, combined = np.unique(combined * len(column.distinct) + column.codes, return_inverse=True)
    return int((np.bincount(combined) == 1).sum()) if len(records) else 0


def blocking_groups(keys: NDArray[np.uint8], names: Sequence[str]) -> tuple[BlockingGroups, ...]:
    """For each blocking key (records × keys × 16 bytes), the groups that it makes."""
    return tuple(_groups(keys[:, at], name) for at, name in enumerate(names))


def _groups(keys: NDArray[np.uint8], name: str) -> BlockingGroups:
    own = np.ascontiguousarray(keys)
    own = own[own.any(axis=1)]  # zeros: a field of the key is empty, and no key is sent
    _, counts = np.unique(own.view(np.dtype((np.void, own.shape[1]))), return_counts=True)
    largest = sorted(counts.tolist(), reverse=True)[:_LARGEST]
    return BlockingGroups(name, len(keys) - len(own), len(counts), tuple(largest))


def share(part: int, whole: int) -> float:
    """The part as a share of the whole, to four places."""
    return round(part / whole, 4) if whole else 0.0
