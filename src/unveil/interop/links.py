"""Links between two files as they are told by any tool: ids of both sides, a similarity or a probability or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from unveil.errors import InputError, SettingError
from unveil.files.open_table import open_table
from unveil.files.write import plain_id
from unveil.interop.json_text import read_json
from unveil.interop.result_columns import columns_of, figures_of, numbers_in
from unveil.linkage.clusters import persons

OURS: Final = ("record_id_a", "record_id_b")
_FIGURES: Final = ("similarity", "probability")
_NO_ROW: Final = -1


@dataclass(frozen=True, slots=True, repr=False)
class LinkedSide:
    """One of the files that were linked: what it is called, and the ids of its rows if they are known."""

    name: str
    ids: Sequence[str] | None = None

    def id_at(self, path: Path, row: Any, place: int) -> str:
        """The id of a row that counts from 0; the number of the row from 1 on, where no ids are known."""
        if type(row) is not int or row < 0 or (self.ids is not None and row >= len(self.ids)):
            hint = f"rows count from 0; is the file of encodings that was given for {self.name} the one compared?"
            raise InputError(path, f"names a row that {self.name} does not have", row=place, hint=hint)
        return str(row + 1) if self.ids is None else self.ids[row]

    def rows_of(self, ids: Iterable[str]) -> list[int]:
        """The rows of these ids, counted from 0."""
        if self.ids is None:
            return [self._number(one) for one in ids]
        known = {one: row for row, one in enumerate(self.ids)}
        rows = [known.get(one, _NO_ROW) for one in ids]
        if _NO_ROW in rows:
            lost = rows.count(_NO_ROW)
            raise SettingError(
                f"{lost} links name a record that is not in {self.name}", hint="name the files that were linked"
            )
        return rows

    def _number(self, one: str) -> int:
        if not (one.isascii() and one.isdigit() and one != "0"):
            raise SettingError(
                f"ids of {self.name} are no numbers of rows",
                hint="--rows-a and --rows-b name the files that were linked",
            )
        return int(one) - 1

    def __repr__(self) -> str:
        return f"LinkedSide({self.name})"


@dataclass(frozen=True, slots=True, repr=False)
class ForeignLinks:
    """Links side by side; figures are there for all of them or for none."""

    left: Sequence[str]
    right: Sequence[str]
    similarity: Sequence[float] | None = None
    probability: Sequence[float] | None = None
    #: What was left out, in words.
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        return f"ForeignLinks(<{len(self)} links>)"

    def rows(self, sides: tuple[LinkedSide, LinkedSide]) -> tuple[list[int], list[int]]:
        """The rows of both sides, counted from 0."""
        return sides[0].rows_of(self.left), sides[1].rows_of(self.right)


def read_links(path: Path) -> ForeignLinks:
    """Links as `unveil link` writes them, or as a list of pairs of ids."""
    if path.suffix.lower() == ".json":
        return _from_json(path)
    table = open_table(path)
    figures = [name for name in _FIGURES if name in table.columns]
    plain = plain_id if path.suffix.lower() not in {".parquet", ".pq", ".arrow"} else str
    left, right = columns_of(path, OURS)
    read = {name: figures_of(path, name) for name in figures}
    ids = [plain(one) for one in left], [plain(one) for one in right]
    return ForeignLinks(*ids, similarity=read.get("similarity"), probability=read.get("probability"))


def links_table(links: ForeignLinks) -> Any:
    """The links as an Arrow table with the columns of `unveil link`."""
    import pyarrow as pa

    columns: dict[str, Any] = {
        name: pa.array(ids, pa.string()) for name, ids in zip(OURS, (links.left, links.right), strict=True)
    }
    figures = zip(_FIGURES, (links.similarity, links.probability), strict=True)
    columns |= {name: pa.array(some, pa.float64()) for name, some in figures if some is not None}
    return pa.table(columns)


def groups_of(rows: tuple[Sequence[int], Sequence[int]]) -> list[tuple[list[int], list[int]]]:
    """The rows of each person that some link joins, of both sides."""
    counts = tuple(max(side, default=_NO_ROW) + 1 for side in rows)
    left, right = (np.array(side, np.int32) for side in rows)
    numbers = persons(left, right, (counts[0], counts[1]))
    found: dict[int, tuple[list[int], list[int]]] = {}
    for side, linked in enumerate((left, right)):
        for row in np.unique(linked).tolist():
            found.setdefault(int(numbers[side][row]), ([], []))[side].append(row)
    return [found[number] for number in sorted(found)]


def _from_json(path: Path) -> ForeignLinks:
    found = read_json(path)
    rows = found if isinstance(found, list) else []
    if not rows or not all(
        isinstance(row, dict) and all(isinstance(row.get(one), str) for one in OURS) for row in rows
    ):
        raise InputError(path, "is not a file of links", hint="a list of objects with record_id_a and record_id_b")
    ids = [row[OURS[0]] for row in rows], [row[OURS[1]] for row in rows]
    read = {
        name: numbers_in(path, name, [_number(row.get(name)) for row in rows]) for name in _FIGURES if name in rows[0]
    }
    return ForeignLinks(*ids, similarity=read.get("similarity"), probability=read.get("probability"))


def _number(value: Any) -> float | None:
    return value if type(value) in {int, float} else None
