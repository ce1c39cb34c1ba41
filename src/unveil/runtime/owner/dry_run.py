"""
What other rules would have let go of all past wishes, and would let go of those that wait.

Past wishes are answered once more in their order, against a ledger that begins empty, by the very function that answers
wishes. What a person refused stays refused: rules come on top. Nothing is decided and nothing leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER, Ledger
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Policy
from unveil.roles.owner.wishes import GOES, REFUSED, WAITS, Wish
from unveil.runtime.owner.past_wishes import PastWishes
from unveil.runtime.owner.progress import UNIT_OF_LAYER


@dataclass(frozen=True, slots=True)
class LayerTrial:
    """
    Past wishes to one unit: how many, those that people refused, and what rules refused then and would refuse.

    `held` would have waited for a person's word; `values` are those that went, and that would have gone.
    """

    wishes: int = 0
    by_people: int = 0
    refused_then: int = 0
    refused_now: int = 0
    held: int = 0
    values_then: int = 0
    values_now: int = 0


@dataclass(frozen=True, slots=True)
class WaitingTrial:
    """What would become of the wishes that wait: still wait, go, or are refused by the rules."""

    wait: int = 0
    go: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class RulesTrial:
    """What rules would have done: by unit, by attribute shown to reviewers (then, now), and to what waits."""

    units: dict[str, LayerTrial]
    attributes: dict[str, tuple[int, int]]
    waiting: WaitingTrial

    @classmethod
    def of_nothing(cls) -> RulesTrial:
        """Before anything was asked."""
        return cls(dict.fromkeys(UNIT_OF_LAYER.values(), LayerTrial()), {}, WaitingTrial())

    @property
    def wishes(self) -> int:
        """Past wishes in all."""
        return sum(each.wishes for each in self.units.values())

    @property
    def refused_now(self) -> int:
        """How many of them the rules would have refused."""
        return sum(each.refused_now for each in self.units.values())

    @property
    def refused_then(self) -> int:
        """How many of them were refused by the rules of their time."""
        return sum(each.refused_then for each in self.units.values())


def try_rules(
    machine: Owner, past: PastWishes, policy: Policy, *, records: int, names: Sequence[str], waiting: Sequence[Wish],
    now: float,
) -> RulesTrial:  # fmt: skip
    """What this policy would have done with past wishes, and would do with those that wait."""
    ledger, granted = Ledger(records, len(names)), set[bytes]()
    found = dict.fromkeys((ATTRIBUTE_LAYER, REVIEW_LAYER), LayerTrial())
    then, later = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
    for answer in past.answers:
        wish, layer = answer.wish, answer.wish.layer
        # Values are asked for pairs alone whose encodings went: what these rules had refused there, nobody had asked.
        asked = np.array([layer == ATTRIBUTE_LAYER or pair in granted for pair in answer.pairs], bool)
        words = machine.words(wish, policy=policy, ledger=ledger)
        would = replace(wish, approved=wish.approved & asked & (words != REFUSED))
        grant = machine.would_grant(would, answer.time, policy=policy, ledger=ledger)
        some = np.flatnonzero(grant.rows)
        ledger.charge(layer, wish.rows[some], grant.attributes[some], answer.time)
        if layer == ATTRIBUTE_LAYER:
            granted.update(answer.pairs[at] for at in some.tolist())
        else:
            ledger.note_missing(wish.rows[some], grant.missing[some])
            then, later = then + answer.given.sum(axis=0), later + grant.attributes.sum(axis=0)
        before = found[layer]
        found[layer] = LayerTrial(
            wishes=before.wishes + len(wish.ids),
            by_people=before.by_people + int((~wish.approved).sum()),
            refused_then=before.refused_then + int((wish.approved & ~answer.granted).sum()),
            refused_now=before.refused_now + int((wish.approved & ~grant.rows).sum()),
            held=before.held + int((words == WAITS).sum()),
            values_then=before.values_then + int(answer.given.sum()),
            values_now=before.values_now + int(grant.attributes.sum()),
        )
    shown = {name: (int(a), int(b)) for name, a, b in zip(names, then, later, strict=True) if a or b}
    units = {UNIT_OF_LAYER[layer]: each for layer, each in found.items()}
    return RulesTrial(units, shown, _waiting(machine, policy, waiting, now))


def _waiting(machine: Owner, policy: Policy, waiting: Sequence[Wish], now: float) -> WaitingTrial:
    found = WaitingTrial()
    for wish in waiting:
        words = machine.words(wish, policy=policy, ledger=machine.ledger)
        goes = machine.would_grant(replace(wish, approved=words == GOES), now, policy=policy).rows
        wait, go = int((words == WAITS).sum()), int(goes.sum())
        found = WaitingTrial(found.wait + wait, found.go + go, found.refused + len(wish.ids) - wait - go)
    return found
