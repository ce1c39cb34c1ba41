"""
An invented state: towns of very unequal size, their ZIP codes, and where its people were born.

An address is a town and one of its ZIP codes. Towns of one area share the first three digits of their codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from unveil.lab.synthetic.spelling import pick
from unveil.lab.synthetic.tables import strings, words

#: The state does not change with the seed of a population; this one has towns with names of ordinary length.
_STATE_SEED = 1815
TOWNS = 790
#: The r largest towns together hold this share of the people; linear in log r in between.
_RANKS, _SHARES = (1, 10, 100, TOWNS), (0.081, 0.347, 0.722, 1.0)
_PEOPLE_PER_CODE = 0.0042
_SHARED_CODE = 0.05
_AREAS = tuple(f"{prefix}{digit}" for prefix in (86, 88) for digit in range(10))

HOME, ABROAD = "FK", "OC"
#: Where people of the state were born, of those who say: home, neighbours, large states, abroad, the rest.
_BORN = {
    HOME: 48.5, "VA": 4.4, "NY": 5.6, "SC": 3.4, ABROAD: 4.6, "PA": 2.8, "NJ": 2.0, "FL": 2.2, "OH": 2.2, "CA": 2.0,
    "GA": 1.9, "TN": 1.5, "MD": 1.6, "MI": 1.5, "IL": 1.5, "WV": 1.3, "TX": 1.4, "MA": 1.2, "DC": 1.1, "CT": 0.9,
    "KY": 0.8, "IN": 0.8, "AL": 0.7, "MO": 0.5, "LA": 0.5, "WI": 0.4, "MS": 0.4, "AK": 0.1, "AR": 0.2, "AZ": 0.2,
    "CO": 0.2, "DE": 0.2, "HI": 0.2, "IA": 0.2, "ID": 0.1, "KS": 0.2, "ME": 0.2, "MN": 0.2, "MT": 0.1, "ND": 0.1,
    "NE": 0.1, "NH": 0.1, "NM": 0.1, "NV": 0.1, "OK": 0.2, "OR": 0.1, "PR": 0.3, "RI": 0.2, "SD": 0.1, "UT": 0.1,
    "VT": 0.1, "WA": 0.2, "WY": 0.1, "GU": 0.1, "VI": 0.1,
}  # fmt: skip
#: Kinds of town names: a word before the name, a word after it, both, or (the rest) the name alone.
_NAME_KINDS = (0.09, 0.185, 0.19)


@dataclass(frozen=True, slots=True, repr=False)
class State:
    """Addresses (town and ZIP code side by side), their cumulative shares, and the birthplaces."""

    town: NDArray[np.object_]
    code: NDArray[np.object_]
    town_of: NDArray[np.int64]
    area_of: NDArray[np.int64]
    share: NDArray[np.float64]
    born: NDArray[np.object_]
    born_share: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"State(<{len(self.town)} addresses>)"

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """`count` addresses, large towns more often."""
        return np.searchsorted(np.cumsum(self.share)[:-1], rng.random(count), side="right")

    def draw_within(
        self, group: NDArray[np.int64], wanted: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """For each wanted group (a town, an area) one of its addresses, by size."""
        order = np.argsort(group, kind="stable")
        reach = np.concatenate([[0.0], np.cumsum(self.share[order])])
        start = np.searchsorted(group[order], wanted, side="left")
        stop = np.searchsorted(group[order], wanted, side="right")
        u = reach[start] + rng.random(len(wanted)) * (reach[stop] - reach[start])
        place = np.clip(np.searchsorted(reach, u, side="right") - 1, start, stop - 1)
        return order[place]

    def draw_birthplace(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """`count` birthplaces: positions in `born`."""
        return np.searchsorted(np.cumsum(self.born_share)[:-1], rng.random(count), side="right")


@cache
def state() -> State:
    """The invented state, built once."""
    rng = np.random.default_rng(_STATE_SEED)
    size = np.diff(np.interp(np.log(np.arange(1, TOWNS + 1)), np.log(_RANKS), _SHARES), prepend=0.0)
    area = rng.permutation(np.arange(TOWNS) % len(_AREAS))
    numbers = [iter(rng.permutation(100)) for _ in _AREAS]
    latest = [""] * len(_AREAS)
    town, code, weight = [], [], []
    for index in range(TOWNS):
        count = max(1, round(size[index] / _PEOPLE_PER_CODE))
        split = rng.dirichlet(np.full(count, 12.0))
        for part in split:
            place = int(area[index])
            if count > 1 or not latest[place] or rng.random() >= _SHARED_CODE:
                latest[place] = f"{_AREAS[place]}{next(numbers[place]):02d}"
            town.append(index)
            code.append(latest[place])
            weight.append(size[index] * part)
    town_of = np.array(town)
    return State(
        town=strings(_town_names(rng))[town_of],
        code=strings(code),
        town_of=town_of,
        area_of=area[town_of],
        share=np.array(weight) / sum(weight),
        born=strings(list(_BORN)),
        born_share=np.array(list(_BORN.values())) / sum(_BORN.values()),
    )


def _town_names(rng: np.random.Generator) -> list[str]:
    """As many different town names as there are towns; four in five are one word."""
    stems, endings = words("town stem"), words("town ending")
    befores, afters = words("town before"), words("town after")
    found: dict[str, None] = {}
    while len(found) < TOWNS:
        u = rng.random(6).tolist()
        stem, ending = pick(stems, u[0]), pick(endings, u[1])
        if stem == ending:
            continue
        name = (
            f"{pick(befores, u[2])} {pick((stem, stem + ending), u[3])}",
            f"{pick((stem, stem + ending), u[3])} {pick(afters, u[4])}",
            f"{stem} {pick(befores, u[2])} {pick(afters, u[4])}",
            stem + ending,
        )[int(np.searchsorted(_NAME_KINDS, u[5], side="right"))]
        found.setdefault(name)
    return list(found)
