"""
Names of blocks as blocking keys: for each record the blocks that it is in.

Blocks of other tools are a set of names for each record, and two records are compared where they have one in common.
Ours are columns, and two records are compared where they agree in one of them. So of a file alone it cannot be said in
which column a name stands: its records' blocks fill the columns from the left, and the file says that they are sets.
Once both files are there, every name gets a column in which no other name stands that some record has beside it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.files.encoded import Encodings
from unveil.protocol.messages import HASH

#: What the metadata of our file calls the kind of its blocks, and the kind that is meant here.
KIND: Final = "origin_blocks"
SETS: Final = "sets"

#: Names that we gave: to a blocking key the column and the key, to a block of another tool the key alone.
_COLUMN: Final = re.compile(r"(\d{1,3})_([0-9a-f]{32})")
_KEY: Final = re.compile(r"[0-9a-f]{32}")
_MOST_COLUMNS: Final = 64
_NONE: Final = -1

#: For each record and place the number of a block, or _NONE.
Numbers = NDArray[np.int64]


def keys_of_blocks(blocks: Sequence[Sequence[str]]) -> tuple[NDArray[np.uint8], str | None]:
    """For each record and column 16 bytes, all zero where there is no block; and SETS, unless the columns are ours."""
    names = {name for some in blocks for name in some}
    placed = {name: _COLUMN.fullmatch(name) for name in names}
    ours = {name: (int(found[1]), found[2]) for name, found in placed.items() if found is not None}
    columns = [[ours[name][0] for name in some if name in ours] for some in blocks]
    is_ours = len(ours) == len(names) and all(len(set(some)) == len(some) for some in columns)
    if is_ours and all(column < _MOST_COLUMNS for some in columns for column in some):
        width = max((column + 1 for some in columns for column in some), default=0)
    else:
        columns = [list(range(len(some))) for some in blocks]
        width, is_ours = max(map(len, blocks), default=0), False
    keys = {name: np.frombuffer(bytes.fromhex(ours[name][1]) if is_ours else _hashed(name), np.uint8) for name in names}
    out = np.zeros((len(blocks), width, HASH), np.uint8)
    for row, (some, at) in enumerate(zip(blocks, columns, strict=True)):
        for name, column in zip(some, at, strict=True):
            out[row, column] = keys[name]
    return out, None if is_ours else SETS


def blocks_of_keys(file: Encodings) -> Iterator[list[str]]:
    """For each record the names of its blocks."""
    by_column = file.metadata.get(KIND) != SETS
    for row in file.blocking:
        yield [
            f"{place}_{bytes(key).hex()}" if by_column else bytes(key).hex()
            for place, key in enumerate(row)
            if key.any()
        ]


def in_common_columns(left: Encodings, right: Encodings) -> tuple[Encodings, Encodings]:
    """Both files with every block in one column; files whose blocking keys have columns already are as they were."""
    if not left.metadata.get(KIND) == right.metadata.get(KIND) == SETS:
        return left, right
    numbers, names = _numbered(left.blocking, right.blocking)
    columns = _columns(numbers, len(names))
    width = int(columns.max(initial=_NONE)) + 1
    if width > _MOST_COLUMNS:
        raise SettingError(
            f"the blocks of the two files overlap so that they need {width} columns, and {_MOST_COLUMNS} are the most",
            hint="convert both files again with --no-blocks, and link with --threshold and --all-pairs",
        )
    sides = []
    for side, number in zip((left, right), numbers, strict=True):
        out = np.zeros((len(side), width, HASH), np.uint8)
        rows, places = np.nonzero(number != _NONE)
        some = number[rows, places]
        out[rows, columns[some]] = names[some]
        sides.append(replace(side, blocking=out))
    return sides[0], sides[1]


def _hashed(name: str) -> bytes:
    """The key of another tool's block: a hash of its name, or the one that we wrote for it."""
    return bytes.fromhex(name) if _KEY.fullmatch(name) else hashlib.blake2b(name.encode(), digest_size=HASH).digest()


def _numbered(*sides: NDArray[np.uint8]) -> tuple[list[Numbers], NDArray[np.uint8]]:
    """For each side the number of every block, and the blocks by their numbers."""
    flat = np.concatenate([side.reshape(-1, HASH) for side in sides])
    filled = flat.any(axis=1)
    names, found = np.unique(flat[filled], axis=0, return_inverse=True)
    numbers = np.full(len(flat), _NONE, np.int64)
    numbers[filled] = found.ravel()
    ends = np.cumsum([side.shape[0] * side.shape[1] for side in sides])
    parts = np.split(numbers, ends[:-1])
    return [part.reshape(side.shape[:2]) for part, side in zip(parts, sides, strict=True)], names


def _columns(sides: Sequence[Numbers], count: int) -> Numbers:
    """For every block the first column that is free of its neighbours, those with most neighbours first."""
    pairs = [np.zeros((0, 2), np.int64)]
    for side in sides:
        for one, other in combinations(range(side.shape[1]), 2):
            both = side[:, [one, other]]
            pairs.append(both[(both != _NONE).all(axis=1)])
    edges = np.unique(np.concatenate(pairs), axis=0)
    ends = np.concatenate([edges, edges[:, ::-1]])
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    starts = np.searchsorted(ends[:, 0], np.arange(count + 1))
    columns = np.full(count, _NONE, np.int64)
    for block in np.argsort(starts[:-1] - starts[1:], kind="stable").tolist():
        taken = set(columns[ends[starts[block] : starts[block + 1], 1]].tolist())
        columns[block] = next(column for column in range(len(taken) + 1) if column not in taken)
    return columns
