"""What a linkage in one place gives: links with probabilities, persons, and how good they are as far as that shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.clusters import persons
from unveil.linkage.estimate import Estimate
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Rows
from unveil.protocol.data_warnings import DataWarning
from unveil.protocol.roles import owner
from unveil.roles.record_unit.machine import RecordUnit
from unveil.roles.record_unit.upload import Upload

#: The two files as machines know them.
OWNERS: Final = (owner("a"), owner("b"))

#: For each record of a file, the number of its person; whom no link joins with anybody has a number of their own.
PersonNumbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class LinkedRecords:
    """
    Links as rows of both files, side by side, the most probable first, and the person of each record.

    `kept_out` counts by side and reason the records that were compared with nothing. `probability` and `estimate` are
    None where a threshold decided.
    """

    left: Rows
    right: Rows
    similarity: Reals
    probability: Reals | None
    persons: tuple[PersonNumbers, PersonNumbers]
    estimate: Estimate | None
    compared_pairs: int
    skipped_blocks: int
    kept_out: tuple[Mapping[str, int], Mapping[str, int]]
    warnings: tuple[DataWarning, ...]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def linked_persons(self) -> int:
        """How many persons have a record in both files."""
        return len(np.unique(self.persons[0][self.left]))

    def __repr__(self) -> str:
        return f"LinkedRecords(<{len(self)} links>)"


def linked_by(unit: RecordUnit, warnings: tuple[DataWarning, ...] = ()) -> LinkedRecords:
    """What this unit has decided about uploads whose rows are those of the files; `warnings` are those of others."""
    sides = (unit.intake.uploads[OWNERS[0]], unit.intake.uploads[OWNERS[1]])
    found, at = unit.candidates, np.flatnonzero(unit.matches())
    rows = []
    for side, some in zip(sides, (found.pairs.left, found.pairs.right), strict=True):
        assert side.rows is not None
        rows.append(side.rows[some[at]])
    link, all_left, all_right = _with_same_records(rows[0], rows[1], sides)
    at = at[link]
    similarity, probability = found.pairs.similarity[at], unit.layer.p[at]
    order = np.lexsort((all_right, all_left, -similarity, -probability))
    left, right = (side[order].astype(np.int32) for side in (all_left, all_right))
    kept_out = [unit.intake.kept_out[owner].reasons for owner in OWNERS]
    return LinkedRecords(
        left,
        right,
        similarity[order],
        probability[order],
        persons(left, right, (len(sides[0]), len(sides[1]))),
        unit.estimate(),
        found.compared,
        found.skipped_blocks,
        (kept_out[0], kept_out[1]),
        unit.data_warnings() + warnings,
    )


def _with_same_records(
    left: NDArray[np.int64], right: NDArray[np.int64], sides: tuple[Upload, Upload]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Which link, left and right row: of records of a file that are the same, the unit has linked the first alone."""
    link, rows = _same(left, sides[0])
    again, others = _same(right[link], sides[1])
    return link[again], rows[again], others


def _same(rows: NDArray[np.int64], side: Upload) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each of these rows every row that is the same, itself among them: which of the rows, and the row."""
    assert side.first is not None
    order = np.argsort(side.first, kind="stable")
    ordered = side.first[order]
    start, stop = (np.searchsorted(ordered, rows, end) for end in ("left", "right"))
    count = stop - start
    which = np.repeat(np.arange(len(rows)), count)
    within = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    return which, order[np.repeat(start, count) + within]
