from __future__ import annotations

import numpy as np
import pytest

from unveil.linkage.attributes import agreement_classes, attribute_similarities, evidence
from unveil.linkage.shown import DISSIMILAR, EQUAL, MISSING, SHOWN, states
from unveil.schema import Attribute, Schema

NAN = float("nan")


def words(*rows: list[int]) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint64]]:
    return np.array(rows, np.uint64)[:, :, None]


def test_similarity_is_dice_for_each_attribute() -> None:
    """Counted by hand: two of three ones in common, none, all."""
    assert [[2 / 3, 0.0, 1.0]] == attribute_similarities(
        words([0b0111, 0b0011, 0b1010]), words([0b1110, 0b1100, 0b1010])
    ).tolist()


def test_a_missing_value_on_either_side_makes_the_similarity_unknown() -> None:
    """Dissimilar and missing are different evidence; both missing is no agreement."""
    found = attribute_similarities(words([0, 0b11, 0, 0b1]), words([0b11, 0, 0, 0b1]))
    np.testing.assert_array_equal([[NAN, NAN, NAN, 1.0]], found)


def test_all_words_of_a_filter_count() -> None:
    """A filter of 256 bits has four."""
    left, right = np.zeros((1, 1, 4), np.uint64), np.zeros((1, 1, 4), np.uint64)
    left[0, 0], right[0, 0] = [1, 0, 0, 3], [1, 0, 0, 1]
    assert [[0.8]] == attribute_similarities(left, right).tolist()


def test_the_rarer_class_of_an_agreeing_value_is_used_whoever_stands_left() -> None:
    """Owners count over their own records; the outcome must not depend on the order of the owners."""
    similarity = np.array([[1.0, 1.0, 1.0 - 2**-52, 0.3, NAN]])
    left, right = np.array([[1, 3, 3, 2, 0]], np.uint8), np.array([[2, 1, 3, 2, 1]], np.uint8)
    assert [[2, 3, 0, 0, 0]] == agreement_classes(similarity, left, right).tolist()
    assert [[2, 3, 0, 0, 0]] == agreement_classes(similarity, right, left).tolist()


def test_evidence_is_similarities_then_the_classes_that_count() -> None:
    """Missing is 0 where the schema says zero, else unknown; only some attributes' classes are evidence."""
    schema = Schema(
        name="three",
        attributes=(
            Attribute(name="a", when_missing="zero", frequency=True),
            Attribute(name="b"),
            Attribute(name="c", frequency=True),
        ),
    )
    similarity = np.array([[NAN, NAN, 1.0], [0.5, 1.0, NAN]])
    agreement = np.array([[0, 0, 3], [0, 2, 0]], np.uint8)
    np.testing.assert_array_equal(
        [[0.0, NAN, 1.0, 0.0, 3.0], [0.5, 1.0, NAN, 0.0, 0.0]], evidence(similarity, agreement, schema)
    )


@pytest.mark.parametrize(
    ("similarity", "state"),
    [(1.0, EQUAL), (0.999, SHOWN), (0.4001, SHOWN), (0.4, DISSIMILAR), (0.0, DISSIMILAR), (NAN, MISSING)],
)
def test_only_values_between_the_bounds_are_asked_for(similarity: float, state: int) -> None:
    """Both bounds are strict: 0.4 says dissimilar, 1 says equal, and neither needs a value."""
    assert [[state]] == states([[similarity]], 0.4).tolist()
