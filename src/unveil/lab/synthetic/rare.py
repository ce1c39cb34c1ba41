"""Rare names, composed from syllables: the long tail that no frequency table lists."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unveil.lab.synthetic.spelling import pick, variant
from unveil.lab.synthetic.tables import words

#: Kinds of rare first names: respelt common ones, two words, or (the rest) composed; how many have a middle syllable.
_RESPELT, _TWO_WORDS, _THREE_SYLLABLES = 0.5, 0.05, 0.6
#: Kinds of rare surnames: double ones, mostly with a hyphen, or composed.
_DOUBLE, _HYPHEN, _LONG_SURNAME = 0.07, 0.6, 0.57
_COMMON_GIVEN, _COMMON_SURNAMES = 600, 4000


def given_names(sex: str, known: list[str], *, count: int, rng: np.random.Generator) -> list[str]:
    """Up to `count` first names that are not in `known`: respelt common ones, composed ones, some of two words."""
    return _new(_given_names(sex, known[:_COMMON_GIVEN], rng.random((3 * count, 5))), known, count)


def surnames(known: list[str], *, count: int, rng: np.random.Generator) -> list[str]:
    """Up to `count` surnames that are not in `known`: composed from syllables, or two known ones together."""
    return _new(_surnames(known[:_COMMON_SURNAMES], rng.random((3 * count, 5))), known, count)


def _new(names: Iterator[str], known: list[str], count: int) -> list[str]:
    """The first `count` different names that are not known."""
    taken, found = set(known), []
    for name in names:
        if name not in taken:
            taken.add(name)
            found.append(name)
            if len(found) == count:
                break
    return found


def _given_names(sex: str, common: list[str], uniform: NDArray[np.float64]) -> Iterator[str]:
    starts, middles, ends = words("given start"), words("given middle"), words(f"given end {sex}")
    firsts, seconds = words(f"double first {sex}"), words(f"double second {sex}")
    for kind, one, two, three, length in uniform.tolist():
        if kind < _RESPELT:
            yield variant(variant(pick(common, one), two), three)
        elif kind < _RESPELT + _TWO_WORDS:
            yield f"{pick(firsts, one)} {pick(seconds, two)}"
        else:
            yield pick(starts, one) + (pick(middles, two) if length < _THREE_SYLLABLES else "") + pick(ends, three)


def _surnames(common: list[str], uniform: NDArray[np.float64]) -> Iterator[str]:
    starts, middles, ends = words("surname start"), words("surname middle"), words("surname end")
    for kind, one, two, three, length in uniform.tolist():
        if kind < _DOUBLE:
            yield f"{pick(common, one)}{'-' if length < _HYPHEN else ' '}{pick(common, two)}"
        else:
            yield pick(starts, one) + (pick(middles, two) if length < _LONG_SURNAME else "") + pick(ends, three)
