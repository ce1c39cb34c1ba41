"""Frequency classes: how common a value is among the owner's own records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.normalise import normalise
from unveil.records import Column, Records
from unveil.schema import Schema


def frequency_classes(
    column: Column, bounds: Sequence[float], normalise: Callable[[str], str] = str
) -> NDArray[np.uint8]:
    """
    Return the class of each record's value: 1 the most common values, then 2, 3, …; 0 for a missing one.

    A value belongs to the first class whose bound exceeds its rank as a share of all distinct values. Values that are
    equally common share the best rank among them, so no arbitrary order decides.
    """
    normal = [normalise(value) for value in column.distinct]
    names = {value: i for i, value in enumerate(dict.fromkeys(normal))}
    code = np.array([names[value] for value in normal], np.int64)
    count = np.bincount(code, weights=column.counts(), minlength=len(names))
    missing = names.get("")
    if missing is not None:
        count[missing] = 0
    present = len(names) - (missing is not None)
    rank = len(count) - np.searchsorted(np.sort(count), count, side="right")
    classes = 1 + np.searchsorted(np.asarray(bounds), rank / max(1, present), side="right")
    if missing is not None:
        classes[missing] = 0
    return classes.astype(np.uint8)[code[column.codes]]


def all_frequency_classes(records: Records, schema: Schema) -> NDArray[np.uint8]:
    """Return the class of every record's value in each attribute, shape (n, D); values count as normalised."""
    bounds = schema.protocol.frequency.bounds
    columns = [
        frequency_classes(records.columns[attribute.name], bounds, partial(normalise, steps=attribute.normalise))
        for attribute in schema.attributes
    ]
    return np.stack(columns, axis=1)
