"""A register sorted by surname, and what its order tells somebody who knows how common initials are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np

from unveil.lab.synthetic import Registers, generate
from unveil.records import Column, Records
from unveil.schema import built_in


@cache
def people(count: int) -> Registers:
    """Generated people: those of owner a are the register's, those of owner b what an outsider knows."""
    return generate(records=count, overlap=0.2, errors=1, seed=4)


def sorted_register(count: int) -> Records:
    """The people of owner a by surname, as a registry office keeps them."""
    found = people(count).a
    rows = sorted(range(count), key=lambda row: found.columns["last_name"][row].casefold())
    columns = {name: Column.of(column[row] for row in rows) for name, column in found.columns.items()}
    return Records([f"id{row}" for row in rows], {name: columns[name] for name in built_in().names})


def rank_correlation(order: Sequence[int]) -> float:
    """Of the place in an upload with the place in the file."""
    return float(np.corrcoef(np.arange(len(order)), order)[0, 1])


def guessed_initials(register: Records, order: Sequence[int]) -> tuple[float, float]:
    """
    How many initials are guessed right, and how many by the best constant guess.

    The guesser knows another register and takes the upload for a sorted one: the record at a tenth of the way has the
    initial that people at a tenth of the alphabet have.
    """
    known = sorted(map(_initial, people(len(register)).b.columns["last_name"].values()))
    there = [_initial(register.columns["last_name"][row]) for row in order]
    right = sum(guess == initial for guess, initial in zip(known, there, strict=True))
    return right / len(there), max(Counter(there).values()) / len(there)


def _initial(name: str) -> str:
    return name[:1].casefold()
