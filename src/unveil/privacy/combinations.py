"""Which attributes of a record are known together, and how many records share what is known: uniqueness and k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.records import Records


@dataclass(frozen=True, slots=True)
class KnownTogether:
    """
    Of `records` exactly these attributes are known.

    `unique` of them share what is known with no other record of the owner; `smallest_k` and `median_k` say how many
    share it, the record itself among them.
    """

    attributes: tuple[str, ...]
    records: int
    unique: int
    smallest_k: int
    median_k: float


def known_together(
    disclosed: NDArray[np.bool_], records: Records, names: Sequence[str], *, most: int | None = None
) -> list[KnownTogether]:
    """Every combination that was disclosed (records × attributes), the most frequent ones first."""
    rows = np.flatnonzero(disclosed.any(axis=1))
    if not len(rows):
        return []
    patterns, number, counts = np.unique(disclosed[rows], axis=0, return_inverse=True, return_counts=True)
    found = []
    for place in np.argsort(-counts, kind="stable")[:most].tolist():
        chosen = [name for name, is_known in zip(names, patterns[place], strict=True) if is_known]
        k = sharing(records, chosen)[rows[number.ravel() == place]]
        found.append(
            KnownTogether(tuple(chosen), len(k), int((k == 1).sum()), int(k.min()), float(np.median(k)))
        )  # fmt: skip
    return found


def sharing(records: Records, names: Sequence[str]) -> NDArray[np.int64]:
    """For each record, how many records have the same values there; a missing value counts as a value."""
    combined = np.zeros(len(records), np.int64)
    for name in names:
        column = records.columns[name]
        _, combined = np.unique(combined * len(column.distinct) + column.codes, return_inverse=True)
    return np.bincount(combined)[combined]
