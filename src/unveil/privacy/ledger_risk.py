"""The risk of an owner's whole ledger: KAPR over everything that reviewers ever got of its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.kapr import held_counts, kapr
from unveil.privacy.population import ReferencePopulation
from unveil.records import Column, Records


@dataclass(frozen=True, slots=True)
class LedgerRisk:
    """
    The risk of all disclosures together.

    `records` of the owner's records disclosed `values` different values. `kapr` is the mean over these records, `worst`
    the highest share of one of them: 1 if all its values are known and no other record has them. `smallest_k` is the
    least number of records that share what is known of one, 0 if nothing was disclosed.
    """

    records: int = 0
    values: int = 0
    kapr: float = 0.0
    worst: float = 0.0
    smallest_k: int = 0


def ledger_risk(
    disclosed: NDArray[np.bool_],
    records: Records,
    names: Sequence[str],
    *,
    population: ReferencePopulation | None = None,
) -> LedgerRisk:
    """
    Return the risk of what the ledger says was disclosed to review.

    `disclosed` is the ledger's matrix (records × attributes), `names` its columns. KAPR = 1/(N·D) · Σ_i d_i / k_i over
    the N records with d_i > 0; k_i counts the owner's own records unless another population is given.
    """
    rows = np.flatnonzero(disclosed.any(axis=1))
    if not len(rows):
        return LedgerRisk()
    chosen = disclosed[rows]
    some = _picked(records, rows, names)
    k = held_counts(chosen, some, population or ReferencePopulation(names, records))
    d = chosen.sum(axis=1)
    return LedgerRisk(
        records=len(rows),
        values=int(d.sum()),
        kapr=kapr(d, k, len(names)),
        worst=float((d / (np.maximum(k, 1) * len(names))).max()),
        smallest_k=int(k.min()),
    )


def _picked(records: Records, rows: NDArray[np.int64], names: Sequence[str]) -> Records:
    columns = {name: Column(records.columns[name].distinct, records.columns[name].codes[rows]) for name in names}
    return Records([records.ids[row] for row in rows.tolist()], columns)
