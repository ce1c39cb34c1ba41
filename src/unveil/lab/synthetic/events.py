"""
What befalls a person between the two registers, and how many attributes it makes unequal.

A history is a set of events (bits of `Event`). All histories are listed with their probability for each group of
people, so the design "at least so many unequal attributes" is met by drawing from the list, not by trial and error.
Which histories there are depends on the layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from itertools import product

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Groups of people whom life treats differently: sex, and born before this year or not.
YOUNG_SINCE = 1976
GROUPS = 4

#: The attributes that the designs of the layouts count, as bits; the parts of an address count once.
FIRST_NAME, MIDDLE_NAME, LAST_NAME, BIRTHPLACE, ADDRESS, DATE_OF_BIRTH, SEX = (1 << place for place in range(7))

#: Rounds of rescaling, and how far a share may be off after them.
_ROUNDS, _TOLERANCE = 200, 1e-4


class Event(IntFlag):
    """Things that happen; each makes one attribute unequal."""

    MARRIAGE = 1
    MARRIAGE_MIDDLE = 2
    MARRIAGE_MOVE = 4
    MOVE = 8
    MOVE_BIRTHPLACE = 16
    FIRST = 32
    FIRST_AND_MIDDLE = 64
    MIDDLE = 128
    BIRTHPLACE = 256
    LAST = 512
    DATE = 1024
    SEX = 2048
    STREET = 4096


_TOUCHES = {
    Event.MARRIAGE: LAST_NAME,
    Event.MARRIAGE_MIDDLE: MIDDLE_NAME,
    Event.MARRIAGE_MOVE: ADDRESS,
    Event.MOVE: ADDRESS,
    Event.MOVE_BIRTHPLACE: BIRTHPLACE,
    Event.FIRST: FIRST_NAME,
    Event.FIRST_AND_MIDDLE: MIDDLE_NAME,
    Event.MIDDLE: MIDDLE_NAME,
    Event.BIRTHPLACE: BIRTHPLACE,
    Event.LAST: LAST_NAME,
    Event.DATE: DATE_OF_BIRTH,
    Event.SEX: SEX,
    Event.STREET: ADDRESS,
}


def touched(history: Ints) -> Ints:
    """The attributes that a history makes unequal, as bits."""
    out = np.zeros_like(history)
    for event, attribute in _TOUCHES.items():
        out |= np.where(history & event, attribute, 0)
    return out


def group_of(sex: NDArray[np.int8], year: NDArray[np.int16]) -> Ints:
    """The group of each person: 2 * sex + (born before `YOUNG_SINCE`)."""
    return 2 * sex.astype(np.int64) + (year < YOUNG_SINCE)


@dataclass(frozen=True, slots=True)
class Histories:
    """Every history that people of one group may have, and its probability."""

    flags: Ints
    chance: Floats

    @classmethod
    def of(cls, steps: Sequence[Sequence[tuple[int, float]]]) -> Histories:
        """All histories with one outcome of each step; P is the product over the steps, which are independent."""
        histories = list(product(*steps))
        flags = np.array([sum(int(flag) for flag, _ in history) for history in histories], dtype=np.int64)
        return cls(flags, np.array([np.prod([chance for _, chance in history]) for history in histories]))


def with_follower(event: Event, chance: float, follower: Event, then: float) -> list[tuple[int, float]]:
    """The step: nothing, the event alone, or the event and what follows from it."""
    return [(0, 1 - chance), (event, chance * (1 - then)), (event | follower, chance * then)]


def draw(
    count: int,
    tables: Sequence[Histories],
    *,
    errors: int,
    groups: Floats,
    unequal: Sequence[float] | None,
    fixed: Mapping[int, float],
    rng: np.random.Generator,
) -> tuple[Ints, Ints]:
    """
    Group and history of `count` people who are to differ in at least `errors` attributes.

    P(group, history) is share of the group times probability of the history, given that it touches enough attributes.
    It is rescaled to `unequal`, the shares of people with 1, 2, … unequal attributes, unless that is None, and to
    `fixed`, for some attributes (bits) the share of people who differ in them.
    """
    history = np.concatenate([table.flags for table in tables])
    group = np.repeat(np.arange(len(tables)), [len(table.flags) for table in tables])
    weight = np.concatenate([share * table.chance for table, share in zip(tables, groups, strict=True)])
    attributes = touched(history)
    number = np.bitwise_count(attributes.astype(np.uint64)).astype(np.int64)
    weight[number < errors] = 0
    if count:
        if weight.sum() == 0:
            raise _impossible(errors)
        _rescale(weight, attributes, number, unequal, fixed)
    reach = np.cumsum(weight)
    drawn = np.searchsorted(reach, rng.random(count) * reach[-1], side="right")
    return group[drawn], history[drawn]


def _rescale(
    weight: Floats, attributes: Ints, number: Ints, unequal: Sequence[float] | None, fixed: Mapping[int, float]
) -> None:
    """
    Rescale the weights, in place, until all shares hold: iterative proportional fitting.

    Each step meets its share exactly and disturbs the others less from round to round, if they can be met together.
    """
    for _ in range(_ROUNDS if fixed else 1):
        off = 0.0
        for bit, part in fixed.items():
            has = (attributes & bit) > 0
            mass, rest = weight[has].sum(), weight[~has].sum()
            if (part > 0 and mass == 0) or (part < 1 and rest == 0):
                raise _contradiction()
            off = max(off, abs(mass / (mass + rest) - part))
            weight[has] *= part / mass if mass > 0 else 0.0
            weight[~has] *= (1 - part) / rest if rest > 0 else 0.0
        for count, part in enumerate(unequal or (), start=1):
            mass = weight[number == count].sum()
            if part > 0 and mass == 0:
                raise _impossible(count)
            weight[number == count] *= part / mass if mass > 0 else 0.0
        if off < _TOLERANCE:
            return
    raise _contradiction()


def _impossible(number: int) -> SettingError:
    return SettingError(
        f"with these rates nobody differs in {number} attributes", hint="raise the rates of moves and name changes"
    )


def _contradiction() -> SettingError:
    return SettingError(
        "these rates cannot all hold for people who differ in so many attributes",
        hint="raise the rates of moves and name changes, or leave the shares of unequal attributes as they come",
    )
