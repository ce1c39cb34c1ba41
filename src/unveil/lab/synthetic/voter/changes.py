"""How events change the entries of a voter register."""

from __future__ import annotations

import numpy as np

from unveil.lab.synthetic.changes import (
    EITHER,
    correct_first_name,
    correct_surname,
    joined,
    kinds,
    marry,
    misspelt,
    short_forms,
)
from unveil.lab.synthetic.events import Event
from unveil.lab.synthetic.names import names
from unveil.lab.synthetic.people import YEARS, People
from unveil.lab.synthetic.places import state
from unveil.lab.synthetic.rates import Rates
from unveil.lab.synthetic.registers import Chosen, Ints, LifeStory
from unveil.lab.synthetic.voter.entries import VoterEntries, entries, full_middle, initials

#: Of those whose middle name changes with the surname, how many bear their maiden name in the middle.
_MAIDEN_TO_MIDDLE = 0.68
#: Of those whose first and middle names change together, how many swap them, and how many run them together.
_SWAPPED, _RUN_TOGETHER = 0.3, 0.2
#: Half of the new middle names are family names.
_FAMILY_NAME = 0.5
_YEARS_OFF = np.array([-1, 1, -1, 1, -2, 2, -10, 10, -9, 9])

VoterStory = LifeStory[VoterEntries]


def befall(
    people: People,
    who: Ints,
    history: Ints,
    rates: Rates,
    rng: dict[str, np.random.Generator],
) -> VoterStory:
    """The entries of these people before and after their histories."""
    before = entries(people, who, rates, rng["entries"])
    story = LifeStory(people, who, history, before, before.take(np.arange(len(who))))
    _move(story, rates, rng["moves"])
    _birthplace(story, rates, rng["birthplaces"])
    married = marry(story, rng["marriages"])
    correct_surname(story, rates, rng["surnames"])
    _middle(story, married, rates, rng["middles"])
    correct_first_name(story, rates, rng["firsts"])
    _exchange(story, rng["firsts"])
    _year(story, rates, rng["years"])
    return story


def _households(story: VoterStory) -> Ints:
    """Where each household moved to, -1 for those that stayed; shared members who moved decide."""
    moved = story.happened(Event.MOVE)
    target = np.full(int(story.people.household.max()) + 1, -1, dtype=np.int64)
    target[story.people.household[story.who[moved]]] = story.after.address[moved]
    return target


def follow(story: VoterStory, register: VoterEntries, who: Ints, rates: Rates, rng: np.random.Generator) -> None:
    """Let other members of households that moved come along, in the second register."""
    goes = _households(story)[story.people.household[who]]
    together = (goes >= 0) & (rng.random(len(who)) < rates.household_moves)
    register.address[together] = goes[together]


def _move(story: VoterStory, rates: Rates, rng: np.random.Generator) -> None:
    place = state()
    rows = np.flatnonzero(story.happened(Event.MOVE | Event.MARRIAGE_MOVE))
    old = story.before.address[rows]
    new = old.copy()
    kind = kinds(rates.kinds("move"), len(rows), rng)
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


def _birthplace(story: VoterStory, rates: Rates, rng: np.random.Generator) -> None:
    place = state()
    rows = np.flatnonzero(story.happened(Event.BIRTHPLACE | Event.MOVE_BIRTHPLACE))
    true = place.born[story.people.born[story.who[rows]]]
    other = place.born[place.draw_birthplace(len(rows), rng)]
    kind = kinds(rates.kinds("birthplace"), len(rows), rng)
    story.before.born[rows] = np.where(kind == 0, "", np.where(kind == 1, true, other))
    story.after.born[rows] = np.where(kind == 1, "", true)


def _middle(story: VoterStory, married: Chosen, rates: Rates, rng: np.random.Generator) -> None:
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
    kind = kinds(rates.kinds("middle"), len(rows), rng)
    gained, lost, shortened, similar = (kind == number for number in range(4))
    new[gained | lost] = ""
    new[shortened] = initials(old[shortened])
    respelt = rng.random(len(rows)) < EITHER
    new[similar & respelt] = misspelt(old[similar & respelt], rng)
    new[similar & ~respelt] = short_forms(old[similar & ~respelt], rng)
    back = gained | (~lost & (rng.random(len(rows)) < EITHER))
    before.middle[rows] = np.where(back, new, old)
    after.middle[rows] = np.where(back, old, new)


def _exchange(story: VoterStory, rng: np.random.Generator) -> None:
    """Swap first and middle names, or run them together, of some whose first and middle names both change."""
    u = rng.random(len(story.who))
    rows = np.flatnonzero(story.happened(Event.FIRST_AND_MIDDLE) & (u < _SWAPPED + _RUN_TOGETHER))
    first = names().words[story.people.first[story.who[rows]]]
    middle = full_middle(story.people, story.who[rows])
    swapped = u[rows] < _SWAPPED
    new_first = np.where(swapped, middle, joined(first, middle, " "))
    new_middle = np.where(swapped, first, "")
    back = rng.random(len(rows)) < EITHER
    story.before.first[rows], story.after.first[rows] = (
        np.where(back, new_first, first),
        np.where(back, first, new_first),
    )
    story.before.middle[rows] = np.where(back, new_middle, middle)
    story.after.middle[rows] = np.where(back, middle, new_middle)


def _year(story: VoterStory, rates: Rates, rng: np.random.Generator) -> None:
    year = story.after.year
    off = np.where(rng.random(len(year)) < rates.year_of_birth, rng.choice(_YEARS_OFF, len(year)), 0)
    year += np.where((year + off < YEARS[0]) | (year + off > YEARS[1]), -off, off)
