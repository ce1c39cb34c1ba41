"""What a world is like, drawn from its seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from unveil.errors import SettingError
from unveil.lab.worlds.habits import HABITS

#: Every attribute that a register of some world may hold, with how often it does.
ATTRIBUTES: Final = {
    "given_name": 0.97, "middle_name": 0.3, "family_name": 0.98, "date_of_birth": 0.7, "year_of_birth": 0.2,
    "sex": 0.5, "street": 0.5, "postcode": 0.55, "town": 0.55, "birthplace": 0.2, "phone": 0.25, "id_number": 0.12,
}  # fmt: skip
#: Attributes that stand in several columns in some worlds, with how often they do.
SPLIT: Final = {
    "date_of_birth": (("year_of_birth", "birth_month", "birth_day"), 0.15),
    "street": (("house_number", "road"), 0.2),
}
#: Attributes that say little, with how often a register has them.
FURTHER: Final = {"region": 0.15, "occupation": 0.12}
FEWEST: Final = 3
#: Worlds from this seed on are never learnt from.
HELD_OUT: Final = 10_000
_OVERLAPS: Final = (0.0, 0.01, 0.05, 0.2, 0.35, 0.6, 0.9, 1.0)
_OVERLAP_SHARES: Final = (0.04, 0.06, 0.12, 0.24, 0.2, 0.16, 0.1, 0.08)
#: How often a value is wrong, from clean worlds to ruined ones.
_DIRT: Final = {"clean": 0.004, "ordinary": 0.02, "dirty": 0.06, "awful": 0.14, "ruined": 0.25}
_DIRT_SHARES: Final = (0.2, 0.36, 0.24, 0.14, 0.06)
_HARDENINGS: Final = ("none", "xor-fold", "diffusion", "randomised-response", "balance", "protected")
_HARDENING_SHARES: Final = (0.3, 0.05, 0.04, 0.04, 0.02, 0.55)
_KEYS: Final = ("none", "few", "usual", "many")
_KEY_SHARES: Final = (0.15, 0.2, 0.4, 0.25)
_HABIT: Final = 0.2  # of worlds in which an owner writes something in a way of its own
_LINKED_BEFORE: Final = 0.12  # of worlds whose clear pairs were linked by somebody else before
_FEW_NAMES: Final = 0.15  # of worlds in which most people bear one of a few names


@dataclass(frozen=True, slots=True)
class Design:
    """
    One world.

    Rates are shares of values or people: `wrong` by attribute, `missing` by attribute, `moved` and `renamed` people
    between the two registers, `swapped` given and family names, `twice` people with two or more entries in a register,
    up to `most_entries`. Where registers are `protected`, keys are short and attributes are sent as signs, as in
    proposed schemas. The second owner has a `habit`; with `few_names`, people bear one of a few. Where registers
    were `linked_before`, whoever agrees in everything is no longer in them.
    """

    seed: int
    attributes: tuple[str, ...]
    sizes: tuple[int, int]
    overlap: float
    dirt: str
    wrong: tuple[float, ...]
    missing: tuple[float, ...]
    moved: float
    renamed: float
    swapped: float
    twice: float
    keys: str
    hardening: str
    habit: str = "none"
    few_names: bool = False
    most_entries: int = 2
    linked_before: bool = False

    def __post_init__(self) -> None:
        if not len(self.attributes) == len(self.wrong) == len(self.missing) >= FEWEST:
            raise SettingError(f"a world needs {FEWEST} attributes or more, and a rate of each kind for every one")
        if min(self.sizes) < 1 or not 0 <= self.overlap <= 1:
            raise SettingError("a world needs records, and an overlap between 0 and 1")
        if self.habit not in HABITS or self.most_entries < 2:  # noqa: PLR2004 - twice
            raise SettingError("a world needs a known habit, and two or more entries where people stand twice")

    @property
    def proposed(self) -> bool:
        """Whether the schema is the one that is proposed for these registers, without a change."""
        return self.hardening == "protected" and self.keys == "usual"

    @property
    def shared(self) -> int:
        """People in both registers."""
        return round(self.overlap * min(self.sizes))


def draw_design(seed: int, *, largest: int = 20_000) -> Design:
    """The design of the world of that seed, with registers of 200 to `largest` records."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    attributes = _attributes(rng)
    count = len(attributes)
    dirt = str(rng.choice(list(_DIRT), p=_DIRT_SHARES))
    size = int(np.exp(rng.uniform(np.log(200), np.log(largest))))
    ratio = float(np.exp(rng.normal(0, 0.4)))
    some_missing = rng.random() < 0.7  # noqa: PLR2004 - most registers have gaps
    design = Design(
        seed=seed,
        attributes=attributes,
        sizes=(size, int(np.clip(size * ratio, 200, largest))),
        overlap=float(rng.choice(_OVERLAPS, p=_OVERLAP_SHARES)),
        dirt=dirt,
        wrong=tuple(np.clip(_DIRT[dirt] * np.exp(rng.normal(0, 0.6, count)), 0, 0.4).round(4).tolist()),
        missing=tuple(_missing(attributes, rng)) if some_missing else (0.0,) * count,
        moved=float(rng.choice([0.02, 0.1, 0.3])),
        renamed=float(rng.choice([0.0, 0.03, 0.1])),
        swapped=float(rng.choice([0.0, 0.0, 0.005, 0.03])),
        twice=float(rng.choice([0.0, 0.0, 0.0, 0.05, 0.2, 0.4], p=[0.2, 0.2, 0.2, 0.2, 0.15, 0.05])),
        keys=str(rng.choice(_KEYS, p=_KEY_SHARES)),
        hardening=str(rng.choice(_HARDENINGS, p=_HARDENING_SHARES)),
        habit=str(rng.choice(list(HABITS)[1:])) if rng.random() < _HABIT else "none",
        few_names=bool(rng.random() < _FEW_NAMES),
        most_entries=int(rng.choice([2, 2, 2, 5])),
    )
    design = _with_further(_with_split(design, rng), rng)
    return replace(design, linked_before=bool(rng.random() < _LINKED_BEFORE))


def _with_split(design: Design, rng: np.random.Generator) -> Design:
    """The design with some attributes in several columns, each as often wrong or missing as the whole."""
    columns: list[tuple[str, float, float]] = []
    for name, wrong, missing in zip(design.attributes, design.wrong, design.missing, strict=True):
        parts, often = SPLIT.get(name, ((), 0.0))
        columns += [(part, wrong, missing) for part in (parts if rng.random() < often else (name,))]
    return _with_columns(design, columns)


def _with_further(design: Design, rng: np.random.Generator) -> Design:
    """The design with attributes that say little beside the others."""
    columns = list(zip(design.attributes, design.wrong, design.missing, strict=True))
    wrong, missing = _DIRT[design.dirt], max(design.missing)
    columns += [(name, wrong, missing) for name, often in FURTHER.items() if rng.random() < often]
    return _with_columns(design, columns)


def _with_columns(design: Design, columns: list[tuple[str, float, float]]) -> Design:
    attributes, wrong, missing = zip(*columns, strict=True)
    return replace(design, attributes=attributes, wrong=wrong, missing=missing)


def _attributes(rng: np.random.Generator) -> tuple[str, ...]:
    """At least three, of which names or a date tell people apart."""
    while True:
        chosen = {name for name, often in ATTRIBUTES.items() if rng.random() < often}
        if "date_of_birth" in chosen:
            chosen.discard("year_of_birth")
        telling = len(chosen & {"given_name", "family_name", "date_of_birth", "street", "phone", "id_number"})
        if len(chosen) >= FEWEST and telling >= FEWEST:
            return tuple(name for name in ATTRIBUTES if name in chosen)


def _missing(attributes: tuple[str, ...], rng: np.random.Generator) -> list[float]:
    """Names are seldom missing; what people need not give often is."""
    optional = {"middle_name": 0.4, "phone": 0.3, "id_number": 0.25, "birthplace": 0.15, "street": 0.08}
    usual = [optional.get(name, 0.01 if name.endswith("_name") else 0.03) for name in attributes]
    return np.clip(np.array(usual) * np.exp(rng.normal(0, 0.8, len(usual))), 0, 0.7).round(4).tolist()
