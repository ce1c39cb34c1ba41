"""
How events change names: the same people before and after their histories, in whatever layout.

Each function changes one attribute of both entries in place, and always to unequal values unless chance makes them
meet; whoever draws the people checks for that. Python loops run only over values that are misspelt or joined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unveil.lab.synthetic.events import Event
from unveil.lab.synthetic.names import names
from unveil.lab.synthetic.rates import LifeRates
from unveil.lab.synthetic.registers import Chosen, E, Ints, LifeStory, Values
from unveil.lab.synthetic.spelling import cut, mistyped, short_form, variant
from unveil.lab.synthetic.tables import strings

#: A wife's surname changed because she married; otherwise she divorced, and mostly took her maiden name again.
_MARRIED, _MAIDEN_AGAIN, _JOINED = 0.5, 0.7, 0.03
#: Either register may hold the older form of a value.
EITHER = 0.5


def kinds(shares: Sequence[float], count: int, rng: np.random.Generator) -> Ints:
    """Which kind of change each value undergoes: a position in the shares, or one past them for the rest of 1."""
    return np.searchsorted(np.cumsum(shares), rng.random(count), side="right")


def marry(story: LifeStory[E], rng: np.random.Generator) -> Chosen:
    """Change last names by marriage and divorce; True where the later name is the married one."""
    words = names().words
    rows = np.flatnonzero(story.happened(Event.MARRIAGE))
    last = words[story.people.last[story.who[rows]]]
    maiden = words[story.people.maiden[story.who[rows]]]
    other = words[names().draw_surname(len(rows), rng)]
    u = rng.random((3, len(rows)))
    wife = last != maiden
    weds = ~wife | (u[0] < _MARRIED)
    before = np.where(wife & weds, maiden, last)
    after = np.where(wife, np.where(weds, last, np.where(u[1] < _MAIDEN_AGAIN, maiden, other)), other)
    after = np.where(weds & (u[2] < _JOINED), joined(before, after), after)
    story.before.last[rows], story.after.last[rows] = before, after
    married = np.zeros(len(story.who), dtype=bool)
    married[rows] = weds
    return married


def correct_surname(story: LifeStory[E], rates: LifeRates, rng: np.random.Generator) -> None:
    """Correct last names: misspelt, joined with another, or replaced."""
    rows = np.flatnonzero(story.happened(Event.LAST) & ~story.happened(Event.MARRIAGE))
    old = story.before.last[rows]
    new = names().words[names().draw_surname(len(rows), rng)]
    kind = kinds(rates.kinds("last"), len(rows), rng)
    new[kind == 0] = misspelt(old[kind == 0], rng)
    new[kind == 1] = joined(old[kind == 1], new[kind == 1])
    back = rng.random(len(rows)) < EITHER
    story.before.last[rows] = np.where(back, new, old)
    story.after.last[rows] = np.where(back, old, new)


def correct_first_name(story: LifeStory[E], rates: LifeRates, rng: np.random.Generator) -> None:
    """Correct first names: misspelt, short forms, or replaced."""
    before, after = story.before, story.after
    rows = np.flatnonzero(story.happened(Event.FIRST))
    who = story.who[rows]
    old = before.first[rows]
    new = names().words[names().draw_given(story.people.sex[who], story.people.year[who], rng)]
    kind = kinds(rates.kinds("first"), len(rows), rng)
    new[kind == 0] = misspelt(old[kind == 0], rng)
    new[kind == 1] = short_forms(old[kind == 1], rng)
    back = rng.random(len(rows)) < EITHER
    before.first[rows], after.first[rows] = np.where(back, new, old), np.where(back, old, new)


def misspelt(values: Values, rng: np.random.Generator) -> Values:
    """Each value with a typing mistake or, for one in three, in a spelling that sounds alike."""
    out = []
    for value, (how, kind, place, key) in zip(values.tolist(), rng.random((len(values), 4)).tolist(), strict=True):
        alike = variant(value, kind) if how < 1 / 3 else value
        out.append(alike if alike != value else mistyped(value, kind, place, key))
    return strings(out)


def short_forms(values: Values, rng: np.random.Generator) -> Values:
    """The nickname, or the formal name, of each first name."""
    pairs = zip(values.tolist(), rng.random(len(values)).tolist(), strict=True)
    return strings([short_form(value, u) or cut(value) for value, u in pairs])


def joined(left: Values, right: Values, sign: str = "-") -> Values:
    """Both names with a hyphen, or another sign, between them."""
    return strings([f"{one}{sign}{two}" for one, two in zip(left.tolist(), right.tolist(), strict=True)])
