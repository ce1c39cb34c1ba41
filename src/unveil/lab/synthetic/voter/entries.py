"""What a voter register writes down about a person, and in what two entries differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.lab.synthetic import events
from unveil.lab.synthetic.names import names
from unveil.lab.synthetic.people import People
from unveil.lab.synthetic.places import state
from unveil.lab.synthetic.rates import Rates
from unveil.lab.synthetic.registers import Chosen, Ints, RegisterEntries, Values, differing

#: Initials in place of middle names went out of use: factor on their rate for people born in 1920, 1960, 1995.
_INITIAL_YEARS, _INITIAL_FACTOR = (1920, 1960, 1980, 1995), (2.2, 1.4, 0.65, 0.12)


@dataclass(frozen=True, slots=True, repr=False)
class VoterEntries(RegisterEntries):
    """Entries of a voter register."""

    middle: Values
    year: Ints
    born: Values
    no_zip: Chosen

    def columns(self) -> dict[str, list[str]]:
        """The entries under the names of the person schema."""
        place = state()
        return {
            "first_name": self.first.tolist(),
            "middle_name": self.middle.tolist(),
            "last_name": self.last.tolist(),
            "year_of_birth": [str(year) for year in self.year.tolist()],
            "city": place.town[self.address].tolist(),
            "zip": np.where(self.no_zip, "", place.code[self.address]).tolist(),
            "place_of_birth": self.born.tolist(),
        }


def unequal(left: VoterEntries, right: VoterEntries) -> Ints:
    """The counted attributes in which two entries side by side differ, as bits."""
    place = state()
    moved = (place.town_of[left.address] != place.town_of[right.address]) | (
        (left.address != right.address) & ~(left.no_zip & right.no_zip)
    )
    return differing(
        {
            events.FIRST_NAME: left.first != right.first,
            events.MIDDLE_NAME: left.middle != right.middle,
            events.LAST_NAME: left.last != right.last,
            events.BIRTHPLACE: left.born != right.born,
            events.ADDRESS: moved,
        }
    )


def entries(people: People, who: Ints, rates: Rates, rng: np.random.Generator) -> VoterEntries:
    """What a register holds about these people when nothing has happened yet."""
    words, place = names().words, state()
    year = people.year[who].astype(np.int64)
    u = rng.random((4, len(who)))
    full = full_middle(people, who)
    initial = rates.initial_only * np.interp(year, _INITIAL_YEARS, _INITIAL_FACTOR)
    middle = np.where(u[0] < initial, initials(full), full)
    middle[u[1] < rates.no_middle_name] = ""
    born = place.born[people.born[who]]
    born[u[2] < rates.no_place_of_birth] = ""
    return VoterEntries(
        first=words[people.first[who]],
        middle=middle,
        last=words[people.last[who]],
        year=year,
        address=people.address[who].copy(),
        born=born,
        no_zip=u[3] < rates.no_zip,
    )


def full_middle(people: People, who: Ints) -> Values:
    """Everyone's middle name in full: the maiden name for wives who bear it so."""
    return names().words[np.where(people.maiden_middle[who], people.maiden[who], people.middle[who])]


def initials(values: Values) -> Values:
    """The first letter of each value."""
    out = np.empty(len(values), dtype=object)
    out[:] = [value[:1] for value in values.tolist()]
    return out
