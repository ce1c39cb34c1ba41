"""From matched pairs to people: which pairs stay where people stand once in a register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import Rows

HARDLY_ANY: Final = 0.03  # of the matched records of a register, matched twice
#: Log odds from which on a rival is sure. Of two matches of which only one can be right, both hardly ever are; of over
#: 1,000 rivals in 60 generated worlds, nine in ten with such odds were second entries, and of the others a third.
_SURE: Final = 2.5
_SOME: Final = 2  # sure rivals, or nothing can be told
_MOST: Final = 0.5  # of the rivals of a register are sure: people stand in it twice


def symmetric_best(left: Rows, right: Rows, score: Reals) -> Flags:
    """True for pairs that are the best of both their records; equal scores go to the pair that stands first."""
    return _best(left, score) & _best(right, score)


def without_rivals(left: Rows, right: Rows, odds: Reals) -> Flags:
    """
    True for pairs that stay: where people stand once in a register, all but the best match of a record go.

    `odds` are log odds. So a register whose people stand in it once is linked one to one, and one with second entries
    keeps them.
    """
    stays = np.ones(len(left), bool)
    # Two matches of one left record are two entries of the right register, and the other way round.
    for rows in (left, right):
        best = _best(rows, odds)
        if not _entered_twice(rows, odds[~best]):
            stays &= best
    return stays


def _entered_twice(rows: Rows, rivals: Reals) -> bool:
    """Whether many of these records are matched twice, or few, of which most are sure."""
    _, count = np.unique(rows, return_counts=True)
    if not len(count) or (count > 1).mean() >= HARDLY_ANY:
        return True
    sure = rivals > _SURE
    return bool(sure.sum() >= _SOME and sure.mean() > _MOST)


#: Whether two records of one register are of one person, going by that register alone.
SamePerson = Callable[[int, int], bool]


def one_person_each(left: Rows, right: Rows, same: tuple[SamePerson, SamePerson]) -> Flags:
    """
    True for pairs that stay where each person stands once in either register, or in several records of the same person.

    Pairs are taken in the order in which they stand. One whose record is taken stays if that record belongs to the same
    person as every record of its register that is there already; one that joins two people, if they are one.
    """
    person: tuple[dict[int, int], dict[int, int]] = ({}, {})  # by record
    members: list[tuple[list[int], list[int]]] = []  # records of either register, by person
    stays = np.zeros(len(left), bool)
    for at, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        known = [of.get(record) for of, record in zip(person, pair, strict=True)]
        found = [one for one in known if one is not None]
        if not found:
            found = [len(members)]
            members.append(([], []))
        elif len(found) == 1:
            new = known.index(None)
            if not all(same[new](pair[new], other) for other in members[found[0]][new]):
                continue
        elif found[0] != found[1]:
            if not all(map(_all_same, same, members[found[0]], members[found[1]])):
                continue
            for of, records, moved in zip(person, members[found[0]], members[found[1]], strict=True):
                of.update(dict.fromkeys(moved, found[0]))
                records.extend(moved)
        for of, record, one, records in zip(person, pair, known, members[found[0]], strict=True):
            if one is None:
                of[record] = found[0]
                records.append(record)
        stays[at] = True
    return stays


def _all_same(same: SamePerson, some: list[int], others: list[int]) -> bool:
    return all(same(one, other) for one in some for other in others)


def _best(rows: Rows, score: Reals) -> Flags:
    order = np.lexsort((np.arange(len(rows)), -score, rows))
    ordered = rows[order]
    first = np.ones(len(rows), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    best = np.zeros(len(rows), bool)
    best[order[first]] = True
    return best


def persons(left: Rows, right: Rows, sizes: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """
    For each record of two registers of these sizes the number of its person, counted from 0.

    Records are of one person if a chain of links joins them; whom no link joins with anybody is a person, too. Numbers
    rise with the first record of each person, those of the left register first.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    records = sum(sizes)
    links = coo_array(
        (np.ones(len(left), np.int8), (left, right.astype(np.int64) + sizes[0])), shape=(records, records)
    )
    _, component = connected_components(links, directed=False)
    _, first, number = np.unique(component, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbers = rank[number]
    return numbers[: sizes[0]], numbers[sizes[0] :]
