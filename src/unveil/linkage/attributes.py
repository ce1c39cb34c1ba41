"""Evidence about a pair at the attribute level: one similarity per attribute, and how common agreeing values are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Words, dice
from unveil.linkage.outcome import Reals
from unveil.linkage.shown import DEVIATIONS, chance_bounds
from unveil.linkage.signs import chance_of_signs, shown_classes, sign_similarities
from unveil.schema import LayerA, Schema


def attribute_similarities(left: Words, right: Words) -> Reals:
    """
    Return the Dice similarity of each pair and attribute; filters have shape (n, D, words).

    An empty filter is a missing value: the similarity is then NaN.
    """
    ones_left = np.bitwise_count(left).sum(axis=2, dtype=np.int32)
    ones_right = np.bitwise_count(right).sum(axis=2, dtype=np.int32)
    common = np.bitwise_count(left & right).sum(axis=2, dtype=np.int32)
    return np.where((ones_left == 0) | (ones_right == 0), np.nan, dice(common, ones_left, ones_right))


@dataclass(frozen=True, slots=True)
class ComparedAttributes:
    """
    What the attribute unit finds out about pairs, one row for each.

    `agreement` is the frequency class of each agreeing value, `chance` what unrelated values hardly ever exceed.
    """

    similarity: Reals
    agreement: NDArray[np.uint8]
    chance: Reals


def compared(
    left: Words, right: Words, classes: tuple[NDArray[np.uint8], NDArray[np.uint8]], layer: LayerA
) -> ComparedAttributes:
    """Compare what both owners sent of pairs: encodings of shape (n, D, words), and bytes for frequency classes."""
    if layer.signs:
        similarity = sign_similarities(left, right)
        bound = chance_of_signs(layer.signs, DEVIATIONS)
        chance = np.where(np.isnan(similarity), 0.0, bound)
        return ComparedAttributes(similarity, shown_classes(similarity, *classes), chance)
    similarity = attribute_similarities(left, right)
    return ComparedAttributes(similarity, agreement_classes(similarity, *classes), chance_bounds(left, right, layer.m))


def agreement_classes(similarity: Reals, left: NDArray[np.uint8], right: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """
    Return the frequency class of each agreeing value, 0 where the pair does not agree.

    The owners count over their own records and may differ: the rarer (higher) class is used, whoever stands left.
    """
    return np.where(similarity == 1.0, np.maximum(left, right), 0).astype(np.uint8)


def evidence(similarity: Reals, agreement: NDArray[np.uint8], schema: Schema) -> Reals:
    """
    Return M_A's feature vectors: every attribute's similarity, then the agreement classes of those that count.

    Missing values are 0 or NaN as the schema says for each attribute.
    """
    zero = np.array([attribute.when_missing == "zero" for attribute in schema.attributes])
    counted = np.array([attribute.frequency for attribute in schema.attributes])
    filled = np.where(np.isnan(similarity) & zero, 0.0, similarity)
    return np.hstack([filled, agreement[:, counted].astype(np.float64)])
