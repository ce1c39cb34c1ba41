"""An attack as a row of the catalogue, and what may be chosen when it is played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from unveil.lab.evidence import scene
from unveil.lab.evidence.codings import OWN, coded, fields_of
from unveil.lab.evidence.finding import Guesses, OnStep
from unveil.lab.evidence.scene import Scene
from unveil.schema import Schema

Measure = Literal["found", "AUC", "right", "alike"]
Beside = Literal["times", "above"]
#: Fields of the plan's `Sizes`.
Sized = Literal["usual", "owners", "wishes", "pairs", "keys"]

#: What a measure says, in words.
MEASURES: Final[dict[Measure, str]] = {
    "found": "share of people found at first guess",
    "AUC": "how often a member is ranked before somebody who is none",
    "right": "share of guesses that are right",
    "alike": "how often two of one salt are ranked before two of different ones",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackSettings:
    """
    What an attack is played on and how often it is tried.

    `coding` names a record encoding (`codings.CODINGS`), `own` the schema's. `shared` is the share of people of whom
    the attacker holds an entry; with `data` and None it is that of the files, where entries differ. `weak` plays the
    control.
    """

    schema: Schema
    coding: str = OWN
    people: int = 2_000
    shared: float | None = 1.0
    known: int = 200
    tries: int = 3
    seed: int = 1
    data: Path | None = None
    weak: bool = False

    @property
    def coded(self) -> Schema:
        """The schema with the coding that is attacked."""
        return coded(self.schema, self.coding)

    def scene(self) -> Scene:
        """Targets and the attacker's register."""
        if self.data is not None:
            return scene.of_files(self.data, self.schema, people=self.people, shared=self.shared, seed=self.seed)
        return scene.generated(self.schema, people=self.people, shared=self.shared or 1.0, seed=self.seed)

    def with_coding(self, name: str) -> AttackSettings:
        """The same on another encoding."""
        return replace(self, coding=name)

    def as_json(self) -> dict[str, Any]:
        """What decides the result, as plain data; the schema by its fingerprint."""
        return {
            "schema": self.schema.name,
            "fingerprint": self.schema.fingerprint(),
            "coding": self.coding,
            "people": self.people,
            "shared": self.shared,
            "known": self.known,
            "tries": self.tries,
            "seed": self.seed,
            "weak": self.weak,
            "data": self.data is not None,
        }


@dataclass(frozen=True, slots=True)
class Played:
    """What an attack returns: its tries, how many people were looked for, and what a blind guess finds."""

    tries: tuple[Guesses, ...]
    of: int
    chance: float
    notes: tuple[str, ...] = ()


Play = Callable[[AttackSettings, OnStep], Played]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """
    A row of the catalogue.

    `control` says on which weak encoding or way of working the attack must succeed, `control_coding` names the record
    encoding if it is one, and `at_least` is what it must reach there. `at_most` is what is asked of the default: as it
    stands, or so many times, or so much more than, what a blind guess finds. `shares` are the shares of shared people
    that the evidence run plays it with, `sized` names how many people it takes there. `tries` is how often
    it is tried there, if not as often as others. `of_keys` and `of_salts` are set where blocking keys or salts are
    attacked.
    """

    name: str
    title: str
    attacker: str
    holds: str
    target: str
    measure: Measure
    control: str
    at_least: float
    at_most: float
    play: Play
    control_coding: str | None = None
    uses: frozenset[str] = frozenset({"people", "shared", "tries"})
    beside_chance: Beside | None = None
    shares: tuple[float | None, ...] = (1.0,)
    control_shares: tuple[float | None, ...] = (1.0,)
    sized: Sized = "usual"
    tries: int | None = None
    of_keys: bool = False
    of_salts: bool = False

    def fits(self, schema: Schema) -> bool:
        """Whether the schema has what is attacked: without blocking keys, or salts, there are none to attack."""
        return bool(schema.blocking or not self.of_keys) and bool(fields_of(schema) or not self.of_salts)

    def most(self, chance: float) -> float:
        """What the default may give away where a blind guess finds so much."""
        return {None: self.at_most, "times": self.at_most * chance, "above": self.at_most + chance}[self.beside_chance]

    def asked(self) -> str:
        """The same in words."""
        words = {None: "", "times": " times a blind guess", "above": " more than a blind guess"}
        return f"at most {self.at_most:g}{words[self.beside_chance]}"
