"""
KAPR: the risk that what a review discloses points at one person, averaged over the records in review.

A record of which d of D values are known, and which k people of the population share, adds d / (D·k): nothing when
nothing is known, 1 when everything is and it fits one person only. *Held* counts values that the review unit was sent,
*seen* counts the share of their characters that a reviewer could read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.linkage.shown import SEPARATORS
from unveil.privacy.population import ReferencePopulation
from unveil.records import Records


def kapr(provided: ArrayLike, population: ArrayLike, attributes: int) -> float:
    """
    Return KAPR = 1/(N·D) · Σ_i d_i / k_i for N records, 0 for none.

    `provided` holds d_i, `population` holds k_i (less than 1 counts as 1: the person is in the population after all),
    `attributes` is D. Counts that owners rounded down with `coarse_count` give an upper bound.
    """
    d = np.asarray(provided, dtype=np.float64)
    k = np.maximum(np.asarray(population, dtype=np.float64), 1.0)
    return float((d / k).sum() / (len(d) * attributes)) if len(d) else 0.0


def coarse_count(k: int) -> int:
    """
    Return k rounded down to 1, 2, 5, 10, 20, 50, …, at least 1.

    An exact count would let the review unit follow one population through many questions.
    """
    power = 10 ** (len(str(max(k, 1))) - 1)
    return next(step * power for step in (5, 2, 1) if step * power <= max(k, 1))


def held_counts(disclosed: NDArray[np.bool_], records: Records, population: ReferencePopulation) -> NDArray[np.int64]:
    """Return k_i of each record: how many of the population agree on every value that was provided."""
    columns = [records.columns[name] for name in population.attributes]
    counts = np.empty(len(records), dtype=np.int64)
    for row in range(len(records)):
        known = {
            name: column[row]
            for name, column, is_given in zip(population.attributes, columns, disclosed[row], strict=True)
            if is_given
        }
        counts[row] = population.count(known)
    return counts


def kapr_held(disclosed: NDArray[np.bool_], records: Records, population: ReferencePopulation) -> float:
    """
    Return KAPR of the values that the review unit holds.

    `disclosed` marks them, shape (N, D), one row per record in review (two rows per pair) and one column per attribute
    of the population. A missing value cannot be provided, so its mark is ignored.
    """
    if disclosed.shape != (len(records), len(population.attributes)):
        raise ValueError(f"marks of shape {disclosed.shape} for {len(records)} records")
    missing = np.stack([records.columns[name].missing() for name in population.attributes], axis=1)
    provided = (disclosed & ~missing).sum(axis=1)
    return kapr(provided, held_counts(disclosed, records, population), len(population.attributes))


def share(value: str, opened: Sequence[bool]) -> float:
    """Return the share of the value's characters that are opened; separators, shown always, do not count."""
    if all(opened):
        return 1.0
    counted = [is_open for letter, is_open in zip(value, opened, strict=True) if letter not in SEPARATORS]
    return sum(counted) / len(counted) if counted else 0.0


def kapr_seen(
    values: Sequence[Mapping[str, str]],
    opened: Sequence[Mapping[str, Sequence[bool]]],
    population: ReferencePopulation,
    *,
    length_hidden: bool = False,
) -> float:
    """
    Return KAPR of what reviewers could read: d_i is a sum of shares of characters, k_i counts with wildcards.

    One mapping per record (two per pair): the values that were sent, and for each of them which characters were
    opened. Both sides of a pair are counted alike, so the figure does not depend on who stands left.
    """
    provided = [
        sum(share(value[name], marks) for name, marks in shown.items() if value[name])
        for value, shown in zip(values, opened, strict=True)
    ]
    counts = [
        population.count_seen(value, shown, length_hidden=length_hidden)
        for value, shown in zip(values, opened, strict=True)
    ]
    return kapr(provided, counts, len(population.attributes))
