"""The evidence run: every piece of the plan that is not finished yet, then what all of them say together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

import unveil
from unveil.engines import choose
from unveil.lab.evidence.attack import AttackSettings
from unveil.lab.evidence.catalogue import attack_named, play
from unveil.lab.evidence.codings import OWN, title_of
from unveil.lab.evidence.finding import AttackFinding, OnStep, finding_of
from unveil.lab.evidence.journal import FinishedPieces
from unveil.lab.evidence.plan import Piece
from unveil.lab.evidence.scene import as_schema_reads
from unveil.lab.evidence.speed import Speed, speed_of
from unveil.lab.simulation.machines import SimulationSettings
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import World
from unveil.schema import Schema
from unveil.schema.presets import with_preset

#: How people are linked to see what an encoding costs.
_OVERLAP: Final = 0.2
_BUDGET: Final = 100
_ERROR: Final = 0.2


class OnPiece(Protocol):
    """Told what is at work, and how much of the whole run is done."""

    def __call__(self, name: str, share: float, /) -> None:
        """A piece goes on."""


@dataclass(frozen=True, slots=True)
class Price:
    """
    F1 that one encoding leaves: without any review, and with 100 labels of which a fifth are wrong.

    `speed` is how long it takes beside plain filters.
    """

    coding: str
    record_level: float
    f1: float
    people: int
    speed: Speed
    seconds: float
    command: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run found, piece by piece."""

    schema: Schema
    pieces: tuple[tuple[Piece, AttackFinding | Price], ...]
    seconds: float

    def findings(self, kind: str) -> list[AttackFinding]:
        """The findings of a part of the run."""
        return [found for piece, found in self.pieces if piece.kind == kind and isinstance(found, AttackFinding)]

    @property
    def prices(self) -> list[Price]:
        """What each encoding costs."""
        return [found for _, found in self.pieces if isinstance(found, Price)]

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "version": unveil.__version__,
            "schema": self.schema.name,
            "schema_fingerprint": self.schema.fingerprint(),
            "seconds": round(self.seconds, 1),
            "controls": [_judged(found, control=True) for found in self.findings("control")],
            "own": [_judged(found, control=False) for found in self.findings("own")],
            "trade": [found.as_json() for found in self.findings("trade")],
            "prices": [asdict(price) | {"title": title_of(self.schema, price.coding)} for price in self.prices],
        }


def conduct(schema: Schema, pieces: Sequence[Piece], finished: FinishedPieces, *, told: OnPiece) -> Evidence:
    """Do what is not finished yet; each piece is kept as soon as it is."""
    kept = {piece.key: finished.read(piece.key) for piece in pieces}
    whole = sum(piece.weight for piece in pieces)
    done = sum(piece.weight for piece in pieces if kept[piece.key] is not None)
    for piece in pieces:
        if kept[piece.key] is not None:
            continue
        told(piece.name, done / whole)
        kept[piece.key] = result = _result(piece, _within(told, piece, done, whole))
        finished.keep(piece.key, result)
        done += piece.weight
    found = tuple((piece, _read(piece, kept[piece.key] or {})) for piece in pieces)
    return Evidence(schema, found, sum(one.seconds for _, one in found))


def passed(found: AttackFinding, *, control: bool) -> bool:
    """Whether a control succeeded, also beside what is asked of the default, or whether the default withstood."""
    attack = attack_named(found.attack)
    most = attack.most(found.chance)
    return found.first >= attack.at_least and found.first > most if control else found.first <= most


def price_of(setting: AttackSettings, told: OnStep = lambda _, __: None) -> Price:
    """Link generated people whose entries differ, with this record encoding."""
    begun = time.monotonic()
    people = as_schema_reads(setting.schema, setting.people, setting.seed, overlap=_OVERLAP, errors=1)[0]
    schema = with_preset(setting.coded, "unveil", budget=_BUDGET)
    engine = choose()
    speed = speed_of(setting.coded, people.a, engine)
    told(1, 4)
    study = Study("people", schema, people.a, people.b, people.truth, engine, seed=setting.seed)
    record_level = study.best[1]
    told(2, 4)
    world = World(study, schema, SimulationSettings(seed=setting.seed, error=_ERROR, t0=study.best[0]))
    world.run()
    command = f"unveil privacy evidence --schema {setting.schema.name} --seed {setting.seed} --out FOLDER"
    seconds = round(time.monotonic() - begun, 2)
    return Price(setting.coding, record_level, world.points[-1].f1, setting.people, speed, seconds, command)


def _result(piece: Piece, told: OnStep) -> dict[str, Any]:
    if piece.kind == "price":
        return asdict(price_of(piece.setting, told))
    return play(attack_named(piece.attack), piece.setting, told=told).as_json()


def _read(piece: Piece, kept: dict[str, Any]) -> AttackFinding | Price:
    return Price(**kept | {"speed": Speed(**kept["speed"])}) if piece.kind == "price" else finding_of(kept)


def _within(told: OnPiece, piece: Piece, done: float, whole: float) -> Callable[[int, int], None]:
    """Steps of a piece as a share of the whole run."""
    return lambda step, of: told(piece.name, (done + piece.weight * min(1.0, step / max(1, of))) / whole)


def _judged(found: AttackFinding, *, control: bool) -> dict[str, Any]:
    attack = attack_named(found.attack)
    bound = {"at_least": attack.at_least} if control else {"at_most": attack.most(found.chance)}
    return found.as_json() | bound | {"passed": passed(found, control=control), "own": found.coding == OWN}
