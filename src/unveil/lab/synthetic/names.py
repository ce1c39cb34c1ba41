"""
Names as people have them: given names by sex and birth decade, middle names, surnames.

All names live in one list of words; a name is a position in it, so that a million people are a few integer arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from unveil.lab.synthetic import rare
from unveil.lab.synthetic.tables import rows, strings, weighted

FEMALE, MALE = 0, 1
SEXES = ("F", "M")
FIRST_DECADE, DECADES = 1920, 9

#: The state is the same for every seed, and so are its names: only who bears them is drawn.
_NAMES_SEED = 1790
_RARE_GIVEN, _RARE_SURNAMES = 15000, 50000
#: Share of people with a rare first name, by birth decade: parents have grown more inventive.
_RARE_SHARE = np.linspace(0.06, 0.2, DECADES)
_RARE_SURNAME_SHARE = 0.145
_ERA_WIDTH = 13.0
_GIVEN_SKEW = 1.07
_SURNAME_SKEW = 1.03
_MIDDLE_SHARE = 0.46
_MIDDLE_SKEW = 1.2


@dataclass(frozen=True, slots=True, repr=False)
class Names:
    """Words, and how likely each is as a given, middle or last name. Cumulative shares; a draw is a search in them."""

    words: NDArray[np.object_]
    given: tuple[NDArray[np.float64], NDArray[np.float64]]  # per sex: (decade, word of that sex)
    offsets: tuple[int, int]  # where each sex's given names start among the words
    middle: tuple[tuple[NDArray[np.int64], NDArray[np.float64]], ...]  # per sex: words liked in the middle
    surname: NDArray[np.float64]
    surname_offset: int

    def __repr__(self) -> str:
        return f"Names(<{len(self.words)} words>)"

    def draw_given(self, sex: NDArray[np.int8], year: NDArray[np.int16], rng: np.random.Generator) -> NDArray[np.int64]:
        """A first name for each person: a position in `words`."""
        decade = decades(year)
        u = rng.random(len(sex))
        out = np.zeros(len(sex), dtype=np.int64)
        for s in (FEMALE, MALE):
            for d in range(DECADES):
                chosen = (sex == s) & (decade == d)
                out[chosen] = self.offsets[s] + np.searchsorted(self.given[s][d], u[chosen], side="right")
        return out

    def draw_middle(
        self, sex: NDArray[np.int8], year: NDArray[np.int16], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """A middle name for each person: one that people like in the middle, or any first name."""
        out = self.draw_given(sex, year, rng)
        liked, u = rng.random(len(sex)) < _MIDDLE_SHARE, rng.random(len(sex))
        for s in (FEMALE, MALE):
            words, cumulative = self.middle[s]
            chosen = liked & (sex == s)
            out[chosen] = words[np.searchsorted(cumulative, u[chosen], side="right")]
        return out

    def draw_surname(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """`count` surnames: positions in `words`."""
        return self.surname_offset + np.searchsorted(self.surname, rng.random(count), side="right")


@cache
def names() -> Names:
    """The names of the invented state, built once."""
    rng = np.random.default_rng(_NAMES_SEED)
    parts, given = [], []
    for sex, table in zip(SEXES, ("given_female", "given_male"), strict=True):
        words, shares = _given(sex, table, rng)
        parts.append(words)
        given.append(shares)
    last, shares = _surnames(rng)
    offsets = (0, len(parts[0]))
    where = {word: place for place, word in enumerate(parts[0] + parts[1])}
    return Names(
        words=strings(parts[0] + parts[1] + last),
        given=(given[0], given[1]),
        offsets=offsets,
        middle=tuple(_middle(sex, where) for sex in SEXES),
        surname=shares,
        surname_offset=len(parts[0]) + len(parts[1]),
    )


def decades(year: NDArray[np.int16]) -> NDArray[np.int64]:
    """Which birth decade a year lies in, 0 for the 1920s and earlier."""
    return np.clip((year.astype(np.int64) - FIRST_DECADE) // 10, 0, DECADES - 1)


def _cumulative(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cumulative shares along the last axis; the last is 1, so that every u < 1 finds a place."""
    total = np.cumsum(weights, axis=-1)
    total /= total[..., -1:]
    total[..., -1] = 1.0
    return total


def _given(sex: str, table: str, rng: np.random.Generator) -> tuple[list[str], NDArray[np.float64]]:
    """
    First names of one sex and, per decade, their cumulative shares.

    A name's share in a decade is its share in the table times a bell around the year it was most in use.
    """
    words, shares = weighted(table)
    peak = rng.normal(1962, 22, len(words))
    factor = np.ones(len(words))
    where = {word: place for place, word in enumerate(words)}
    for era_sex, name, year, boost in rows("eras"):
        if era_sex == sex and name in where:
            peak[where[name]], factor[where[name]] = float(year), float(boost)
    middle_year = FIRST_DECADE + 5 + 10 * np.arange(DECADES)
    bell = 0.12 + np.exp(-0.5 * ((middle_year[:, None] - peak) / _ERA_WIDTH) ** 2)
    common = bell / bell.mean(axis=0) * shares**_GIVEN_SKEW * factor
    common *= (1 - _RARE_SHARE[:, None]) / common.sum(axis=1, keepdims=True)
    composed = rare.given_names(sex, words, count=_RARE_GIVEN, rng=rng)
    tail = 1.0 / (20 + np.arange(len(composed))) ** 0.3
    uncommon = _RARE_SHARE[:, None] * tail / tail.sum()
    return words + composed, _cumulative(np.hstack([common, uncommon]))


def _surnames(rng: np.random.Generator) -> tuple[list[str], NDArray[np.float64]]:
    words, shares = weighted("surnames")
    shares = shares**_SURNAME_SKEW
    composed = rare.surnames(words, count=_RARE_SURNAMES, rng=rng)
    tail = 1.0 / (50 + np.arange(len(composed))) ** 0.1
    weights = np.concatenate(
        [shares / shares.sum() * (1 - _RARE_SURNAME_SHARE), tail / tail.sum() * _RARE_SURNAME_SHARE]
    )
    return words + composed, _cumulative(weights)


def _middle(sex: str, where: dict[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    liked = [
        (where[name], float(weight)) for row_sex, name, weight in rows("middle") if row_sex == sex and name in where
    ]
    return np.array([place for place, _ in liked]), _cumulative(
        np.array([weight for _, weight in liked]) ** _MIDDLE_SKEW
    )
