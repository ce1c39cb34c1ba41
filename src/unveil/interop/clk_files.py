"""
Files of CLKs, as clkhash and anonlink's client write them and anonlink's service takes them.

* `{"clks": ["<base64>", …]}`: the row is the only id.
* `{"clknblocks": [["<base64>", "block", …], …]}`
* `{"encodings": ["<base64>", …], "blocks": {"0": ["block", …], …}}`
* binary: the bytes of each CLK, one after the other; how many and how long they are stands in headers beside it.

Bits are most significant first in all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from unveil.errors import InputError, SettingError
from unveil.files.encoded import Encodings
from unveil.files.source import opened
from unveil.interop.base64_filters import LONGEST, filters_in_bytes, filters_of, joined_batches, rows_of, texts_of
from unveil.interop.bit_order import MOST, byte_count
from unveil.interop.blocks import blocks_of_keys
from unveil.interop.json_text import LONGEST as LONGEST_FILE
from unveil.interop.json_text import read_json
from unveil.linkage.bits import Words

_WORD: Final = 8


@dataclass(frozen=True, slots=True, repr=False)
class ReadFilters:
    """What stands in a file of encodings: filters, ids and names of blocks if it has any, what was guessed."""

    filters: Words
    m: int
    ids: Sequence[str] | None = None
    blocks: Sequence[Sequence[str]] | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.filters)

    def __repr__(self) -> str:
        return f"ReadFilters(<{len(self)} filters of {self.m} bits>)"


def read_clks(path: Path, *, m: int | None = None) -> ReadFilters:
    """The CLKs in a JSON file of any of the three shapes."""
    return clks_in(path, read_json(path), m=m)


def clks_in(path: Path, found: Any, *, m: int | None = None) -> ReadFilters:
    """The CLKs in what a JSON file holds."""
    if isinstance(found, dict):
        for key, take in (("clks", _clks), ("clknblocks", _clknblocks), ("encodings", _with_blocks)):
            if isinstance(found.get(key), list):
                return take(path, found, m)
    raise InputError(path, "is not a file of CLKs", hint='it must hold "clks", "clknblocks" or "encodings"')


def read_blocks(path: Path, count: int) -> list[list[str]]:
    """The blocks of each of so many records, in a file of anonlink's client."""
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("blocks"), dict):
        raise InputError(path, "is not a file of blocks", hint="anonlink block makes such a file")
    return _blocks_by_row(path, found["blocks"], count)


def read_binary(path: Path, *, m: int | None) -> ReadFilters:
    """The CLKs in a binary file; nothing in it says how long one is."""
    if m is None:
        raise SettingError(f"{path}: a binary file does not say how long a CLK is", hint="--bits 1024")
    width = byte_count(m)
    with opened(path) as handle:
        data = handle.read(LONGEST_FILE + 1)
    if len(data) > LONGEST_FILE:
        raise InputError(path, f"is larger than {LONGEST_FILE >> 20} MB", hint="split it")
    if not 0 < m <= LONGEST or not data or len(data) % width:
        raise InputError(path, f"holds {len(data)} bytes, which is no number of CLKs of {m} bits", hint="check --bits")
    return ReadFilters(filters_in_bytes(path, data, m, MOST), m)


def clks_json(file: Encodings) -> Iterator[str]:
    """`clks`, in the letters in which clkhash's command writes them."""
    yield '{"clks": ['
    yield from joined_batches((f'"{text}"' for text in texts_of(file.filters, file.m, MOST)), ", ")
    yield "]}"


def clknblocks_json(file: Encodings) -> Iterator[str]:
    """`clknblocks`: each CLK with the blocks of its record."""
    texts = texts_of(file.filters, file.m, MOST)
    rows = ([text, *some] for text, some in zip(texts, blocks_of_keys(file), strict=True))
    yield '{"clknblocks": ['
    yield from joined_batches(map(json.dumps, rows), ", ")
    yield "]}"


def encodings_json(file: Encodings) -> Iterator[str]:
    """`encodings`, and by row the `blocks`."""
    yield '{"encodings": ['
    yield from joined_batches((f'"{text}"' for text in texts_of(file.filters, file.m, MOST)), ", ")
    yield '], "blocks": {'
    rows = enumerate(blocks_of_keys(file))
    yield from joined_batches((f'"{row}": {json.dumps(some)}' for row, some in rows), ", ")
    yield "}}"


def binary(file: Encodings) -> Iterator[bytes]:
    """The bytes of each CLK."""
    yield from rows_of(file.filters, file.m, MOST)


def binary_headers(file: Encodings) -> dict[str, str]:
    """What anonlink's service must be told beside the bytes."""
    return {
        "Content-Type": "application/octet-stream",
        "Hash-Count": str(len(file)),
        "Hash-Size": str(byte_count(file.m)),
    }


def check_whole_bytes(file: Encodings) -> None:
    """SettingError for filters that anonlink cannot compare: it wants them to be a multiple of 8 bytes long."""
    if file.m % (8 * _WORD):
        raise SettingError(
            f"anonlink compares encodings of a multiple of 64 bits, and these have {file.m}",
            hint="encode with such an l or m",
        )


def _clks(path: Path, found: Mapping[str, Any], m: int | None) -> ReadFilters:
    return ReadFilters(*filters_of(path, found["clks"], MOST, m=m))


def _clknblocks(path: Path, found: Mapping[str, Any], m: int | None) -> ReadFilters:
    rows = found["clknblocks"]
    for place, row in enumerate(rows, 1):
        if not isinstance(row, list) or not row:
            raise InputError(path, "is no list of a CLK and its blocks", row=place)
    blocks = [_names(path, row[1:], place) for place, row in enumerate(rows, 1)]
    return ReadFilters(*filters_of(path, [row[0] for row in rows], MOST, m=m), blocks=blocks)


def _with_blocks(path: Path, found: Mapping[str, Any], m: int | None) -> ReadFilters:
    read = ReadFilters(*filters_of(path, found["encodings"], MOST, m=m))
    blocks = found.get("blocks")
    if blocks is None:
        return read
    if not isinstance(blocks, dict):
        raise InputError(path, '"blocks" is not an object', hint='it must be {"0": ["block", …], …}')
    return ReadFilters(read.filters, read.m, blocks=_blocks_by_row(path, blocks, len(read)))


def _blocks_by_row(path: Path, blocks: Mapping[str, Any], count: int) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(count)]
    for key, names in blocks.items():
        row = int(key) if key.isascii() and key.isdigit() and len(key) < 10 else count  # noqa: PLR2004 - digits
        if row >= count:
            raise InputError(path, f"names blocks of a row that is none of the {count}", hint="rows count from 0")
        rows[row] = _names(path, names, row + 1)
    return rows


def _names(path: Path, names: Any, row: int) -> list[str]:
    """The names of the blocks of a record, each once; numbers are names too."""
    if not isinstance(names, list) or not all(type(name) in {str, int} for name in names):
        raise InputError(path, "has blocks that are not a list of names", row=row)
    return list(dict.fromkeys(map(str, names)))


#: The writers of text, by the name of their format.
WRITERS: Final[Mapping[str, Callable[[Encodings], Iterator[str]]]] = {
    "clkhash": clks_json,
    "clkhash-blocks": clknblocks_json,
    "anonlink-encodings": encodings_json,
}
