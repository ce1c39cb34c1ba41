"""
What an owner lets go: per record the highest layer, what never leaves, how rare a shown combination may be, and caps.

A policy only ever takes away: what it does not grant is refused, and a refusal is an answer like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.roles.owner.allowance import Allowance, Caps
from unveil.roles.owner.combinations import Combinations
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, RECORD_LAYER, REVIEW_LAYER, Ledger

__all__ = ["ATTRIBUTE_LAYER", "RECORD_LAYER", "REVIEW_LAYER", "Approval", "Caps", "Combinations", "Grant", "Policy"]

Approval = Literal["none", "further", "review", "all"]
#: Layers of which wishes wait for a person, some of them at least.
APPROVED: Final[Mapping[Approval, tuple[int, ...]]] = {
    "none": (),
    "further": (REVIEW_LAYER,),
    "review": (REVIEW_LAYER,),
    "all": (ATTRIBUTE_LAYER, REVIEW_LAYER),
}


@dataclass(frozen=True, slots=True)
class Grant:
    """
    Which wishes are answered, and with which attributes (wishes × attributes).

    A wish that is granted without any attribute is answered too: it asked for nothing that there is or that may go.
    `missing` are attributes of which reviewers are told that the record has no value.
    """

    rows: NDArray[np.bool_]
    attributes: NDArray[np.bool_]
    missing: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """
    An answer to wishes for values that would wait for a person, given without one.

    It is for wishes that ask for no attribute but `only` and for one of `any` at least, where these are not None, and
    whose answer, with all that went before, at least `smallest_k` of the owner's records share.
    """

    granted: bool
    only: frozenset[str] | None = None
    any: frozenset[str] | None = None
    smallest_k: int = 1

    def is_about(self, asked: NDArray[np.bool_], names: Sequence[str]) -> NDArray[np.bool_]:
        """Which wishes it is about by what they ask for (wishes × attributes)."""
        fits = np.ones(len(asked), bool)
        if self.only is not None:
            fits &= ~asked[:, [name not in self.only for name in names]].any(axis=1)
        if self.any is not None:
            fits &= asked[:, [name in self.any for name in names]].any(axis=1)
        return fits


@dataclass(frozen=True, slots=True)
class Policy:
    """
    The owner's word on disclosure.

    `layers` holds the highest layer (1, 2 or 3) that each record consents to; None means 3 for all. `response_rate_a`
    and `response_rate_c` are the shares of records whose wishes are answered (1 all, 0 none). Attributes in
    `never` are sent to no reviewer; those in `never_encoded` are not encoded for the attribute unit either, which gets
    a filter of zeros for them, as for a missing value. All values of a record that reviewers ever get together must be
    shared by at least `smallest_k` of the owner's records. `approval` says which layers wait for a person's word, or
    that only what reviewers ask for besides does; of the answers that are `standing` the first that fits is given in a
    person's place.
    `names` are the attributes in the order of the schema; `fitted` sets them.
    """

    layers: NDArray[np.uint8] | None = None
    response_rate_a: float = 1.0
    response_rate_c: float = 1.0
    never: frozenset[str] = field(default_factory=frozenset)
    never_encoded: frozenset[str] = field(default_factory=frozenset)
    smallest_k: int = 1
    caps: Caps = field(default_factory=Caps)
    approval: Approval = "none"
    standing: tuple[StandingAnswer, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("response_rate_a", "response_rate_c"):
            if not 0 <= getattr(self, name) <= 1:
                raise SettingError(f"{name} must lie between 0 and 1")
        if self.layers is not None and self.layers.size and not set(np.unique(self.layers)) <= {1, 2, 3}:
            raise SettingError("a record's highest layer must be 1, 2 or 3")
        if self.smallest_k < 1:
            raise SettingError("smallest_k must be at least 1")
        if self.approval not in APPROVED:
            raise SettingError("approval must be none, further, review or all")

    def __repr__(self) -> str:
        rest = (f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.name != "layers")
        return f"Policy({', '.join(rest)})"

    # Making it fit the data

    def fitted(self, names: Sequence[str], records: int) -> Policy:
        """The policy for records with these attributes; a name or a number that does not fit is refused."""
        standing = (named for each in self.standing for named in (each.only, each.any) if named is not None)
        unknown = sorted(self.never.union(self.never_encoded, *standing) - set(names))
        if unknown:
            # A misspelt name would let the attribute go that it was meant to keep.
            raise SettingError(f"the policy names attributes that are not in the schema: {', '.join(unknown)}")
        if self.layers is not None and len(self.layers) != records:
            raise SettingError(f"consent is given for {len(self.layers)} records, the data has {records}")
        return replace(self, names=tuple(names))

    def with_consent(self, values: Sequence[str], table: Mapping[str, int], otherwise: int) -> Policy:
        """
        The policy with each record's highest layer read from its value in the consent column.

        Neither case nor blanks around a value count. A value that is not in the table, also an empty one, means
        `otherwise`. A record that had a lower layer before keeps it.
        """
        known: dict[str, int] = {}
        for value, layer in table.items():
            if known.setdefault(plain(value), layer) != layer:
                raise SettingError("two entries of the consent table differ in nothing but case or blanks")
        return self._lowered([known.get(plain(value), otherwise) for value in values])

    def with_list(self, ids: Sequence[str], listed: Mapping[str, int], otherwise: int = 3) -> Policy:
        """
        The policy with the highest layer of each listed record, and `otherwise` for those that are not listed.

        `ids` are the records' ids in order. A record that had a lower layer before keeps it.
        """
        strange = len(set(listed).difference(ids))
        if strange:
            # Somebody who opted out under a mistyped id would be disclosed.
            raise SettingError(
                f"{strange} of {len(listed)} ids on the consent list are not in the data",
                hint="compare how ids are written on the list and in the data, leading zeros for example",
            )
        return self._lowered([listed.get(one, otherwise) for one in ids])

    def _lowered(self, layers: Sequence[int]) -> Policy:
        if not set(layers) <= {1, 2, 3}:
            raise SettingError("a record's highest layer must be 1, 2 or 3")
        new = np.array(layers, np.uint8)
        if self.layers is not None:
            if len(self.layers) != len(new):
                raise SettingError(f"consent is given for {len(self.layers)} records and for {len(new)}")
            new = np.minimum(new, self.layers)
        return replace(self, layers=new)

    # What the machine asks

    def needs_approval(self, layer: int, *, further: bool = True) -> bool:
        """Whether a person must approve what goes to that layer; `further`: what reviewers ask for besides."""
        return layer in APPROVED[self.approval] and (further or self.approval != "further")

    def may_go(self, layer: int, attributes: int) -> NDArray[np.bool_]:
        """Which attributes may go to that layer at all. What is never encoded is never shown either."""
        kept = self.never_encoded if layer == ATTRIBUTE_LAYER else self.never | self.never_encoded
        if not kept:
            return np.ones(attributes, bool)
        if len(self.names) != attributes:
            raise SettingError("the policy must be fitted to the schema before it is asked")
        return np.array([name not in kept for name in self.names])

    def grants(
        self,
        layer: int,
        rows: NDArray[np.int64],
        asked: NDArray[np.bool_],
        *,
        ledger: Ledger,
        now: float,
        luck: NDArray[np.float64],
        missing: NDArray[np.bool_] | None = None,
        combinations: Combinations | None = None,
    ) -> Grant:
        """
        Which wishes for these records are granted, and which of the asked attributes (wishes × attributes) go.

        `missing` marks asked attributes of which the record has no value; none, if nobody is told of them. Attributes
        that never go are left out without a word. `luck` holds one uniform number in [0, 1) per wish, the same for the
        same record. Wishes count against the caps in order, after what the ledger holds. Nothing is charged here.
        """
        rate = self.response_rate_a if layer == ATTRIBUTE_LAYER else self.response_rate_c
        # luck is below 1, so a rate of 1 grants all and a rate of 0 none.
        granted = luck < rate
        if self.layers is not None:
            granted &= self.layers[rows] >= layer
        gaps = np.zeros_like(asked) if missing is None else missing
        attributes = asked & self.may_go(layer, asked.shape[1]) & granted[:, None]
        k = self.smallest_k if layer == REVIEW_LAYER else 1
        if k > 1 and combinations is None:
            raise SettingError("smallest_k needs the combinations of the owner's records")
        if k > 1 or self.caps.limit(layer):
            allowance = Allowance(self.caps, layer, ledger, now, k=k, combinations=combinations)
            open_wishes = np.flatnonzero(granted)
            if allowance.takes_all(rows[open_wishes]):
                return Grant(granted, attributes & ~gaps, attributes & gaps)
            for at in open_wishes.tolist():
                kept = allowance.take(int(rows[at]), attributes[at], gaps[at])
                granted[at] = kept is not None
                attributes[at] = False if kept is None else kept
        return Grant(granted, attributes & ~gaps, attributes & gaps)


def plain(value: str) -> str:
    """A consent value as it is compared: without case and without blanks around it."""
    return value.strip().casefold()
