"""The two registers of a world, and the truth about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.lab.synthetic.registers import Ints, Values
from unveil.lab.worlds.design import Design
from unveil.lab.worlds.habits import write_so
from unveil.lab.worlds.mistakes import spoil
from unveil.lab.worlds.people import Inhabitants, inhabit
from unveil.lab.worlds.schemas import proposed_for, schema_of
from unveil.records import Column, Records
from unveil.schema import Schema

#: People in the world for each one in a register, so that relatives of some stand in the other.
_PEOPLE_PER_PERSON = 2
_HOME = ("street", "house_number", "road", "postcode", "town", "region", "phone")
_OTHER_WORK = 0.2  # of people, between the two registers

Register = dict[str, Values]


@dataclass(frozen=True, slots=True, repr=False)
class WorldRegisters:
    """Both owners' records, the rows that are the same person, who lives together, and the schema they agreed on."""

    design: Design
    schema: Schema
    a: Records
    b: Records
    truth: NDArray[np.int64]
    households: tuple[Ints, Ints]

    def __repr__(self) -> str:
        sizes = f"{len(self.a)} and {len(self.b)} records, {len(self.truth)} true pairs"
        return f"WorldRegisters(<seed {self.design.seed}, {sizes}>)"


def make_world(design: Design) -> WorldRegisters:
    """The world of that design; the same design gives the same world."""
    rng = np.random.default_rng(np.random.SeedSequence(design.seed, spawn_key=(2,)))
    wanted = sum(design.sizes) - design.shared
    everyone = inhabit(_PEOPLE_PER_PERSON * wanted + 50, rng, few_names=design.few_names)
    order = rng.permutation(len(everyone))[:wanted]
    shared, rest = order[: design.shared], order[design.shared :]
    only_a = rest[: design.sizes[0] - design.shared]
    only_b = rest[len(only_a) :]
    later = _later(everyone, design, rng)
    sides = [
        _register(everyone.values, np.concatenate([shared, only_a]), design, rng),
        _register(later, np.concatenate([shared, only_b]), design, rng),
    ]
    if design.linked_before:
        sides = _without_equal(sides)
    (who_a, a), (who_b, b) = sides
    write_so(design.habit, b)
    records = [_records(name, values) for name, values in (("a", a), ("b", b))]
    households = everyone.household[who_a], everyone.household[who_b]
    found = proposed_for(design, (records[0], records[1])) if design.proposed else None
    schema, left, right = found or (schema_of(design, records), records[0], records[1])
    return WorldRegisters(design, schema, left, right, _pairs(who_a, who_b), households)


def _without_equal(sides: list[tuple[Ints, Register]]) -> list[tuple[Ints, Register]]:
    """Both registers without whoever has an entry in each that agrees in everything."""
    entries = [list(zip(who.tolist(), *register.values(), strict=True)) for who, register in sides]
    gone = np.array(sorted({entry[0] for entry in set(entries[0]) & set(entries[1])}), np.int64)
    if len(gone) == max(len(set(who.tolist())) for who, _ in sides):
        return sides
    kept = [~np.isin(who, gone) for who, _ in sides]
    return [
        (who[stays], {name: values[stays] for name, values in register.items()})
        for (who, register), stays in zip(sides, kept, strict=True)
    ]


def _later(everyone: Inhabitants, design: Design, rng: np.random.Generator) -> Register:
    """Everyone's values when the second register was written: some have moved, have other work or another surname."""
    values = {name: column.copy() for name, column in everyone.values.items()}
    moved = rng.random(len(everyone)) < design.moved
    other = rng.permutation(len(everyone))
    for name in _HOME:
        values[name][moved] = everyone.values[name][other][moved]
    renamed = everyone.female & (rng.random(len(everyone)) < 2 * design.renamed)
    values["family_name"][renamed] = everyone.values["family_name"][other[::-1]][renamed]
    changed = rng.random(len(everyone)) < _OTHER_WORK
    values["occupation"][changed] = everyone.values["occupation"][other][changed]
    return values


def _register(values: Register, who: Ints, design: Design, rng: np.random.Generator) -> tuple[Ints, Register]:
    """One register: entries of these people, some twice, with the mistakes and gaps of the design, in random order."""
    twice = who[rng.random(len(who)) < design.twice]
    further = np.repeat(twice, rng.integers(1, design.most_entries, len(twice)))
    who = rng.permutation(np.concatenate([who, further]))
    register = {name: values[name][who].copy() for name in design.attributes}
    for name, wrong in zip(design.attributes, design.wrong, strict=True):
        spoil(name, register[name], np.flatnonzero(rng.random(len(who)) < wrong), rng)
    if {"given_name", "family_name"} <= register.keys():
        swapped = rng.random(len(who)) < design.swapped
        given, family = register["given_name"].copy(), register["family_name"]
        register["given_name"][swapped], register["family_name"][swapped] = family[swapped], given[swapped]
    for name, missing in zip(design.attributes, design.missing, strict=True):
        register[name][rng.random(len(who)) < missing] = ""
    return who, register


def _records(source: str, register: Register) -> Records:
    count = len(next(iter(register.values())))
    return Records([f"{source}{row:06d}" for row in range(count)], {k: Column.of(v) for k, v in register.items()})


def _pairs(who_a: Ints, who_b: Ints) -> NDArray[np.int64]:
    """Every pair of rows of the same person."""
    order = np.argsort(who_b, kind="stable")
    start = np.searchsorted(who_b[order], who_a, side="left")
    stop = np.searchsorted(who_b[order], who_a, side="right")
    left = np.repeat(np.arange(len(who_a)), stop - start)
    first = np.repeat(np.cumsum(stop - start) - (stop - start), stop - start)
    right = order[np.repeat(start, stop - start) + np.arange(len(left)) - first]
    return np.stack([left, right], axis=1).astype(np.int64)
