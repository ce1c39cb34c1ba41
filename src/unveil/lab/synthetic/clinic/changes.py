"""How events change the entries of a clinic."""

from __future__ import annotations

import numpy as np

from unveil.lab.synthetic.changes import EITHER, correct_first_name, correct_surname, kinds, marry, misspelt
from unveil.lab.synthetic.clinic import dates
from unveil.lab.synthetic.clinic.entries import ClinicEntries, true_sex
from unveil.lab.synthetic.clinic.rates import ClinicRates
from unveil.lab.synthetic.clinic.streets import misnumbered, streets
from unveil.lab.synthetic.events import Event
from unveil.lab.synthetic.places import state
from unveil.lab.synthetic.registers import Ints, LifeStory, Values
from unveil.lab.synthetic.tables import strings

ClinicStory = LifeStory[ClinicEntries]
_ABBREVIATED, _NO_NUMBER, _TYPO, _NUMBER = range(4)


def befall(story: ClinicStory, rates: ClinicRates, rng: dict[str, np.random.Generator]) -> None:
    """Change the entries, equal so far, as the histories say."""
    _move(story, rates, rng["moves"])
    _street(story, rates, rng["streets"])
    marry(story, rng["marriages"])
    correct_surname(story, rates, rng["surnames"])
    correct_first_name(story, rates, rng["firsts"])
    _date(story, rates, rng["dates"])
    _sex(story, rates, rng["sexes"])


def follow(
    story: ClinicStory, register: ClinicEntries, who: Ints, rates: ClinicRates, rng: np.random.Generator
) -> None:
    """Let other members of households that moved come along, in the second register."""
    leader = _leaders(story)[story.people.household[who]]
    rows = np.flatnonzero((leader >= 0) & (rng.random(len(who)) < rates.household_moves))
    register.move(rows, story.after.address[leader[rows]], story.after.home[leader[rows]])


def _leaders(story: ClinicStory) -> Ints:
    """For each household the row of a shared member who moved, whom the others follow; -1 if nobody did."""
    moved = np.flatnonzero(story.happened(Event.MOVE))
    leader = np.full(int(story.people.household.max()) + 1, -1, dtype=np.int64)
    leader[story.people.household[story.who[moved]]] = moved
    return leader


def _move(story: ClinicStory, rates: ClinicRates, rng: np.random.Generator) -> None:
    place = state()
    rows = np.flatnonzero(story.happened(Event.MOVE | Event.MARRIAGE_MOVE))
    address = story.before.address[rows]
    kind = kinds(rates.kinds("move"), len(rows), rng)
    nearby, far = kind == 1, kind > 1  # the others stay in their town
    address[nearby] = place.draw_within(place.area_of, place.area_of[address[nearby]], rng)
    address[far] = place.draw(int(far.sum()), rng)
    story.after.move(rows, address, streets().draw(len(rows), rng))
    leader = _leaders(story)[story.people.household[story.who]]
    together = story.happened(Event.MOVE) & (rng.random(len(leader)) < rates.household_moves)
    rows = np.flatnonzero(together)
    story.after.move(rows, story.after.address[leader[rows]], story.after.home[leader[rows]])


def _street(story: ClinicStory, rates: ClinicRates, rng: np.random.Generator) -> None:
    """Write the addresses of people who stayed where they were in two ways."""
    moved = story.happened(Event.MOVE | Event.MARRIAGE_MOVE)
    rows = np.flatnonzero(story.happened(Event.STREET) & ~moved)
    kind = kinds(rates.kinds("street"), len(rows), rng)
    home, short, numbered = (getattr(story.before, name)[rows] for name in ("home", "short", "numbered"))
    shown = numbered | (kind == _NO_NUMBER) | (kind == _NUMBER)  # these mistakes need a number to be made in
    old = streets().written(home, short=short, numbered=shown)
    new = streets().written(
        np.where(kind == _NUMBER, misnumbered(home, rng), home),
        short=short ^ (kind == _ABBREVIATED),
        numbered=shown & (kind != _NO_NUMBER),
    )
    typo = kind == _TYPO
    new[typo] = _respelt(old[typo], rng)
    back = rng.random(len(rows)) < EITHER
    story.before.street[rows], story.after.street[rows] = np.where(back, new, old), np.where(back, old, new)


def _respelt(values: Values, rng: np.random.Generator) -> Values:
    """The addresses with the name of the street misspelt; number and kind of street stay."""
    parts = [value.split(" ") for value in values.tolist()]
    wrong = misspelt(strings([part[-2] for part in parts]), rng)
    return strings([" ".join([*part[:-2], name, part[-1]]) for part, name in zip(parts, wrong.tolist(), strict=True)])


def _date(story: ClinicStory, rates: ClinicRates, rng: np.random.Generator) -> None:
    rows = np.flatnonzero(story.happened(Event.DATE))
    true = story.before.date[rows]
    wrong = dates.wrong(true, kinds(rates.kinds("date"), len(rows), rng), rng)
    back = rng.random(len(rows)) < EITHER
    story.before.date[rows], story.after.date[rows] = np.where(back, wrong, true), np.where(back, true, wrong)


def _sex(story: ClinicStory, rates: ClinicRates, rng: np.random.Generator) -> None:
    rows = np.flatnonzero(story.happened(Event.SEX))
    true = true_sex(story.people, story.who[rows])
    missing = kinds(rates.kinds("sex"), len(rows), rng) == 0
    wrong = np.where(missing, "", np.where(true == "F", "M", "F")).astype(object)
    back = rng.random(len(rows)) < EITHER
    story.before.sex[rows], story.after.sex[rows] = np.where(back, wrong, true), np.where(back, true, wrong)
