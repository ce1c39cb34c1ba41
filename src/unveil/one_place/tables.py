"""Links and persons as Arrow tables, with the ids that the owners gave their records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from unveil.files.arrow_ids import ArrowIds
from unveil.one_place.linked import LinkedRecords

_DIGITS = 6


def id_array(ids: Sequence[str]) -> Any:
    """Record ids as an Arrow array."""
    return ids.array if isinstance(ids, ArrowIds) else pa.array(ids, pa.large_string())


def links_table(links: LinkedRecords, ids: tuple[Sequence[str], Sequence[str]]) -> Any:
    """One row for each link: both record ids, similarity, probability where models decided, the person from 1 on."""
    left, right = map(id_array, ids)
    columns = {
        "record_id_a": left.take(pa.array(links.left)),
        "record_id_b": right.take(pa.array(links.right)),
        "similarity": links.similarity.round(_DIGITS),
    }
    if links.probability is not None:
        columns["probability"] = links.probability.round(_DIGITS)
    return pa.table({**columns, "person": links.persons[0][links.left] + 1})


def persons_table(links: LinkedRecords, ids: tuple[Sequence[str], Sequence[str]]) -> Any:
    """One row for each record of either file: the file (a or b), its id, and its person's number from 1 on."""
    sides = list(map(id_array, ids))
    numbers = np.concatenate(links.persons) + 1
    order = np.argsort(numbers, kind="stable")
    files = np.repeat(["a", "b"], [len(side) for side in sides])
    table = pa.table({"file": files, "record_id": pa.concat_arrays(sides), "person": numbers})
    return table.take(pa.array(order))
