"""
Names of blocks as blocking keys: for each record the blocks that it is in.

Blocks of other tools are a set of names for each record. Ours are columns: two records are compared where they agree
in one of them. So names that one record may have at once must stand in different columns, and both owners' the same
name in the same one. Methods that make several blocks for a record say in front of each name from which of their tables
it is: that decides about the column.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.protocol.messages import HASH

#: A name that we gave to a block: the column, and the blocking key.
_OURS: Final = re.compile(r"(\d{1,3})_([0-9a-f]{32})")
_MOST_COLUMNS: Final = 64
_PREFIXES: Final = (1, 2, 3, 4)

#: From the name of a block to the table that it is from.
TableOf = Callable[[str], str]


def keys_of_blocks(path: Path, blocks: Sequence[Sequence[str]]) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """For each record and table 16 bytes, all zero where it is in no block of the table; and the tables' names."""
    names = {name for some in blocks for name in some}
    table_of = _tables(blocks, names)
    if table_of is None:
        raise InputError(
            path,
            "has records in several blocks whose names do not tell which of them exclude each other",
            hint="leave the blocks out with --no-blocks, and compare with unveil link --threshold --all-pairs",
        )
    tables = tuple(sorted({table_of(name) for name in names}))
    column = {table: place for place, table in enumerate(tables)}
    hashed = {name: (column[table_of(name)], np.frombuffer(_key(name), np.uint8)) for name in names}
    out = np.zeros((len(blocks), len(tables), HASH), np.uint8)
    for row, some in enumerate(blocks):
        for name in some:
            place, key = hashed[name]
            out[row, place] = key
    return out, tables


def blocks_of_keys(blocking: NDArray[np.uint8]) -> Iterator[list[str]]:
    """For each record the names of its blocks: column, and the blocking key."""
    for row in blocking:
        yield [f"{place}_{bytes(key).hex()}" for place, key in enumerate(row) if key.any()]


def _key(name: str) -> bytes:
    """The blocking key that a name stands for: our own again, or a hash of it."""
    ours = _OURS.fullmatch(name)
    return bytes.fromhex(ours[2]) if ours else hashlib.blake2b(name.encode(), digest_size=HASH).digest()


def _tables(blocks: Sequence[Sequence[str]], names: set[str]) -> TableOf | None:
    ways: list[TableOf] = []
    if all("_" in name for name in names):
        ways.append(lambda name: name.split("_", 1)[0])
    ways.append(lambda _: "")
    ways += [_prefix(length) for length in _PREFIXES]
    for way in ways:
        few = len({way(name) for name in names}) <= _MOST_COLUMNS
        if few and all(len({way(name) for name in some}) == len(set(some)) for some in blocks):
            return way
    return None


def _prefix(length: int) -> TableOf:
    return lambda name: name[:length]
