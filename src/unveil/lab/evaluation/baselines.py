"""Baselines: what linkage reaches without review, at the record level and at the attribute level."""

from __future__ import annotations

import numpy as np

from unveil.lab.evaluation.quality import best_threshold
from unveil.linkage.attributes import attribute_similarities
from unveil.linkage.bits import Words
from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import Pairs
from unveil.schema import Schema

_CHUNK = 1 << 16


def weighted_similarity(similarity: Reals, schema: Schema) -> Reals:
    """
    Return the weighted mean of the attribute similarities of each pair.

    A missing value is left out, or counts as similarity 0 where the schema says so. No value at all gives 0.
    """
    weight = np.array([attribute.weight for attribute in schema.attributes])
    zero = np.array([attribute.when_missing == "zero" for attribute in schema.attributes])
    filled = np.where(np.isnan(similarity) & zero, 0.0, similarity)
    counted = np.where(np.isnan(filled), 0.0, weight)
    total = counted.sum(axis=1)
    score = (np.nan_to_num(filled) * counted).sum(axis=1)
    return np.divide(score, total, out=np.zeros(len(score)), where=total > 0)


def attribute_level_f1(
    pairs: Pairs, left: Words, right: Words, schema: Schema, *, is_true: Flags, true_pairs: int
) -> float:
    """
    Return F1 of plain attribute filters, the weighted mean of their similarities and the best threshold by truth.

    This is the line that linkage reaches when owners give up every attribute of every record. Filters have shape
    (n, D, words). Pairs that the record level dropped as far too dissimilar count as non-matches.
    """
    score = np.empty(len(pairs))
    for start in range(0, len(pairs), _CHUNK):
        some = slice(start, start + _CHUNK)
        similarity = attribute_similarities(left[pairs.left[some]], right[pairs.right[some]])
        score[some] = weighted_similarity(similarity, schema)
    return best_threshold(score, is_true, true_pairs)[1]
