"""
An owner's records in memory: one dictionary-encoded column per attribute.

A value that occurs a thousand times is held, normalised and encoded once. The empty string is a missing value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, repr=False)
class Column:
    """Values of one attribute: `distinct[codes[row]]`. Code -1 never occurs; missing is the empty string."""

    distinct: Sequence[str]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, values: Iterable[str]) -> Column:
        """The column that holds these values in this order."""
        held = values if isinstance(values, list | tuple) else list(values)
        distinct = tuple(dict.fromkeys(held))
        code = dict(zip(distinct, range(len(distinct)), strict=True))
        return cls(distinct, np.fromiter(map(code.__getitem__, held), dtype=np.int32, count=len(held)))

    @classmethod
    def joined(cls, columns: Sequence[Column]) -> Column:
        """The values of several columns row by row behind each other, with blanks between those that are there."""
        rows, codes = np.unique(np.stack([column.codes for column in columns]), axis=1, return_inverse=True)
        seen: dict[str, int] = {}
        values = (
            " ".join(filter(None, (column.distinct[code] for column, code in zip(columns, row, strict=True))))
            for row in rows.T.tolist()
        )
        numbers = np.fromiter((seen.setdefault(value, len(seen)) for value in values), np.int32, rows.shape[1])
        return cls(tuple(seen), numbers[codes.reshape(-1)])

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.distinct[self.codes[row]]

    def __repr__(self) -> str:
        return f"Column(<{len(self.codes)} values, {len(self.distinct)} distinct>)"

    def values(self) -> list[str]:
        """Every value in row order."""
        distinct = self.distinct
        return [distinct[code] for code in self.codes.tolist()]

    def counts(self) -> NDArray[np.int64]:
        """How often each distinct value occurs."""
        return np.bincount(self.codes, minlength=len(self.distinct))

    def lengths(self) -> NDArray[np.int64]:
        """Characters of each distinct value; bytes where the values are no objects yet."""
        known = getattr(self.distinct, "lengths", None)
        return known() if known is not None else np.array([len(value) for value in self.distinct], np.int64)

    def missing(self) -> NDArray[np.bool_]:
        """True where the value is missing."""
        return np.array([value == "" for value in self.distinct], dtype=bool)[self.codes]


@dataclass(frozen=True, slots=True, repr=False)
class Records:
    """The records of one owner: ids and one column per attribute of the schema."""

    ids: Sequence[str]
    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            if len(column) != len(self.ids):
                raise ValueError(f"column {name} has {len(column)} values for {len(self.ids)} ids")

    def __len__(self) -> int:
        return len(self.ids)

    def digest(self) -> bytes:
        """SHA-256 of ids and values: tells whether these are the same records in the same order."""
        digest = hashlib.sha256()
        hashed = getattr(self.ids, "digest", None)  # of ids that are no objects yet
        if hashed is not None:
            digest.update(hashed())
        texts = [list(self.ids)] if hashed is None else []
        for name, column in self.columns.items():
            texts += [[name], list(column.distinct)]
        for text in texts:
            digest.update(json.dumps(text).encode())
        for column in self.columns.values():
            digest.update(np.ascontiguousarray(column.codes, "<i4").tobytes())
        return digest.digest()

    def __repr__(self) -> str:
        return f"Records(<{len(self.ids)} records of {', '.join(self.columns)}>)"
