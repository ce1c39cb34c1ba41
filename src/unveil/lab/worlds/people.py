"""The inhabitants of a world, with every attribute that a register may hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unveil.lab.synthetic.clinic.dates import birthdays, written
from unveil.lab.synthetic.clinic.streets import NUMBERS, streets
from unveil.lab.synthetic.names import FEMALE, names
from unveil.lab.synthetic.people import People, settle
from unveil.lab.synthetic.places import state
from unveil.lab.synthetic.registers import Ints, Values
from unveil.lab.synthetic.tables import strings

_FIRST_OF_JANUARY = 0.01
_ID_DIGITS = 9
_FEW = (60, 400)  # names in a world with few of them
_REGIONS = ("NORDEN", "SUDEN", "OSTMARK", "WESTERN", "CENTRAL", "COAST", "LAKES", "HILLS")
_OCCUPATIONS = (
    "FARMER", "CLERK", "LABOURER", "TEACHER", "NURSE", "DRIVER", "CARPENTER", "SMITH", "TAILOR", "MERCHANT", "COOK",
    "MINER", "WEAVER", "PAINTER", "PHYSICIAN", "LAWYER", "SOLDIER", "SAILOR", "BAKER", "BUTCHER", "MASON", "ENGINEER",
    "SHOP ASSISTANT", "OFFICE CLERK", "CIVIL SERVANT", "FACTORY WORKER",
)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class Inhabitants:
    """Everyone in a world: true values by attribute, one array each, and who lives together."""

    values: dict[str, Values]
    household: Ints
    female: Values

    def __len__(self) -> int:
        return len(self.household)

    def __repr__(self) -> str:
        return f"Inhabitants(<{len(self)} people>)"


def inhabit(count: int, rng: np.random.Generator, *, few_names: bool = False) -> Inhabitants:
    """At least `count` people in households, who share surname and address; twins share their date of birth."""
    people = settle(count, structure=rng, naming=rng)
    words, place = names().words, state()
    if few_names:
        most = rng.integers(*_FEW, 2).tolist()
        people = replace(
            people, first=_commonest(people.first, most[0], rng), last=_commonest(people.last, most[1], rng)
        )
    homes = streets().draw(int(people.household.max()) + 1, rng)[people.household]
    everybody = np.ones(len(people), bool)
    dates = written(birthdays(people, _FIRST_OF_JANUARY, rng))
    values = {
        "given_name": words[people.first],
        "middle_name": words[people.middle],
        "family_name": words[people.last],
        "date_of_birth": strings(dates),
        "year_of_birth": strings([date[:4] for date in dates]),
        "birth_month": strings([date[5:7] for date in dates]),
        "birth_day": strings([date[8:] for date in dates]),
        "sex": np.where(people.sex == FEMALE, "F", "M").astype(object),
        "street": streets().written(homes, short=~everybody, numbered=everybody),
        "house_number": _house_numbers(homes),
        "road": streets().written(homes, short=~everybody, numbered=~everybody),
        "region": regions(place.town[people.address]),
        "occupation": occupations(len(people), rng),
        "postcode": place.code[people.address],
        "town": place.town[people.address],
        "birthplace": place.born[people.born],
        "phone": phones(people, rng),
        "id_number": id_numbers(len(people), rng),
    }
    return Inhabitants(values, people.household, people.sex == FEMALE)


def _commonest(name: Ints, most: int, rng: np.random.Generator) -> Ints:
    """The same names, each of the rarer ones exchanged for one of the `most` that are commonest."""
    distinct, codes, counts = np.unique(name, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    common = order[:most]
    instead = np.arange(len(distinct))
    rare = order[most:]
    instead[rare] = rng.choice(common, len(rare), p=counts[common] / counts[common].sum())
    return distinct[instead[codes]]


def regions(town: Values) -> Values:
    """The region that each town lies in."""
    of_town = np.unique(town, return_inverse=True)[1]
    return strings([_REGIONS[one % len(_REGIONS)] for one in of_town.tolist()])


def occupations(count: int, rng: np.random.Generator) -> Values:
    """What everyone does; some occupations are much commoner than others."""
    share = 1 / (3 + np.arange(len(_OCCUPATIONS)))
    return np.array(_OCCUPATIONS, object)[rng.choice(len(_OCCUPATIONS), count, p=share / share.sum())]


def _house_numbers(homes: Ints) -> Values:
    return strings([str(one) for one in (homes % NUMBERS).tolist()])


def phones(people: People, rng: np.random.Generator) -> Values:
    """A number for everyone; half of a household share theirs."""
    own = rng.integers(2_000_000, 9_999_999, len(people))
    common = rng.integers(2_000_000, 9_999_999, int(people.household.max()) + 1)[people.household]
    number = np.where(rng.random(len(people)) < 0.5, common, own)  # noqa: PLR2004 - half of them
    return strings([f"0{one // 10_000} {one % 10_000:04d}" for one in number.tolist()])


def id_numbers(count: int, rng: np.random.Generator) -> Values:
    """A number for everyone, nobody else's, with a check digit (Luhn)."""
    own = rng.permutation(10 ** (_ID_DIGITS - 1) // max(count, 1) * np.arange(count) + int(rng.integers(1, 1000)))
    return strings([_checked(f"{number:0{_ID_DIGITS - 1}d}") for number in own.tolist()])


def _checked(digits: str) -> str:
    doubled = [int(digit) * (2 - at % 2) for at, digit in enumerate(reversed(digits))]
    return f"{digits}{-sum(number // 10 + number % 10 for number in doubled) % 10}"
