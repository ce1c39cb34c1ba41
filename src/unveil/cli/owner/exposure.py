"""How exposed an owner's data is: how often values repeat, who is unique, how large groups are. Counts only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unveil.records import Records

_LARGEST: Final = 3  # groups of each blocking key that are told


def repeats(records: Records, names: Sequence[str]) -> list[dict[str, Any]]:
    """For each attribute: distinct values, missing ones, and how many records hold the most frequent value."""
    rows = []
    for name in names:
        column = records.columns[name]
        missing = int(column.missing().sum())
        counts = column.counts()
        present = counts[np.array([value != "" for value in column.distinct], bool) & (counts > 0)]
        most = int(present.max(initial=0))
        rows.append(
            {
                "attribute": name,
                "distinct": len(present),
                "missing": missing,
                "most_frequent": most,
                "most_frequent_share": share(most, len(records)),
            }
        )
    return rows


def unique_records(records: Records, names: Sequence[str]) -> int:
    """How many records share the combination of all attributes with no other; a missing value counts as a value."""
    combined = np.zeros(len(records), np.int64)
    for name in names:
        column = records.columns[name]
        # Renumbered after each attribute, the numbers stay below n and their product cannot overflow.
        _, combined = np.unique(combined * len(column.distinct) + column.codes, return_inverse=True)
    return int((np.bincount(combined) == 1).sum()) if len(records) else 0


def blocking_groups(keys: NDArray[np.uint8], names: Sequence[str]) -> list[dict[str, Any]]:
    """For each blocking key (records × keys × 16 bytes): records without one, groups, and the sizes of the largest."""
    rows = []
    for at, name in enumerate(names):
        own = np.ascontiguousarray(keys[:, at])
        own = own[own.any(axis=1)]  # zeros: a field of the key is empty, and no key is sent
        _, counts = np.unique(own.view(np.dtype((np.void, own.shape[1]))), return_counts=True)
        rows.append(
            {
                "key": name,
                "without": len(keys) - len(own),
                "groups": len(counts),
                "largest": sorted(counts.tolist(), reverse=True)[:_LARGEST],
            }
        )
    return rows


def share(part: int, whole: int) -> float:
    """The part as a share of the whole, to four places."""
    return round(part / whole, 4) if whole else 0.0
