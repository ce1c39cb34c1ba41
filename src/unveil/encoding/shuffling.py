"""
Records in an order that tells nothing about them.

A register is often sorted: by surname, by date of admission. Whoever gets its encodings in that order knows, without
undoing a single one, where in the alphabet each of them stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.records import Column, Records

DRAWN: Final = 8  #: random bytes for each record
_LOOKED_AT: Final = 2000  # ids that tell whether they rise along the file
_FEWEST: Final = 20  # of less nothing can be said
_NEARLY_ALL: Final = 0.95
_NUMBER: Final = re.compile(r"(\d+)")


def random_order(count: int, entropy: bytes) -> NDArray[np.int64]:
    """The rows of so many records in the order of random numbers, of which `entropy` holds 8 bytes for each."""
    drawn = np.frombuffer(entropy, "<u8")
    if len(drawn) != count:
        raise ValueError(f"{len(entropy)} bytes for {count} records")
    return np.argsort(drawn)


def shuffled(records: Records, entropy: bytes) -> Records:
    """The records in the order of random numbers, of which `entropy` holds 8 bytes for each; ids stay with theirs."""
    order = random_order(len(records), entropy)
    ids = records.ids
    columns = {name: Column(column.distinct, column.codes[order]) for name, column in records.columns.items()}
    taken = getattr(ids, "take", None)  # of ids that are no objects yet
    return Records(tuple(ids[row] for row in order.tolist()) if taken is None else taken(order), columns)


def ids_tell_order(ids: Sequence[str]) -> bool:
    """Whether ids rise or fall along the file, so that whoever has them can sort what was shuffled."""
    rows = np.unique(np.linspace(0, len(ids) - 1, min(len(ids), _LOOKED_AT)).astype(np.int64)).tolist()
    if len(rows) < _FEWEST:
        return False
    keys = [_natural(ids[row]) for row in rows]
    rising = sum(before < after for before, after in pairwise(keys)) / (len(keys) - 1)
    return not 1 - _NEARLY_ALL < rising < _NEARLY_ALL


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    """A key by which r9 comes before r10: numbers by their length first."""
    parts = [(part, part.lstrip("0")) for part in _NUMBER.split(text)]
    return tuple((len(digits), digits) if part.isdecimal() else (-1, part) for part, digits in parts)
