"""Two files of encodings, linked by one threshold of similarity: no model, no probability, nothing estimated."""

from __future__ import annotations

import numpy as np

from unveil.files.encoded import Encodings
from unveil.linkage.bits import Bits
from unveil.linkage.clusters import persons, symmetric_best
from unveil.linkage.engine import Compare, Encoded
from unveil.one_place.linked import OWNERS, LinkedRecords
from unveil.one_place.one_to_one import most_alike_first
from unveil.roles.record_unit.data_warnings import fill_warnings, key_warnings


def link_by_threshold(
    sides: tuple[Encodings, Encodings], *, compare: Compare, one_to_one: bool, all_pairs: bool
) -> LinkedRecords:
    """Every pair that was found alike enough, or of these the most alike first, each record once."""
    left, right = (Encoded(Bits(side.filters, side.m), side.blocking) for side in sides)
    if all_pairs:
        found = compare(*(Encoded(side.filters, side.keys[:, :0]) for side in (left, right)))
    else:
        found = compare(left, right)
    pairs = found.pairs
    best = np.flatnonzero(symmetric_best(pairs.left, pairs.right, pairs.similarity))
    names = list(filter(None, sides[0].metadata.get("blocking", "").split(";")))
    if len(names) != left.keys.shape[1]:
        names = [f"block_{key}" for key in range(left.keys.shape[1])]  # as the file calls them
    fills = dict(zip(map(str, OWNERS), (left.filters, right.filters), strict=True))
    warnings = (*fill_warnings(fills), *key_warnings(names, left, right, (pairs.left[best], pairs.right[best])))
    some = most_alike_first(pairs.left, pairs.right, pairs.similarity) if one_to_one else slice(None)
    rows = pairs.left[some], pairs.right[some]
    return LinkedRecords(
        *rows,
        similarity=pairs.similarity[some],
        probability=None,
        persons=persons(*rows, (len(sides[0]), len(sides[1]))),
        estimate=None,
        compared_pairs=found.compared,
        skipped_blocks=found.skipped_blocks,
        kept_out=({}, {}),
        warnings=warnings,
    )
