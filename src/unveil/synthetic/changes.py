"""
How events change entries: the same people before and after their histories.

Each function changes one attribute of both entries in place, and always to unequal values unless chance makes them
meet; whoever draws the people checks for that. Python loops run only over values that are misspelt or joined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.synthetic.events import Event
from unveil.synthetic.names import names
from unveil.synthetic.people import YEARS, People
from unveil.synthetic.places import state
from unveil.synthetic.rates import KINDS, Rates
from unveil.synthetic.registers import Chosen, Register, Values, entries, full_middle, initials
from unveil.synthetic.spelling import cut, mistyped, short_form, variant
from unveil.synthetic.tables import strings

#: Of those whose middle name changes with the surname, how many bear their maiden name in the middle.
_MAIDEN_TO_MIDDLE = 0.68
#: Of those whose first and middle names change together, how many swap them, and how many run them together.
_SWAPPED, _RUN_TOGETHER = 0.3, 0.2
#: A wife's surname changed because she married; otherwise she divorced, and mostly took her maiden name again.
_MARRIED, _MAIDEN_AGAIN, _JOINED = 0.5, 0.7, 0.03
#: Half of the new middle names are family names.
_FAMILY_NAME = 0.5
#: Either register may hold the older form of a value.
_EITHER = 0.5
_YEARS_OFF = np.array([-1, 1, -1, 1, -2, 2, -10, 10, -9, 9])


@dataclass(frozen=True, slots=True, repr=False)
class Story:
    """Both entries of the same people, and what happened to them in between."""

    people: People
    who: NDArray[np.int64]
    history: NDArray[np.int64]
    before: Register
    after: Register

    def __repr__(self) -> str:
        return f"Story(<{len(self.who)} people>)"

    def happened(self, event: Event) -> Chosen:
        """True where any of these events is in the history."""
        return (self.history & event) > 0


def befall(
    people: People,
    who: NDArray[np.int64],
    history: NDArray[np.int64],
    rates: Rates,
    rng: dict[str, np.random.Generator],
) -> Story:
    """The entries of these people before and after their histories."""
    before = entries(people, who, rates, rng["entries"])
    story = Story(people, who, history, before, before.take(np.arange(len(who))))
    _move(story, rates, rng["moves"])
    _birthplace(story, rates, rng["birthplaces"])
    married = _marry(story, rng["marriages"])
    _surname(story, rates, rng["surnames"])
    _middle(story, married, rates, rng["middles"])
    _first(story, rates, rng["firsts"])
    _year(story, rates, rng["years"])
    return story


def _households(story: Story) -> NDArray[np.int64]:
    """Where each household moved to, -1 for those that stayed; shared members who moved decide."""
    moved = story.happened(Event.MOVE)
    target = np.full(int(story.people.household.max()) + 1, -1, dtype=np.int64)
    target[story.people.household[story.who[moved]]] = story.after.address[moved]
    return target


def follow(story: Story, register: Register, who: NDArray[np.int64], rates: Rates, rng: np.random.Generator) -> None:
    """Let other members of households that moved come along, in the second register."""
    goes = _households(story)[story.people.household[who]]
    together = (goes >= 0) & (rng.random(len(who)) < rates.household_moves)
    register.address[together] = goes[together]


def _kinds(attribute: str, count: int, rates: Rates, rng: np.random.Generator) -> NDArray[np.int64]:
    """Which kind of change each value undergoes: a position in the attribute's kinds, or one past them."""
    reach = np.cumsum([getattr(rates, name) for name in KINDS[attribute]])
    return np.searchsorted(reach, rng.random(count), side="right")


def _move(story: Story, rates: Rates, rng: np.random.Generator) -> None:
    place = state()
    rows = np.flatnonzero(story.happened(Event.MOVE | Event.MARRIAGE_MOVE))
    old = story.before.address[rows]
    new = old.copy()
    kind = _kinds("move", len(rows), rates, rng)
    for _ in range(8):
        again = new == old
        for number, group in enumerate((place.town_of, place.area_of)):
            chosen = again & (kind == number)
            new[chosen] = place.draw_within(group, group[old[chosen]], rng)
        chosen = again & (kind > 1)
        new[chosen] = place.draw(int(chosen.sum()), rng)
        kind[(kind == 0) & (new == old)] = 1  # a town with one code has no other code to move to
    story.after.address[rows] = new
    goes = _households(story)[story.people.household[story.who]]
    together = story.happened(Event.MOVE) & (rng.random(len(goes)) < rates.household_moves)
    story.after.address[together] = goes[together]


def _birthplace(story: Story, rates: Rates, rng: np.random.Generator) -> None:
    place = state()
    rows = np.flatnonzero(story.happened(Event.BIRTHPLACE | Event.MOVE_BIRTHPLACE))
    true = place.born[story.people.born[story.who[rows]]]
    other = place.born[place.draw_birthplace(len(rows), rng)]
    kind = _kinds("birthplace", len(rows), rates, rng)
    story.before.born[rows] = np.where(kind == 0, "", np.where(kind == 1, true, other))
    story.after.born[rows] = np.where(kind == 1, "", true)


def _marry(story: Story, rng: np.random.Generator) -> Chosen:
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
    after = np.where(weds & (u[2] < _JOINED), _joined(before, after), after)
    story.before.last[rows], story.after.last[rows] = before, after
    married = np.zeros(len(story.who), dtype=bool)
    married[rows] = weds
    return married


def _surname(story: Story, rates: Rates, rng: np.random.Generator) -> None:
    """Correct last names: misspelt, joined with another, or replaced."""
    rows = np.flatnonzero(story.happened(Event.LAST) & ~story.happened(Event.MARRIAGE))
    old = story.before.last[rows]
    new = names().words[names().draw_surname(len(rows), rng)]
    kind = _kinds("last", len(rows), rates, rng)
    new[kind == 0] = _misspelt(old[kind == 0], rng)
    new[kind == 1] = _joined(old[kind == 1], new[kind == 1])
    back = rng.random(len(rows)) < _EITHER
    story.before.last[rows] = np.where(back, new, old)
    story.after.last[rows] = np.where(back, old, new)


def _middle(story: Story, married: Chosen, rates: Rates, rng: np.random.Generator) -> None:
    before, after = story.before, story.after
    words = names().words
    maiden = story.happened(Event.MARRIAGE_MIDDLE) & (rng.random(len(story.who)) < _MAIDEN_TO_MIDDLE)
    given = words[story.people.middle[story.who]]
    # The maiden name moves to the middle of the entry that has the married name.
    before.middle[maiden] = np.where(married, given, after.last)[maiden]
    after.middle[maiden] = np.where(married, before.last, given)[maiden]

    rows = np.flatnonzero(story.happened(Event.MIDDLE | Event.MARRIAGE_MIDDLE | Event.FIRST_AND_MIDDLE) & ~maiden)
    who = story.who[rows]
    old = full_middle(story.people, who)
    drawn = names().draw_middle(story.people.sex[who], story.people.year[who], rng)
    family = rng.random(len(rows)) < _FAMILY_NAME
    new = words[np.where(family, names().draw_surname(len(rows), rng), drawn)]
    kind = _kinds("middle", len(rows), rates, rng)
    gained, lost, shortened, similar = (kind == number for number in range(4))
    new[gained | lost] = ""
    new[shortened] = initials(old[shortened])
    respelt = rng.random(len(rows)) < _EITHER
    new[similar & respelt] = _misspelt(old[similar & respelt], rng)
    new[similar & ~respelt] = _shortened(old[similar & ~respelt], rng)
    back = gained | (~lost & (rng.random(len(rows)) < _EITHER))
    before.middle[rows] = np.where(back, new, old)
    after.middle[rows] = np.where(back, old, new)


def _first(story: Story, rates: Rates, rng: np.random.Generator) -> None:
    before, after = story.before, story.after
    rows = np.flatnonzero(story.happened(Event.FIRST))
    who = story.who[rows]
    old = before.first[rows]
    new = names().words[names().draw_given(story.people.sex[who], story.people.year[who], rng)]
    kind = _kinds("first", len(rows), rates, rng)
    new[kind == 0] = _misspelt(old[kind == 0], rng)
    new[kind == 1] = _shortened(old[kind == 1], rng)
    back = rng.random(len(rows)) < _EITHER
    before.first[rows], after.first[rows] = np.where(back, new, old), np.where(back, old, new)
    _exchange(story, rng)


def _exchange(story: Story, rng: np.random.Generator) -> None:
    """Swap first and middle names, or run them together, of some whose first and middle names both change."""
    u = rng.random(len(story.who))
    rows = np.flatnonzero(story.happened(Event.FIRST_AND_MIDDLE) & (u < _SWAPPED + _RUN_TOGETHER))
    first = names().words[story.people.first[story.who[rows]]]
    middle = full_middle(story.people, story.who[rows])
    swapped = u[rows] < _SWAPPED
    new_first = np.where(swapped, middle, _joined(first, middle, " "))
    new_middle = np.where(swapped, first, "")
    back = rng.random(len(rows)) < _EITHER
    story.before.first[rows], story.after.first[rows] = (
        np.where(back, new_first, first),
        np.where(back, first, new_first),
    )
    story.before.middle[rows] = np.where(back, new_middle, middle)
    story.after.middle[rows] = np.where(back, middle, new_middle)


def _year(story: Story, rates: Rates, rng: np.random.Generator) -> None:
    year = story.after.year
    off = np.where(rng.random(len(year)) < rates.year_of_birth, rng.choice(_YEARS_OFF, len(year)), 0)
    year += np.where((year + off < YEARS[0]) | (year + off > YEARS[1]), -off, off)


def _misspelt(values: Values, rng: np.random.Generator) -> Values:
    """Each value with a typing mistake or, for one in three, in a spelling that sounds alike."""
    out = []
    for value, (how, kind, place, key) in zip(values.tolist(), rng.random((len(values), 4)).tolist(), strict=True):
        alike = variant(value, kind) if how < 1 / 3 else value
        out.append(alike if alike != value else mistyped(value, kind, place, key))
    return strings(out)


def _shortened(values: Values, rng: np.random.Generator) -> Values:
    """The nickname, or the formal name, of each first name."""
    pairs = zip(values.tolist(), rng.random(len(values)).tolist(), strict=True)
    return strings([short_form(value, u) or cut(value) for value, u in pairs])


def _joined(left: Values, right: Values, sign: str = "-") -> Values:
    """Both names with a hyphen, or another sign, between them."""
    return strings([f"{one}{sign}{two}" for one, two in zip(left.tolist(), right.tolist(), strict=True)])
