"""What a privacy report is made of. No value of a record and no record id is among it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from unveil.lab.evidence.attack import Attack
from unveil.lab.evidence.catalogue import attack_named
from unveil.lab.evidence.finding import AttackFinding
from unveil.lab.evidence.trade import ChosenDefault, Traded
from unveil.privacy.combinations import KnownTogether
from unveil.privacy.ledger_risk import LedgerRisk
from unveil.privacy.spread import Spread


@dataclass(frozen=True, slots=True)
class PartyHolds:
    """A party of the project: who it is, and what it holds."""

    party: str
    who: str
    holds: str
    never: str


@dataclass(frozen=True, slots=True)
class LeftTo:
    """What left to one unit: how often, of how many records, how much of each record and of each attribute."""

    unit: str
    disclosures: int
    values: int
    records: int
    most_of_one: int
    by_attribute: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Disclosed:
    """What an owner disclosed, by its ledger, and what that risks. `real` is false if a simulation disclosed it."""

    real: bool
    records: int
    uploaded: int
    left: tuple[LeftTo, ...]
    risk: LedgerRisk
    together: tuple[KnownTogether, ...]
    kapr: Mapping[str, float]
    command: str


@dataclass(frozen=True, slots=True)
class Measured:
    """How evenly the bits of these encodings are spread, and how many records are unique."""

    encodings: Mapping[str, Spread]
    unique: int
    records: int
    of_whom: str
    command: str


@dataclass(frozen=True, slots=True)
class PrivacyFigures:
    """Everything that a report says."""

    title: str
    subject: str
    schema: str
    fingerprint: str
    encoding: str
    is_salted: bool
    compares_by_keys: int
    parties: tuple[PartyHolds, ...]
    disclosed: Disclosed
    measured: Measured
    attacks: tuple[AttackFinding, ...]
    traded: tuple[Traded, ...]
    choice: ChosenDefault | None
    version: str
    command: str

    def catalogue(self) -> list[tuple[Attack, AttackFinding]]:
        """Each attack with what it found."""
        return [(attack_named(found.attack), found) for found in self.attacks]

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        data = asdict(self)
        data["attacks"] = [
            found.as_json() | {"at_most": attack.most(found.chance), "holds": attack.holds}
            for attack, found in self.catalogue()
        ]
        for name, one in self.measured.encodings.items():
            for key in ("gini", "js_distance", "entropy"):
                data["measured"]["encodings"][name][key]["ratio"] = getattr(one, key).ratio
        return data
