"""
People in households: couples, parents with grown-up children, twins, fathers and sons of one name.

Relatives often live in the same town. So the registers hold what makes linkage hard: different people who share most
of their attributes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.lab.synthetic.names import FEMALE, MALE, names
from unveil.lab.synthetic.places import State, state

YEARS = (1921, 2003)
#: Quantiles of the year of birth of adults.
_QUANTILES = (0.0, 0.01, 0.10, 0.25, 0.50, 0.75, 0.90, 0.99, 1.0)
_BORN_BY = (1921, 1925, 1938, 1953, 1969, 1984, 1993, 2002, 2004)

_COUPLE, _ONE_CHILD, _TWO_CHILDREN, _TWINS = 0.55, 0.2, 0.09, 0.08
_KIN, _KIN_NEAR = 0.3, 0.5
_TAKES_NAME, _MAIDEN_MIDDLE, _FAMILY_MIDDLE = 0.85, 0.42, 0.14
_JUNIOR, _JUNIOR_MIDDLE = 0.06, 0.6
_BORN_TOGETHER = 0.35
_MEAN_HOUSEHOLD = 1.7


@dataclass(frozen=True, slots=True, repr=False)
class People:
    """Everyone in the state, one array per trait; names and places are positions in their lists."""

    household: NDArray[np.int64]
    child: NDArray[np.bool_]
    sex: NDArray[np.int8]
    year: NDArray[np.int16]
    first: NDArray[np.int64]
    middle: NDArray[np.int64]
    last: NDArray[np.int64]
    maiden: NDArray[np.int64]
    maiden_middle: NDArray[np.bool_]
    address: NDArray[np.int64]
    born: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.household)

    def __repr__(self) -> str:
        return f"People(<{len(self.household)} people>)"


@dataclass(frozen=True, slots=True, repr=False)
class _Frame:
    """Who lives with whom, before anyone has a name. `father` is a position, or -1."""

    household: NDArray[np.int64]
    sex: NDArray[np.int8]
    year: NDArray[np.int16]
    wife: NDArray[np.bool_]
    child: NDArray[np.bool_]
    father: NDArray[np.int64]


def settle(count: int, *, structure: np.random.Generator, naming: np.random.Generator) -> People:
    """About `count` people or more, in households."""
    frame = _frame(int(count / _MEAN_HOUSEHOLD) + 1, structure)
    surname, address = _homes(int(frame.household.max()) + 1, structure)
    given = names()
    size = len(frame.household)
    first = _first_names(frame, naming)
    middle = given.draw_middle(frame.sex, frame.year, naming)
    last = surname[frame.household]
    own = given.draw_surname(size, naming)
    maiden = np.where(frame.wife, own, last)
    takes = ~frame.wife | (naming.random(size) < _TAKES_NAME)
    last = np.where(takes, last, own)
    middle = np.where(naming.random(size) < _FAMILY_MIDDLE, given.draw_surname(size, naming), middle)
    junior = (frame.father >= 0) & (frame.sex == MALE) & (naming.random(size) < _JUNIOR)
    first = np.where(junior, first[frame.father], first)
    middle = np.where(junior & (naming.random(size) < _JUNIOR_MIDDLE), middle[frame.father], middle)
    return People(
        household=frame.household,
        child=frame.child,
        sex=frame.sex,
        year=frame.year,
        first=first,
        middle=middle,
        last=last,
        maiden=maiden,
        maiden_middle=frame.wife & takes & (structure.random(size) < _MAIDEN_MIDDLE),
        address=address[frame.household],
        born=_birthplaces(frame.household, structure),
    )


def age_weights(year: NDArray[np.int16]) -> NDArray[np.float64]:
    """How much more often than it occurs each person's year should be drawn, to meet the age distribution."""
    edges = np.arange(YEARS[0], YEARS[1] + 2)
    wanted = np.diff(np.interp(edges, _BORN_BY, _QUANTILES))
    there = np.bincount(year - YEARS[0], minlength=len(wanted))
    return (wanted / np.maximum(there, 1))[year - YEARS[0]]


def _frame(households: int, rng: np.random.Generator) -> _Frame:
    home = np.arange(households)
    head_sex = rng.integers(0, 2, households, dtype=np.int8)
    head_year = np.interp(rng.random(households), _QUANTILES, _BORN_BY).astype(np.int64).clip(*YEARS)
    couple = rng.random(households) < _COUPLE
    spouse_year = (head_year + np.rint(rng.normal(0, 3.5, households)).astype(np.int64)).clip(*YEARS)
    family = rng.random(households)
    first_year = head_year + rng.integers(19, 38, households)
    twins = rng.random(households) < _TWINS
    second_year = first_year + np.where(twins, 0, rng.integers(1, 7, households))
    one = (family < _ONE_CHILD + _TWO_CHILDREN) & (first_year <= YEARS[1])
    two = (family < _TWO_CHILDREN) & (second_year <= YEARS[1])
    child_sex = rng.integers(0, 2, (2, households), dtype=np.int8)

    spouses, ones, twos = home[couple], home[one], home[two]
    sex = np.concatenate([head_sex, 1 - head_sex[spouses], child_sex[0, ones], child_sex[1, twos]])
    spouse_at = np.full(households, -1)
    spouse_at[spouses] = households + np.arange(len(spouses))
    father = np.where(head_sex == MALE, home, spouse_at)
    adults = np.full(households + len(spouses), -1)
    in_couple = np.concatenate([couple, np.ones(len(spouses), dtype=bool), np.zeros(len(ones) + len(twos), dtype=bool)])
    return _Frame(
        household=np.concatenate([home, spouses, ones, twos]),
        sex=sex.astype(np.int8),
        year=np.concatenate([head_year, spouse_year[spouses], first_year[ones], second_year[twos]]).astype(np.int16),
        wife=in_couple & (sex == FEMALE),
        child=np.arange(len(sex)) >= len(adults),
        father=np.concatenate([adults, father[ones], father[twos]]),
    )


def _homes(households: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Surname and address of each household; kin share the surname and often the town."""
    place: State = state()
    kin = rng.random(households) < _KIN
    kin[0] = False
    root = np.maximum.accumulate(np.where(kin, 0, np.arange(households)))
    surname = names().draw_surname(households, rng)[root]
    address = place.draw(households, rng)
    near = kin & (rng.random(households) < _KIN_NEAR)
    address[near] = place.draw_within(place.town_of, place.town_of[address[root[near]]], rng)
    return surname, address


def _birthplaces(household: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Where everyone was born; many where the rest of their household was."""
    own = state().draw_birthplace(len(household), rng)
    common = state().draw_birthplace(int(household.max()) + 1, rng)[household]
    return np.where(rng.random(len(household)) < _BORN_TOGETHER, common, own)


def _first_names(frame: _Frame, rng: np.random.Generator) -> NDArray[np.int64]:
    """A first name for everyone; children of one household get different ones."""
    first = names().draw_given(frame.sex, frame.year, rng)
    children = np.flatnonzero(frame.child)
    for _ in range(8):
        key = frame.household[children] * len(names().words) + first[children]
        _, kept = np.unique(key, return_index=True)
        again = np.delete(children, kept)
        if not len(again):
            break
        first[again] = names().draw_given(frame.sex[again], frame.year[again], rng)
    return first
