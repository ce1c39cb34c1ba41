"""Record ids as they stand in Arrow memory: no text is made of one before somebody looks at it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.files.csv_rows import NUL, TOO_LONG
from unveil.files.source import FIELD_LIMIT

_NO_ID: Final = "give every record an id, or number the rows with --id row"
_TWICE: Final = "ids must be unique: name another column with --id, or number the rows with --id row"


class ArrowIds(Sequence[str]):
    """Texts in an Arrow array without gaps; `array` is that array."""

    __hash__ = None  # type: ignore[assignment]  # equal to other sequences that have no hash either

    def __init__(self, array: Any) -> None:
        self.array = array.cast(pa.large_string())

    @classmethod
    def of_rows(cls, rows: Sequence[int] | NDArray[np.int64]) -> ArrowIds:
        """The numbers of rows."""
        return cls(pa.array(np.asarray(rows, np.int64)))

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> ArrowIds: ...

    def __getitem__(self, at: int | slice) -> str | ArrowIds:
        if isinstance(at, slice):
            return ArrowIds(self.array[at])
        return str(self.array[at].as_py())

    def __iter__(self) -> Iterator[str]:
        for one in self.array:
            yield one.as_py()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ArrowIds):
            return bool(self.array.equals(other.array))
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(str.__eq__, self, other))

    def __repr__(self) -> str:
        return f"ArrowIds(<{len(self)} ids>)"

    def take(self, rows: NDArray[np.integer]) -> ArrowIds:
        """The ids of these rows."""
        return ArrowIds(self.array.take(pa.array(rows)))

    def lengths(self) -> NDArray[np.int64]:
        """Bytes of each id."""
        return np.asarray(pc.binary_length(self.array).to_numpy(zero_copy_only=False), np.int64)

    def digest(self) -> bytes:
        """SHA-256 of lengths and texts."""
        hashed = hashlib.sha256(self.lengths().astype("<i8").tobytes())
        _, offsets, text = self.array.buffers()
        bounds = np.frombuffer(offsets, "<i8")[[self.array.offset, self.array.offset + len(self)]].tolist()
        hashed.update(memoryview(text or b"")[slice(*bounds)])
        return hashed.digest()


def checked_ids(path: Path, column: Any, name: str) -> ArrowIds:
    """The ids in a column of text: trimmed, none of them missing or there twice; else an InputError with the row."""
    text = pc.utf8_trim_whitespace(column.cast(pa.large_string()).fill_null("").combine_chunks())
    lengths = pc.utf8_length(text).to_numpy(zero_copy_only=False)
    if len(text) and lengths.min() == 0:
        row = 1 + int(np.argmax(lengths == 0))
        raise InputError(path, "the record has no id", row=row, column=name, hint=_NO_ID)
    long = lengths > FIELD_LIMIT
    nul = pc.match_substring(text, "\0").to_numpy(zero_copy_only=False)
    for where, (problem, hint) in ((long, TOO_LONG), (nul, NUL)):
        if where.any():
            raise InputError(path, problem, row=1 + int(np.argmax(where)), column=name, hint=hint)
    _check_unique(path, text, name)
    return ArrowIds(text)


def _check_unique(path: Path, text: Any, name: str) -> None:
    if pc.count_distinct(text).as_py() == len(text):
        return
    codes = text.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    row = int(np.argmax(first[number] != np.arange(len(codes))))
    raise InputError(
        path, f"has the same id as row {1 + int(first[number][row])}", row=row + 1, column=name, hint=_TWICE
    )  # fmt: skip
