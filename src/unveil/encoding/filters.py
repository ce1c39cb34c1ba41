"""
The filter of every distinct value of one attribute.

Each distinct value is normalised and tokenised once and each distinct token hashed once, however many records there
are: the filter of a value is the OR of its tokens' masks. What stands here is the plain way, good for small batches and
as the reference of `bulk`, which does the same with compiled kernels on every core.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bits import chunks
from unveil.encoding.hashing import masks, positions
from unveil.encoding.qgrams import Tokens, tokenise
from unveil.errors import SettingError
from unveil.linkage.bits import word_count
from unveil.records import Column, Records
from unveil.schema import Attribute

#: Fewer records than this are encoded without compiled kernels, which would take longer to load than the work takes.
WORTH_COMPILING = 2000


def column_of(records: Records, attribute: Attribute) -> Column:
    """The column of that attribute."""
    try:
        return records.columns[attribute.name]
    except KeyError:
        raise SettingError(f"the records have no column {attribute.name}") from None


def value_filters(
    column: Column, attribute: Attribute, index: int, *, key: bytes, m: int, h: int
) -> NDArray[np.uint64]:
    """For every distinct value the filter of m bits with h positions per q-gram; all zero for an empty value."""
    if len(column) >= WORTH_COMPILING:
        from unveil.encoding.bulk import columns as bulk

        return bulk.value_filters(column.distinct, attribute, index, key=key, m=m, h=h)
    tokens = tokenise(column.distinct, attribute, index)
    token_masks = masks(positions([(key, tokens.distinct)], m=m, h=h), m=m)
    return _or_of_tokens(tokens, token_masks, word_count(m))


def _or_of_tokens(tokens: Tokens, token_masks: NDArray[np.uint64], words: int) -> NDArray[np.uint64]:
    counts = tokens.counts
    out = np.zeros((len(counts), words), dtype=np.uint64)
    # reduceat would copy a neighbour into an empty segment, so values without tokens are left out and stay zero.
    filled = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[filled]
    ends = starts + counts[filled]
    for part in chunks(len(filled), words * 8 * int(counts.max(initial=1))):
        first = starts[part][0]
        gathered = token_masks[tokens.ids[first : ends[part][-1]]]
        out[filled[part]] = np.bitwise_or.reduceat(gathered, starts[part] - first, axis=0)
    return out
