"""
Two overlapping registers of one generated population, and the truth about them.

Who stands in which register is drawn from a population several times as large, so that some members of a household are
in one register, some in the other, and some in both.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.lab.synthetic import events, people
from unveil.lab.synthetic.clinic.layout import ClinicLayout
from unveil.lab.synthetic.clinic.rates import ClinicRates
from unveil.lab.synthetic.layout import Layout
from unveil.lab.synthetic.rates import LifeRates, Rates
from unveil.lab.synthetic.registers import E, Ints, LifeStory, RegisterEntries
from unveil.lab.synthetic.voter.layout import VoterLayout
from unveil.records import Column, Records

#: Layouts of the registers by name, each with the class of its rates.
LAYOUTS: Final[dict[str, tuple[type[Layout[Any, Any]], type[LifeRates]]]] = {
    "voter": (VoterLayout, Rates),
    "clinic": (ClinicLayout, ClinicRates),
}

#: People in the state for each person in a register.
PEOPLE_PER_PERSON = 6
_STAGES = (
    "households", "naming", "order", "histories", "entries", "moves", "birthplaces", "marriages", "surnames",
    "middles", "firsts", "years", "others", "followers", "shuffle", "dates", "homes", "streets", "birthdays", "sexes",
)  # fmt: skip
MOST_ERRORS = 2
_LEAST_PEOPLE = 400
_ID_DIGITS = 5


@dataclass(frozen=True, slots=True, repr=False)
class Registers:
    """Two registers and the rows of a and b that are the same person, one row of `truth` for each shared person."""

    a: Records
    b: Records
    truth: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"Registers(<{len(self.a)} and {len(self.b)} records, {len(self.truth)} shared people>)"


def generate(
    *,
    records: int,
    overlap: float = 0.2,
    errors: int = 1,
    seed: int = 1,
    layout: str = "voter",
    rates: LifeRates | None = None,
) -> Registers:
    """
    Two registers of `records` people each; overlap * records people stand in both.

    The entries of a shared person differ in at least `errors` of the attributes that the layout counts; missing against
    present is a difference. In the layout "voter" these are first name, middle name, last name, place of birth and
    address (city and ZIP code count once); in "clinic" first name, last name, date of birth, sex and address (street
    and city). No entry occurs twice; with errors = 0, a shared person may have the same entry in both. `rates` are
    `Rates` for voters and `ClinicRates` for a clinic. The same arguments give the same people.
    """
    _check(records, overlap, errors, seed)
    if layout not in LAYOUTS:
        raise SettingError("layout is outside what is allowed", hint=f"allowed: {', '.join(LAYOUTS)}")
    made, usual = LAYOUTS[layout]
    rates = usual() if rates is None else rates
    if not isinstance(rates, usual):
        raise SettingError(f"these rates are not those of the layout {layout}", hint=f"allowed: {usual.__name__}")
    shared = round(overlap * records)
    factor = 1
    while True:
        rng = streams(seed)
        everyone, spare = _settled(records, shared, factor, rng)
        population = _attempt(made(everyone, rates, rng), records, shared, errors=errors, spare=spare)
        if population is not None:
            return population
        factor *= 2  # too few people of one group, or too many alike: settle a larger state


def streams(seed: int) -> dict[str, np.random.Generator]:
    """One random stream per stage; each depends on the seed and its own name, so a new stage shifts no other."""
    return {
        stage: np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(zlib.crc32(stage.encode()),)))
        for stage in _STAGES
    }


def _check(records: int, overlap: float, errors: int, seed: int) -> None:
    if records < 1:
        raise SettingError("records is outside what is allowed", hint="allowed: 1 or more for each source")
    if not 0 <= overlap <= 1:
        raise SettingError("overlap is outside what is allowed", hint="allowed: 0 to 1, the share of people in both")
    if errors not in range(MOST_ERRORS + 1):
        raise SettingError("errors is outside what is allowed", hint=f"allowed: 0 to {MOST_ERRORS}")
    if seed < 0:
        raise SettingError("seed is outside what is allowed", hint="allowed: 0 or more")


def _settled(records: int, shared: int, factor: int, rng: dict[str, np.random.Generator]) -> tuple[people.People, int]:
    """The people of the state, and how many more than needed are drawn for each part of the registers."""
    spare = factor * (16 + records // 50)
    alone = records - shared + spare
    everyone = people.settle(
        factor * (PEOPLE_PER_PERSON * (shared + 2 * alone) + _LEAST_PEOPLE),
        structure=rng["households"],
        naming=rng["naming"],
    )
    return everyone, spare


def _attempt(layout: Layout[E, Any], records: int, shared: int, *, errors: int, spare: int) -> Registers | None:
    """The population, or None if the state was too small to find everybody in it."""
    everyone, rng = layout.people, layout.rng
    weight = people.age_weights(everyone.year)
    # Exponential waiting times: the first to come are a draw without replacement, in proportion to the weights.
    order = np.argsort(rng["order"].exponential(size=len(everyone)) / weight)
    group = events.group_of(everyone.sex, everyone.year)
    share = np.bincount(group, weights=weight, minlength=events.GROUPS) / weight.sum()
    wanted, history = layout.draw(shared + spare if shared else 0, errors=errors, groups=share)
    who = _members(wanted, group, order)
    if who is None:
        return None
    rest = order[~np.isin(order, who)]
    alone = records - shared + spare
    only_a, only_b = rest[:alone], rest[alone : 2 * alone]
    story = layout.befall(who, history)
    others_a, others_b = layout.alone(only_a), layout.alone(only_b)
    layout.follow(story, others_b, only_b)
    as_planned = events.touched(history) == layout.unequal(story)
    kept = _kept(story, as_planned, others_a, others_b, shared=shared, alone=records - shared)
    if kept is None:
        return None
    return _shuffled(
        story.before.take(kept[0]).join(others_a.take(kept[1])),
        story.after.take(kept[0]).join(others_b.take(kept[2])),
        shared,
        rng["shuffle"],
    )


def _members(wanted: Ints, group: Ints, order: Ints) -> Ints | None:
    """For each wanted group one person of it, nobody twice, in the order given; None if a group is too small."""
    who = np.zeros(len(wanted), dtype=np.int64)
    for number in range(events.GROUPS):
        places = np.flatnonzero(wanted == number)
        members = order[group[order] == number][: len(places)]
        if len(members) < len(places):
            return None
        who[places] = members
    return who


def _kept(
    story: LifeStory[E], as_planned: NDArray[np.bool_], others_a: E, others_b: E, *, shared: int, alone: int
) -> tuple[Ints, Ints, Ints] | None:
    """
    Who stays: rows of the shared people, of those in a alone and of those in b alone; None if there are too few.

    A shared person's entries must differ in just the attributes that the history says (`as_planned`), and of people
    with the same entry only the first stays.
    """
    sizes = (len(story.who), len(others_a), len(others_b))
    person = np.arange(sum(sizes))
    pairs, a, b = np.split(person, np.cumsum(sizes)[:-1])
    entry = story.before.join(story.after).join(others_a).join(others_b).fingerprints()
    owner = np.concatenate([pairs, pairs, a, b])
    first = np.full(int(entry.max()) + 1, len(person))
    np.minimum.at(first, entry, owner)
    fine = np.ones(len(person), dtype=bool)
    fine[owner[first[entry] != owner]] = False
    fine[pairs] &= as_planned
    kept = tuple(
        np.flatnonzero(fine[rows])[:count] for rows, count in zip((pairs, a, b), (shared, alone, alone), strict=True)
    )
    if (len(kept[0]), len(kept[1]), len(kept[2])) != (shared, alone, alone):
        return None
    return kept[0], kept[1], kept[2]


def _shuffled(left: RegisterEntries, right: RegisterEntries, shared: int, rng: np.random.Generator) -> Registers:
    """Both registers in random order; ids count the rows, so they say nothing about who is who."""
    order_a, order_b = rng.permutation(len(left)), rng.permutation(len(right))
    row_a, row_b = np.argsort(order_a), np.argsort(order_b)
    truth = np.stack([row_a[:shared], row_b[:shared]], axis=1)
    return Registers(
        a=_records("a", left.take(order_a)),
        b=_records("b", right.take(order_b)),
        truth=truth[np.argsort(truth[:, 0])],
    )


def _records(source: str, register: RegisterEntries) -> Records:
    width = max(_ID_DIGITS, len(str(len(register) - 1)))
    ids = [f"{source}{row:0{width}d}" for row in range(len(register))]
    return Records(ids, {name: Column.of(values) for name, values in register.columns().items()})
