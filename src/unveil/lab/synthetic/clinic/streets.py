"""
An invented list of streets, and how an address is written.

A home is the number street * `NUMBERS` + house number, so that two homes are the same if their numbers are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from unveil.lab.synthetic.events import Floats
from unveil.lab.synthetic.registers import Chosen, Ints, Values
from unveil.lab.synthetic.spelling import pick
from unveil.lab.synthetic.tables import strings, words

NUMBERS = 10_000
STREETS = 2_400
#: The streets do not change with the seed of a population.
_SEED = 1742
#: Streets of one name stand in many towns; the r-th commonest has a share in proportion to (r + 8) ** -0.8.
_SHIFT, _SLOPE = 8, 0.8
_PLAIN = 0.3
_SMALLEST = 3.0
_POWERS = np.array([1, 10, 100, 1000])
_KINDS = {
    "STREET": "ST", "AVENUE": "AVE", "ROAD": "RD", "DRIVE": "DR", "LANE": "LN", "COURT": "CT", "CIRCLE": "CIR",
    "PLACE": "PL", "TRAIL": "TRL", "TERRACE": "TER", "BOULEVARD": "BLVD",
}  # fmt: skip
#: How often each kind occurs, in the order above.
_KIND_SHARES = (0.24, 0.11, 0.21, 0.19, 0.1, 0.06, 0.03, 0.025, 0.015, 0.01, 0.01)


@dataclass(frozen=True, slots=True, repr=False)
class Streets:
    """The streets in full and abbreviated, commonest first, their cumulative shares, and house numbers as text."""

    full: Values
    short: Values
    reach: Floats
    number: Values

    def __repr__(self) -> str:
        return f"Streets(<{len(self.full)} streets>)"

    def draw(self, count: int, rng: np.random.Generator) -> Ints:
        """`count` homes: common streets and small house numbers more often."""
        street = np.searchsorted(self.reach[:-1], rng.random(count), side="right")
        span = np.log(NUMBERS / _SMALLEST)
        number = np.floor(_SMALLEST * np.exp(span * rng.random(count))).astype(np.int64)
        return street * NUMBERS + np.clip(number, 1, NUMBERS - 1)

    def written(self, home: Ints, *, short: Chosen, numbered: Chosen) -> Values:
        """The addresses of these homes, with the kind of street abbreviated or not and with the number or without."""
        street, number = np.divmod(home, NUMBERS)
        return self.number[np.where(numbered, number, 0)] + np.where(short, self.short[street], self.full[street])


def misnumbered(home: Ints, rng: np.random.Generator) -> Ints:
    """The homes with one digit of the house number wrong; the number keeps its length."""
    number = home % NUMBERS
    digits = np.searchsorted(_POWERS, number, side="right")
    place = _POWERS[(rng.random(len(home)) * digits).astype(np.int64)]
    old = number // place % 10
    new = (old + rng.integers(1, 10, len(home))) % 10
    # A number cannot begin with 0, so its first digit becomes a neighbour instead.
    leading = (new == 0) & (place == _POWERS[digits - 1])
    new = np.where(leading, np.where(old == 1, 2, old - 1), new)
    return home + (new - old) * place


@cache
def streets() -> Streets:
    """The streets, built once."""
    rng = np.random.default_rng(_SEED)
    kinds = np.searchsorted(np.cumsum(_KIND_SHARES)[:-1], rng.random(20 * STREETS), side="right")
    plain, stems, endings = words("street name"), words("town stem"), words("street ending")
    found: dict[str, str] = {}
    for kind, (how, one, two) in zip(kinds.tolist(), rng.random((20 * STREETS, 3)).tolist(), strict=True):
        stem, ending = pick(stems, one), pick(endings, two)
        if stem == ending:
            continue
        name = pick(plain, one) if how < _PLAIN else stem + ending
        full, short = list(_KINDS.items())[kind]
        found.setdefault(f"{name} {full}", f"{name} {short}")
        if len(found) == STREETS:
            break
    share = (np.arange(len(found)) + _SHIFT) ** -_SLOPE
    return Streets(
        full=strings(list(found)),
        short=strings(list(found.values())),
        reach=np.cumsum(share / share.sum()),
        number=strings(["", *(f"{number} " for number in range(1, NUMBERS))]),
    )
