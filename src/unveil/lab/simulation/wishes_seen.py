"""What an owner gets to see of its own records while a linkage runs, noted message by message."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.protocol.codec import decode
from unveil.protocol.messages import ID, AttributeWish, EncodingWish, RecordEncodings
from unveil.protocol.roles import Address
from unveil.roles.columns import byte_matrix, entries


class WishesSeen:
    """A tap on the wire that keeps what goes to one owner, and what that owner knows itself: its handles."""

    def __init__(self, owner: Address) -> None:
        self._owner = owner
        self._row: dict[bytes, int] = {}
        self._row_of_pair: dict[bytes, int] = {}
        self._wishes: list[tuple[int, int, int]] = []  # row, batch, place among all wishes
        self._asked: list[tuple[int, int]] = []  # row, attributes asked for

    def __call__(self, sender: Address, recipient: Address, frame: bytes) -> None:
        """Take note of a message."""
        if self._owner not in (sender, recipient):
            return
        match decode(frame):
            case RecordEncodings() as message:
                for handle in entries(message.handles, ID):
                    self._row[handle] = len(self._row)
            case EncodingWish() as message:
                for pair_id, handle in zip(entries(message.pair_ids, ID), entries(message.handles, ID), strict=True):
                    self._row_of_pair[pair_id] = self._row[handle]
                    self._wishes.append((self._row[handle], message.batch, len(self._wishes)))
            case AttributeWish() as message:
                marks = byte_matrix(message.asked, message.attributes).sum(axis=1).tolist()
                for pair_id, asked in zip(entries(message.pair_ids, ID), marks, strict=True):
                    self._asked.append((self._row_of_pair[pair_id], asked))
            case _:
                pass

    @property
    def wished(self) -> int:
        """Pairs that this owner was asked about."""
        return len(self._wishes)

    def counts(self) -> NDArray[np.float64]:
        """How often each record was wished for."""
        rows = np.array([row for row, *_ in self._wishes], np.int64)
        return np.bincount(rows, minlength=len(self._row)).astype(np.float64)

    def figures(self, *, reviews: bool = True) -> NDArray[np.float64]:
        """Of each record: wishes in all and by batch, the first and last place, and reviews and attributes asked."""
        size = len(self._row)
        batches = 1 + max((batch for _, batch, _ in self._wishes), default=0)
        by_batch = np.zeros((size, batches))
        first, last = np.full(size, -1.0), np.full(size, -1.0)
        for row, batch, place in self._wishes:
            by_batch[row, batch] += 1
            first[row] = place if first[row] < 0 else first[row]
            last[row] = place
        shown = np.zeros((size, 2))
        for row, attributes in self._asked:
            shown[row] += (1, attributes)
        return np.column_stack([self.counts(), by_batch, first, last, *([shown] if reviews else [])])
