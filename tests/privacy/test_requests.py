import numpy as np
import pytest
from numpy.typing import NDArray

from unveil.linkage.shown import DISSIMILAR, EQUAL, MISSING, SHOWN, STATES, states
from unveil.privacy.requests import RequestPolicy, disclosed


def test_bounds_are_strict() -> None:
    """Only what is alike but not equal is asked for; 0.4 itself is dissimilar, as published."""
    codes = states([0.0, 0.4, 0.41, 0.999, 1.0, np.nan], 0.4)
    assert [DISSIMILAR, DISSIMILAR, SHOWN, SHOWN, EQUAL, MISSING] == codes.tolist()
    assert np.uint8 == codes.dtype
    assert ("equal", "dissimilar", "missing", "shown") == STATES


def test_each_attribute_may_have_a_bound_of_its_own() -> None:
    """Learnt bounds differ by attribute."""
    assert [[SHOWN, DISSIMILAR]] == states([[0.5, 0.5]], [0.4, 0.6]).tolist()


@pytest.mark.parametrize(
    ("policy", "left", "right"),
    [
        ("all", [1, 1, 1, 1, 0], [1, 1, 1, 0, 0]),
        ("unequal", [0, 1, 1, 1, 0], [0, 1, 1, 0, 0]),
        ("between", [0, 1, 0, 0, 0], [0, 1, 0, 0, 0]),
    ],
)
def test_each_policy_provides_less_than_the_one_before(
    policy: RequestPolicy, left: list[int], right: list[int]
) -> None:
    """Equal, alike, dissimilar, missing right, missing on both sides."""
    similarity = np.array([[1.0, 0.7, 0.4, np.nan, np.nan]])
    marks: NDArray[np.bool_] = np.array([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0]], dtype=bool)
    given_left, given_right = disclosed(similarity, marks[:1], marks[1:], policy=policy)
    assert (left, right) == (given_left[0].astype(int).tolist(), given_right[0].astype(int).tolist())
