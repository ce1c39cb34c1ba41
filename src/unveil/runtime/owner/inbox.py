"""
Wishes that wait for a person, grouped by what they ask for, and exactly what would leave for each.

What would leave is built by the machine's own functions as if it were approved now, and read from the messages that
would be sent, so that a person sees what goes and not what somebody thinks would go. Nothing is decided by looking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

import numpy as np

from unveil.protocol.messages import LONGEST_VALUE, AttributeEncodings, AttributeValues, Message
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT
from unveil.records import Records
from unveil.roles.columns import byte_matrix
from unveil.roles.owner.allowance import Caps
from unveil.roles.owner.answers import RECIPIENTS
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.wishes import Wish

PAGE: Final = 20  # entries that are shown at once


class WishKind(StrEnum):
    """What is asked for; also the first part of a group's key."""

    ENCODINGS = "encodings"  #: attributes encoded, each by itself, under the key of one pair
    VALUES = "values"  #: values in plain text, to be shown masked


class CellFate(StrEnum):
    """What becomes of one attribute of one record."""

    GOES = "goes"
    MISSING = "missing"  #: there is no value, which is told, or looks like any other empty filter
    NEVER = "never"  #: the policy keeps this attribute at home
    TOO_LONG = "too long"
    LIMITED = "limited"  #: smallest_k or a cap
    REFUSED = "refused"  #: the whole wish is refused


class WishFate(StrEnum):
    """What becomes of a wish that is approved now."""

    GOES = "goes"
    NO_CONSENT = "no consent"
    LOT = "lot"  #: the policy answers a share of the records, and this one is not among them
    LIMITED = "limited"  #: smallest_k or a cap leaves nothing


@dataclass(frozen=True, slots=True, repr=False)
class InboxCell:
    """One attribute that is asked for: the record's own value, and what leaves of it."""

    attribute: str
    value: str
    fate: CellFate
    bits: int | None = None  #: ones in the filter that leaves
    signs: int | None = None  #: signs that leave in its place
    frequency: int | None = None  #: class that leaves with it: 1 frequent, 2 common, 3 rare, 0 not told

    def __repr__(self) -> str:
        return f"InboxCell({self.attribute}, {self.fate})"


@dataclass(frozen=True, slots=True, repr=False)
class InboxEntry:
    """One pair or task that waits: its id, the record that is meant, and what would leave."""

    id: bytes
    record_id: str
    fate: WishFate
    cells: tuple[InboxCell, ...]
    k: int | None = None  #: records of ours that share all that reviewers know of this one afterwards

    def __repr__(self) -> str:
        return f"InboxEntry({self.id.hex()}, {self.fate})"


@dataclass(frozen=True, slots=True)
class WishGroup:
    """
    Entries that ask for the same: who asks, who gets it, which attributes, and how much goes if all are approved.

    `further`: a reviewer asks for one more attribute of pairs that are before people already.
    """

    key: str
    kind: WishKind
    layer: int
    asks: str
    gets: str
    attributes: tuple[str, ...]
    entries: int
    records: int
    goes: int
    refused: int
    values: int
    wish: Wish = field(repr=False)
    further: bool = False


class Inbox:
    """What waits at one moment. `wishes` are those that wait; the machine is only asked."""

    def __init__(
        self, machine: Owner, records: Records, names: Sequence[str], wishes: Sequence[Wish], *, now: float
    ) -> None:
        self._machine, self._records, self._names, self._now = machine, records, tuple(names), now
        self._wishes = wishes

    def groups(self) -> list[WishGroup]:
        """The groups, those of encodings first, then the largest."""
        found = [self._group(key, wish) for key, wish in self._by_key().items()]
        return sorted(found, key=lambda each: (each.kind is WishKind.VALUES, -each.entries, each.key))

    def entries(self, wish: Wish) -> list[InboxEntry]:
        """What each entry asks for and what would leave for it, each looked at as if it alone were approved."""
        return [self._entry(wish.some([at])) for at in range(len(wish.ids))]

    def _by_key(self) -> dict[str, Wish]:
        parts: dict[str, list[Wish]] = {}
        for wish in self._wishes:
            if wish.layer == ATTRIBUTE_LAYER:
                parts.setdefault(WishKind.ENCODINGS.value, []).append(wish)
                continue
            for mark in np.unique(wish.asked, axis=0):
                places = np.flatnonzero((wish.asked == mark).all(axis=1)).tolist()
                kind = f"{WishKind.VALUES}-further" if wish.further else WishKind.VALUES
                key = f"{kind}-{np.packbits(mark).tobytes().hex()}"
                parts.setdefault(key, []).append(wish.some(places))
        return {key: _joined(some) for key, some in parts.items()}

    def _group(self, key: str, wish: Wish) -> WishGroup:
        grant = self._machine.would_grant(wish, self._now)
        goes, is_encodings = int(grant.rows.sum()), wish.layer == ATTRIBUTE_LAYER
        return WishGroup(
            key=key,
            kind=WishKind.ENCODINGS if is_encodings else WishKind.VALUES,
            layer=wish.layer,
            asks=str(RECORD_UNIT if is_encodings else REVIEW_UNIT if wish.further else ATTRIBUTE_UNIT),
            gets=str(RECIPIENTS[wish.layer]),
            attributes=tuple(name for name, asked in zip(self._names, wish.asked[0], strict=True) if asked),
            entries=len(wish.ids),
            records=len(np.unique(wish.rows)),
            goes=goes,
            refused=len(wish.ids) - goes,
            values=int(grant.attributes.sum()),
            wish=wish,
            further=wish.further,
        )

    def _entry(self, wish: Wish) -> InboxEntry:
        row, sent = int(wish.rows[0]), self._machine.would_send(wish, self._now)
        (message,) = (message for _, message in sent)
        fate = self._fate(wish, message)
        asked = [at for at in range(len(self._names)) if wish.asked[0, at]]
        cells = tuple(self._cell(wish, at, message, fate) for at in asked)
        k = None
        if fate is WishFate.GOES and wish.layer != ATTRIBUTE_LAYER:
            (k,) = self._machine.would_share(wish, self._machine.would_grant(wish, self._now))
        return InboxEntry(wish.ids[0], self._records.ids[row], fate, cells, k)

    def _fate(self, wish: Wish, message: Message) -> WishFate:
        if isinstance(message, AttributeEncodings | AttributeValues):
            return WishFate.GOES
        policy, row = self._machine.policy, int(wish.rows[0])
        if policy.layers is not None and policy.layers[row] < wish.layer:
            return WishFate.NO_CONSENT
        unlimited = replace(policy, caps=Caps(), smallest_k=1)
        drawn = self._machine.would_grant(wish, self._now, policy=unlimited).rows.any()
        return WishFate.LIMITED if drawn else WishFate.LOT

    def _cell(self, wish: Wish, at: int, message: Message, fate: WishFate) -> InboxCell:
        name, layer, row = self._names[at], wish.layer, int(wish.rows[0])
        value = self._records.columns[name][row]
        if isinstance(message, AttributeEncodings) and self._machine.signs:
            # What is held back has random signs, and classes are hidden: what is sent does not tell what it says.
            goes = bool(self._machine.would_grant(wish, self._now).attributes[0, at])
            kind = self._machine.frequency_class(row, at) if goes else None
            return InboxCell(
                name, value, self._cell_fate(layer, at, value, goes=goes), signs=self._machine.signs, frequency=kind
            )
        if isinstance(message, AttributeEncodings):
            width = len(message.filters) // message.attributes
            bits = int(np.unpackbits(np.frombuffer(message.filters, np.uint8)[at * width : (at + 1) * width]).sum())
            kind = int(byte_matrix(message.classes, message.attributes)[0, at])
            return InboxCell(name, value, self._cell_fate(layer, at, value, goes=bits > 0), bits, frequency=kind)
        if isinstance(message, AttributeValues):
            return InboxCell(name, value, self._cell_fate(layer, at, value, goes=name in message.values[0]))
        return InboxCell(name, value, CellFate.REFUSED if fate is not WishFate.GOES else CellFate.LIMITED)

    def _cell_fate(self, layer: int, at: int, value: str, *, goes: bool) -> CellFate:
        if not self._machine.policy.may_go(layer, len(self._names))[at]:
            return CellFate.NEVER
        if not value:
            return CellFate.MISSING
        if goes:
            return CellFate.GOES
        return CellFate.TOO_LONG if layer != ATTRIBUTE_LAYER and len(value) > LONGEST_VALUE else CellFate.LIMITED


def pages(wish: Wish) -> Iterator[Wish]:
    """The entries of a wish, a page at a time."""
    for start in range(0, len(wish.ids), PAGE):
        yield wish.some(range(start, min(start + PAGE, len(wish.ids))))


def _joined(wishes: Sequence[Wish]) -> Wish:
    """Entries of several wishes of one layer as one, to be looked at; all that are open are about the same uploads."""
    if len(wishes) == 1:
        return wishes[0]
    return Wish(
        wishes[0].layer,
        [one for wish in wishes for one in wish.ids],
        np.concatenate([wish.rows for wish in wishes]),
        np.concatenate([wish.asked for wish in wishes]),
        [key for wish in wishes for key in wish.key_pairs],
        np.concatenate([wish.approved for wish in wishes]),
        wishes[0].run,
        wishes[0].further,
    )
