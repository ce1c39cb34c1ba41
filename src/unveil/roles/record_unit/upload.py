"""An owner's upload: parts that may come in any order, and what is left of it after screening."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits, word_count
from unveil.linkage.engine import Encoded
from unveil.linkage.outcome import Flags
from unveil.protocol.messages import HASH, RecordEncodings
from unveil.roles.columns import byte_matrix
from unveil.roles.handles import Handles

Rows = NDArray[np.int64]


@dataclass(slots=True, repr=False)
class Upload:
    """Parts by number until all are there; then `encoded` and `handles` of every record, in the order of the parts."""

    parts: int
    upload_id: bytes
    _given: dict[int, RecordEncodings] = field(default_factory=dict)
    _records: int = 0
    encoded: Encoded | None = None
    handles: Handles | None = None
    #: Rows that take part in the comparison; None until the upload was screened.
    rows: Rows | None = None
    #: For each record, the first one that is the same; then only that one takes part. None until it was screened.
    first: Rows | None = None

    def __repr__(self) -> str:
        return f"Upload(<{self._records} records>)"

    def __len__(self) -> int:
        return self._records

    @property
    def complete(self) -> bool:
        """Whether every part is there."""
        return self.encoded is not None

    @property
    def compared(self) -> int:
        """Records that take part in the comparison; 0 before the upload was screened."""
        return 0 if self.rows is None else len(self.rows)

    def has(self, part: int) -> bool:
        """Whether this part has come."""
        return self.complete or part in self._given

    def add(self, message: RecordEncodings) -> None:
        """Take in a part; the last one makes the upload complete."""
        self._given[message.part] = message
        self._records += len(message)
        if len(self._given) == self.parts:
            given = [self._given.pop(part) for part in range(self.parts)]
            self.encoded = _joined(given)
            # Two records under one handle are a mistake of the owner's that screening reports.
            self.handles = Handles(b"".join(message.handles for message in given), unique=False)

    def screened(self, kept_out: Rows) -> None:
        """All records take part but these, and of records that are the same the first one."""
        assert self.encoded is not None
        # What was kept out stands for itself alone: nothing is known of it but that it looks wrong.
        taking_part = np.ones(len(self), bool)
        taking_part[kept_out] = False
        self.first = first_of_same(self.encoded, taking_part)
        self.rows = np.flatnonzero(taking_part & (self.first == np.arange(len(self))))

    def kept(self) -> Encoded:
        """What takes part in the comparison."""
        assert self.encoded is not None
        assert self.rows is not None
        if len(self.rows) == len(self):
            return self.encoded
        filters = Bits(np.ascontiguousarray(self.encoded.filters.words[self.rows]), self.encoded.filters.m)
        return Encoded(filters, np.ascontiguousarray(self.encoded.keys[self.rows]))


def first_of_same(encoded: Encoded, among: Flags) -> Rows:
    """
    For each record the first one with the same filter and the same keys, perhaps itself; only these are looked at.

    Whoever enters a record twice so learns nothing that it would not have learnt from one of them.
    """
    words = encoded.filters.words
    first = np.arange(len(words))
    # Of few records only the whole contents are looked at: those whose sum under random weights is not alone.
    weights = np.random.default_rng(0).integers(1, 1 << 63, words.shape[1], np.uint64) | np.uint64(1)
    _, group, count = np.unique((words * weights).sum(axis=1), return_inverse=True, return_counts=True)
    seen: dict[tuple[bytes, bytes], int] = {}
    for row in np.flatnonzero(among & (count[group] > 1)).tolist():
        first[row] = seen.setdefault((words[row].tobytes(), encoded.keys[row].tobytes()), row)
    return first


def _joined(given: list[RecordEncodings]) -> Encoded:
    """The records of all parts. Parts are let go one by one, so that hardly more than one copy is held."""
    m, count, records = given[0].m, given[0].blocking_keys, sum(map(len, given))
    words = np.empty((records, word_count(m)), np.uint64)
    keys = np.empty((records, count, HASH), np.uint8)
    start = 0
    for part in given:
        stop = start + len(part)
        words[start:stop] = Bits.from_bytes(part.filters, m).words
        if count:
            keys[start:stop] = byte_matrix(part.blocking, count, HASH)
        start = stop
    return Encoded(Bits(words, m), keys)
