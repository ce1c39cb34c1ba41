"""What a clinic writes down about a person, and in what two entries differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.lab.synthetic import events
from unveil.lab.synthetic.clinic import dates
from unveil.lab.synthetic.clinic.rates import ClinicRates
from unveil.lab.synthetic.clinic.streets import streets
from unveil.lab.synthetic.names import FEMALE, names
from unveil.lab.synthetic.people import People
from unveil.lab.synthetic.places import state
from unveil.lab.synthetic.registers import Chosen, Ints, RegisterEntries, Values, differing


@dataclass(frozen=True, slots=True, repr=False)
class Traits:
    """What clinics know of people and voter registers do not: a date for everyone, a home for each household."""

    birthday: Ints
    home: Ints

    def __repr__(self) -> str:
        return f"Traits(<{len(self.birthday)} people, {len(self.home)} homes>)"


@dataclass(frozen=True, slots=True, repr=False)
class ClinicEntries(RegisterEntries):
    """Entries of a clinic. The street is kept as it is written; home, short and numbered say how it came about."""

    date: Ints
    sex: Values
    street: Values
    home: Ints
    short: Chosen
    numbered: Chosen

    def columns(self) -> dict[str, list[str]]:
        """The entries under the names of the clinic schema."""
        return {
            "first_name": self.first.tolist(),
            "last_name": self.last.tolist(),
            "date_of_birth": dates.written(self.date),
            "sex": self.sex.tolist(),
            "street": self.street.tolist(),
            "city": state().town[self.address].tolist(),
        }

    def move(self, rows: Ints, address: Ints, home: Ints) -> None:
        """Write down new addresses in these rows, in the manner of the old ones."""
        self.address[rows], self.home[rows] = address, home
        self.street[rows] = streets().written(home, short=self.short[rows], numbered=self.numbered[rows])


def unequal(left: ClinicEntries, right: ClinicEntries) -> Ints:
    """The counted attributes in which two entries side by side differ, as bits."""
    town_of = state().town_of
    return differing(
        {
            events.FIRST_NAME: left.first != right.first,
            events.LAST_NAME: left.last != right.last,
            events.DATE_OF_BIRTH: left.date != right.date,
            events.SEX: left.sex != right.sex,
            events.ADDRESS: (left.street != right.street) | (town_of[left.address] != town_of[right.address]),
        }
    )


def entries(people: People, traits: Traits, who: Ints, rates: ClinicRates, rng: np.random.Generator) -> ClinicEntries:
    """What a clinic holds about these people when nothing has happened yet."""
    words = names().words
    u = rng.random((3, len(who)))
    short, numbered = u[0] < rates.abbreviated, u[1] >= rates.no_house_number
    home = traits.home[people.household[who]]
    return ClinicEntries(
        first=words[people.first[who]],
        last=words[people.last[who]],
        address=people.address[who].copy(),
        date=traits.birthday[who],
        sex=np.where(u[2] < rates.no_sex, "", true_sex(people, who)),
        street=streets().written(home, short=short, numbered=numbered),
        home=home,
        short=short,
        numbered=numbered,
    )


def true_sex(people: People, who: Ints) -> Values:
    """F or M."""
    return np.where(people.sex[who] == FEMALE, "F", "M").astype(object)
