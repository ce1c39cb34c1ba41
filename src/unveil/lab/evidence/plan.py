"""The whole evidence run, piece by piece: controls, what the schema's own encoding withstands, and the trade."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from unveil.lab.evidence.attack import Attack, AttackSettings, Sized
from unveil.lab.evidence.catalogue import ATTACKS, FIFTH, attack_named, control_of
from unveil.lab.evidence.codings import CODINGS, OWN, applicable
from unveil.lab.evidence.record_filters import MANY
from unveil.schema import Schema

Kind = Literal["control", "own", "trade", "price"]
#: About how long a thousand people take, where time grows with people and not with their square.
_PER_THOUSAND: Final[dict[Sized, float]] = {"owners": 4, "wishes": 5, "pairs": 0.5, "keys": 0.04}
#: Counts when the way pieces are computed changes: what was kept before is computed anew.
_MADE_BY: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many people each part of the run takes; `many` is 0 to leave that part out."""

    usual: int = 5_000
    many: int = 20_000
    trade: int = 1_500
    owners: int = 1_000
    wishes: int = 2_000
    pairs: int = 2_000
    keys: int = 50_000
    priced: int = 2_000
    known: int = 200


#: What `--quick` takes: more people than a diffusion has input bits, or nothing could be stripped.
QUICK: Final = Sizes(usual=1_500, many=0, trade=1_200, owners=300, wishes=1_000, keys=20_000, priced=400, known=100)


@dataclass(frozen=True, slots=True)
class Piece:
    """
    One piece of the run: an attack as a control, on the schema's own encoding or for the trade; or what one costs.

    `weight` is about how long it takes beside the others, for the time that is left.
    """

    kind: Kind
    attack: str
    setting: AttackSettings
    weight: float

    @property
    def name(self) -> str:
        """The piece in words."""
        what = "F1" if self.kind == "price" else self.attack
        shared = "" if self.setting.shared is None else f", {self.setting.shared:.0%} shared"
        return f"{what} on {self.setting.coding}, {self.setting.people:,} people{shared}"

    @property
    def key(self) -> str:
        """A hash of everything that decides the result: what is kept under it need not be computed again."""
        given: dict[str, Any] = {"kind": self.kind, "attack": self.attack, "made by": _MADE_BY}
        given |= self.setting.as_json()
        return hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:32]


def pieces_of(schema: Schema, sizes: Sizes, *, seed: int) -> list[Piece]:
    """Every piece of the run, the ones that the others rest on first."""
    usual = AttackSettings(schema=schema, people=sizes.usual, known=sizes.known, tries=2, seed=seed)
    pieces = [
        *_controls(usual, sizes),
        *_own(usual, sizes),
        *_trade(replace(usual, people=sizes.trade, tries=1), sizes),
    ]
    return [piece for piece in pieces if attack_named(piece.attack).fits(schema)]


def _controls(usual: AttackSettings, sizes: Sizes) -> Iterator[Piece]:
    for attack in ATTACKS:
        weak = control_of(attack, _fitting(attack, usual, sizes))
        weak = replace(weak, tries=1)
        for shared in attack.control_shares:
            yield _piece("control", attack.name, replace(weak, shared=shared))


def _own(usual: AttackSettings, sizes: Sizes) -> Iterator[Piece]:
    for attack in ATTACKS:
        setting = _fitting(attack, usual, sizes)
        for shared in attack.shares:
            yield _piece("own", attack.name, replace(setting, shared=shared))
    if sizes.many:
        many = replace(usual, people=sizes.many, tries=1)
        for name in ("graph-matching", "known-people"):
            for shared in attack_named(name).shares:
                yield _piece("own", name, replace(many, shared=shared))
        # Who shares keys leads from person to person: the more people there are, the further.
        for name in ("keys-and-filters", "keys-and-known-people"):
            for people in (sizes.many, sizes.keys):
                yield _piece("own", name, replace(many, people=people, shared=1.0))


def _trade(small: AttackSettings, sizes: Sizes) -> Iterator[Piece]:
    codings = applicable(small.schema)
    for coding in (OWN, *(each.name for each in CODINGS if each.name in codings)):
        there = small.with_coding(coding)
        yield _piece("price", "graph-matching", replace(there, people=sizes.priced, shared=None))
        is_stripped = any(each.name == coding and each.stripped for each in CODINGS)
        yield _piece("trade", "stripping" if is_stripped else "graph-matching", replace(there, shared=1.0))
        yield _piece("trade", "graph-matching", replace(there, shared=FIFTH))
        yield _piece("trade", "known-people", replace(there, shared=1.0))


def _fitting(attack: Attack, usual: AttackSettings, sizes: Sizes) -> AttackSettings:
    return replace(usual, people=getattr(sizes, attack.sized), tries=attack.tries or usual.tries)


def _piece(kind: Kind, attack: str, setting: AttackSettings) -> Piece:
    if kind == "price":
        return Piece(kind, attack, setting, setting.people / 100)
    thousand = _PER_THOUSAND.get(attack_named(attack).sized)
    if thousand is not None:
        return Piece(kind, attack, setting, thousand * setting.people / 1_000)
    if attack_named(attack).of_keys and setting.people > MANY:
        return Piece(kind, attack, setting, setting.people / 500)
    bits = 2048 if setting.coding == OWN else max(c.m for c in CODINGS if c.name == setting.coding)
    tries = setting.tries * (0.3 if setting.people > MANY else 1)
    return Piece(kind, attack, setting, 1 + tries * (setting.people / 5_000) ** 2 * bits / 40)
