"""How large the blocks of a blocking key are: how many pairs it makes, and which of its blocks are too large."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.blocking_keys import field_codes
from unveil.records import Records
from unveil.schema import BlockingField, BlockingKey, Schema

_NONE: Final = -1

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KeyBlocks:
    """
    The blocks of one key.

    `has` is the share of the owner's records that have the key, `pairs` how many pairs it makes, `largest` the pairs in
    its largest block, `skipped` the blocks that hold more than the schema allows and are passed over. `reached` marks
    the owner's records that stand in a block that is not.
    """

    has: float
    pairs: int
    largest: int
    skipped: int
    reached: NDArray[np.bool_] = field(repr=False)


@dataclass(frozen=True, slots=True, repr=False)
class BlockingTable:
    """
    The fields of blocking keys for the records of one owner or two, each computed once.

    Without the other owner's records the first one's stand in for them: blocks are as large, and nobody is paired with
    himself.
    """

    records: Records
    other: Records | None
    schema: Schema
    _known: dict[BlockingField, Numbers] = field(default_factory=dict)

    def blocks(self, key: BlockingKey) -> KeyBlocks:
        """The blocks that a key makes."""
        numbers = self.numbers(key)
        own = numbers[: len(self.records)]
        others = own if self.other is None else numbers[len(self.records) :]
        size = int(numbers.max(initial=_NONE)) + 1
        count, count_other = (np.bincount(part[part >= 0], minlength=size) for part in (own, others))
        pairs = count * count_other
        usable = pairs <= self.schema.protocol.max_block
        himself = count if self.other is None else np.zeros_like(count)
        reached = own >= 0
        reached[reached] = usable[own[reached]]
        return KeyBlocks(
            has=float(np.mean(own >= 0)),
            pairs=int((pairs - himself)[usable].sum()),
            largest=int(pairs.max(initial=0)),
            skipped=int((~usable).sum()),
            reached=reached,
        )

    def numbers(self, key: BlockingKey) -> Numbers:
        """For every record, the other owner's after the first one's, a number, equal where the key is; -1: no key."""
        first, *rest = (self._field(part) for part in key.parts())
        combined, complete = first, first >= 0
        for numbers in rest:
            complete = complete & (numbers >= 0)
            # Renumbering after every field keeps the numbers below n, so their product cannot overflow.
            both = combined * (int(numbers.max(initial=0)) + 1) + numbers
            _, combined = np.unique(both, return_inverse=True)
        return np.where(complete, combined, _NONE)

    def _field(self, part: BlockingField) -> Numbers:
        if part not in self._known:
            attribute = self.schema.attribute(part.attribute)
            number_of: dict[str, int] = {}
            sides = []
            for records in (self.records, self.other):
                if records is not None:
                    values, codes = field_codes(records, attribute, part.transform)
                    sides.append(np.array([number_of.setdefault(v, len(number_of)) for v in values])[codes])
            numbers = np.concatenate(sides)
            self._known[part] = np.where(numbers == number_of.get("", _NONE), _NONE, numbers)
        return self._known[part]
