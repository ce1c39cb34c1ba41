"""
What befalls a person between the two registers, and how many attributes it makes unequal.

A history is a set of events (bits of `Event`). All histories are listed with their probability for each group of
people, so the design "at least so many unequal attributes" is met by drawing from the list, not by trial and error.
"""

from __future__ import annotations

from enum import IntFlag
from itertools import product

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingError
from unveil.synthetic.names import FEMALE
from unveil.synthetic.rates import ATTRIBUTES_COUNTED, Rates

#: Groups of people whom life treats differently: sex, and born before this year or not.
YOUNG_SINCE = 1976
GROUPS = 4

#: The attributes that the design counts; city and ZIP code count once.
FIRST_NAME, MIDDLE_NAME, LAST_NAME, BIRTHPLACE, ADDRESS = (1 << place for place in range(ATTRIBUTES_COUNTED))


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
}


def touched(history: NDArray[np.int64]) -> NDArray[np.int64]:
    """The attributes that a history makes unequal, as bits."""
    out = np.zeros_like(history)
    for event, attribute in _TOUCHES.items():
        out |= np.where(history & event, attribute, 0)
    return out


def group_of(sex: NDArray[np.int8], year: NDArray[np.int16]) -> NDArray[np.int64]:
    """The group of each person: 2 * sex + (born before `YOUNG_SINCE`)."""
    return 2 * sex.astype(np.int64) + (year < YOUNG_SINCE)


def draw(
    count: int, *, errors: int, shares: NDArray[np.float64], rates: Rates, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """
    Group and history of `count` people who are to differ in at least `errors` attributes.

    P(group, history) is share of the group times probability of the history, given that it touches enough attributes;
    where the rates fix the shares of 1, 2, … unequal attributes, it is rescaled to them.
    """
    tables = [_histories(group, rates) for group in range(GROUPS)]
    history = np.concatenate([flags for flags, _ in tables])
    group = np.repeat(np.arange(GROUPS), [len(flags) for flags, _ in tables])
    weight = np.concatenate([share * chance for (_, chance), share in zip(tables, shares, strict=True)])
    unequal = np.bitwise_count(touched(history).astype(np.uint64)).astype(np.int64)
    weight[unequal < errors] = 0
    wanted = rates.unequal(errors)
    if wanted is not None:
        for number, part in enumerate(wanted, start=1):
            mass = weight[unequal == number].sum()
            if part > 0 and mass == 0:
                raise _impossible(number)
            weight[unequal == number] *= part / mass if mass > 0 else 0.0
    if count and weight.sum() == 0:
        raise _impossible(errors)
    reach = np.cumsum(weight)
    drawn = np.searchsorted(reach, rng.random(count) * reach[-1], side="right")
    return group[drawn], history[drawn]


def _impossible(number: int) -> SettingError:
    return SettingError(
        f"with these rates nobody differs in {number} attributes", hint="raise the rates of moves and name changes"
    )


def _histories(group: int, rates: Rates) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Every history of a group and its probability: the product over independent events."""
    sex, later = divmod(group, 2)
    slower = rates.later_life if later else 1.0
    marriage = rates.marriage * slower if sex == FEMALE else 0.0
    middle, moves = rates.marriage_middle, rates.marriage_move
    steps = (
        [
            (0, 1 - marriage),
            (Event.MARRIAGE, marriage * (1 - middle) * (1 - moves)),
            (Event.MARRIAGE | Event.MARRIAGE_MIDDLE, marriage * middle * (1 - moves)),
            (Event.MARRIAGE | Event.MARRIAGE_MOVE, marriage * (1 - middle) * moves),
            (Event.MARRIAGE | Event.MARRIAGE_MIDDLE | Event.MARRIAGE_MOVE, marriage * middle * moves),
        ],
        _with_follower(Event.MOVE, rates.move * slower, Event.MOVE_BIRTHPLACE, rates.move_birthplace),
        _with_follower(Event.FIRST, rates.first_name, Event.FIRST_AND_MIDDLE, rates.first_and_middle),
        [(0, 1 - rates.middle_name), (Event.MIDDLE, rates.middle_name)],
        [(0, 1 - rates.place_of_birth), (Event.BIRTHPLACE, rates.place_of_birth)],
        [(0, 1 - rates.last_name), (Event.LAST, rates.last_name)],
    )
    histories = list(product(*steps))
    flags = np.array([sum(int(flag) for flag, _ in history) for history in histories], dtype=np.int64)
    return flags, np.array([np.prod([chance for _, chance in history]) for history in histories])


def _with_follower(event: Event, chance: float, follower: Event, then: float) -> list[tuple[int, float]]:
    """Nothing, the event alone, or the event and what follows from it."""
    return [(0, 1 - chance), (event, chance * (1 - then)), (event | follower, chance * then)]
