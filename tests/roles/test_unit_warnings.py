"""What the units make of figures that look wrong."""

from __future__ import annotations

import numpy as np

from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded
from unveil.linkage.outcome import Outcomes, Reals
from unveil.protocol.data_warnings import DataWarning, WarningKind
from unveil.roles.attribute_unit.data_warnings import attribute_warnings
from unveil.roles.record_unit.data_warnings import fill_warnings, key_warnings

NAMES = ("name", "date")


def filters(fill: float, count: int = 200) -> Bits:
    words = np.zeros((count, 1), np.uint64)
    words[:] = (1 << round(fill * 64)) - 1
    return Bits(words, 64)


def warned(similarity: Reals, match: list[bool], heard: list[float] | None = None) -> list[DataWarning]:
    outcomes = Outcomes(np.array(match, bool), np.full(len(match), 0.99))
    return list(attribute_warnings(NAMES, similarity, outcomes, None if heard is None else np.array(heard)))


def similarities(date_in_matches: float, date_in_others: float) -> tuple[Reals, list[bool]]:
    matches, others = [[1.0, date_in_matches]] * 30, [[0.5, date_in_others]] * 30
    return np.array(matches + others), [True] * 30 + [False] * 30


def test_an_attribute_that_is_equal_nowhere_is_warned_of() -> None:
    """It is alike, since half of it is the same, and still it is never equal."""
    similarity, match = similarities(0.8, 0.4)
    expected = DataWarning(WarningKind.ATTRIBUTE_HARDLY_AGREES, "date", {"pairs": 30, "equal": 0})
    assert [expected] == warned(similarity, match)


def test_an_attribute_that_is_not_listened_to_is_warned_of_and_the_sentence_says_so() -> None:
    """Nobody would know that it counts for less. Few pairs are enough: the model has seen more of them before."""
    similarity, match = similarities(0.4, 0.4)
    (warning,) = warned(similarity[20:40], match[20:40], heard=[1.0, 0.0])
    assert ("date", 0) == (warning.subject, warning.figures["heard"])
    assert "counts only for what it tells in these pairs" in warning.sentence
    assert [] == warned(similarity[20:40], match[20:40], heard=[1.0, 0.5])


def test_an_attribute_that_others_have_in_common_is_not_warned_of() -> None:
    """Everybody who is linked has moved; who lives together has the same address, in one form."""
    similarity, match = similarities(0.4, 1.0)
    assert [] == warned(similarity, match, heard=[1.0, 0.0])


def test_nothing_is_warned_of_before_anything_was_compared() -> None:
    """A unit may be asked at any time."""
    assert [] == warned(np.empty((0, 2)), [], heard=[1.0, 1.0])


def test_filters_that_are_too_full_or_much_emptier_are_warned_of_by_owner() -> None:
    """The one is a matter of the schema, the other of one owner's data."""
    assert [] == list(fill_warnings({"owner a": filters(0.4), "owner b": filters(0.375)}))
    found = list(fill_warnings({"owner a": filters(0.75), "owner b": filters(0.5)}))
    assert [
        DataWarning(WarningKind.FILL_FAR_OFF, "owner a", {"fill": 0.75}),
        DataWarning(WarningKind.FILLS_DIFFER, "owner b", {"fill": 0.5, "other": 0.75}),
    ] == found
    assert [] == list(fill_warnings({"owner a": filters(0.9, count=9), "owner b": filters(0.4)}))


def test_keys_are_warned_of_by_name_with_links_and_without() -> None:
    """One agrees, one is written otherwise; without a link only values that nobody shares tell."""
    values = np.repeat(np.arange(1, 41, dtype=np.uint64), 10)
    same = np.stack([values, values], axis=1)
    left = np.stack([same, same], axis=1).view(np.uint8).reshape(400, 2, 16)
    right = np.stack([same, same + np.uint64(1000)], axis=1).view(np.uint8).reshape(400, 2, 16)
    sides = Encoded(filters(0.4, 400), left), Encoded(filters(0.4, 400), right)
    rows, none = np.arange(400, dtype=np.int32), np.empty(0, np.int32)
    hardly = DataWarning(WarningKind.KEY_HARDLY_AGREES, "date", {"pairs": 400, "agreeing": 0})
    assert [hardly] == list(key_warnings(NAMES, *sides, (rows, rows)))
    assert [DataWarning(WarningKind.KEY_NOT_SHARED, "date")] == list(key_warnings(NAMES, *sides, (none, none)))
