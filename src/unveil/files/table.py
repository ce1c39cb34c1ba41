"""What every table of records can do, wherever it stands: name its columns, and hand them out in batches of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, repr=False)
class Repeated:
    """The values of one column in some rows, each distinct one held once: `distinct[at[row]]`."""

    distinct: Sequence[str]
    at: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.at)

    def values(self) -> list[str]:
        """Every value in row order."""
        distinct = self.distinct
        return [distinct[place] for place in self.at.tolist()]


@dataclass(frozen=True, slots=True, repr=False)
class RowBatch:
    """Some rows of a table: the number of each row, and its values column by column as they stand in the table."""

    rows: Sequence[int]
    columns: Sequence[Sequence[str] | Repeated]

    def values(self, place: int) -> Sequence[str]:
        """The values of the column at that place."""
        column = self.columns[place]
        return column.values() if isinstance(column, Repeated) else column


@runtime_checkable
class ArrowStream(Protocol):
    """Whatever hands out its rows by Arrow's C stream interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The stream, in a capsule."""


class Table(Protocol):
    """
    A table of records that somebody else made.

    `path` is what errors call it, `unreadable` says by column why it cannot be read, `notes` what people should know
    about how it was read.
    """

    @property
    def path(self) -> Path:
        """What errors call it."""

    @property
    def columns(self) -> Sequence[str]:
        """Names of all columns that can be read, or that nobody knows yet whether they can."""

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Columns that cannot be read, each with the reason."""

    @property
    def notes(self) -> Sequence[str]:
        """What people should know about how it was read."""

    def batches(self, needed: Sequence[str]) -> Iterator[RowBatch]:
        """The needed columns, in batches of rows."""
