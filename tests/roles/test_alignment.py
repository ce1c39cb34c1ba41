from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from unveil.protocol.messages import LONGEST_VALUE
from unveil.roles.review_unit.alignment import TAKES, Edit, EditStep, align, edits, fold

words = st.text(alphabet="abAB-", max_size=7)


def distance(a: str, b: str) -> int:
    """The textbook recursion, written without the table."""

    @cache
    def of(i: int, j: int) -> int:
        if min(i, j) == 0:
            return max(i, j)
        best = min(of(i - 1, j) + 1, of(i, j - 1) + 1, of(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            best = min(best, of(i - 2, j - 2) + 1)
        return best

    return of(len(a), len(b))


def kinds(left: str, right: str) -> list[Edit]:
    return [step.edit for step in align(left, right)]


@given(words, words)
def test_a_script_has_the_fewest_edits(left: str, right: str) -> None:
    """A longer script would show more of both values than their difference needs."""
    assert distance(fold(left), fold(right)) == edits(align(left, right))


@given(words, words)
def test_a_script_passes_every_character_of_both_values_once(left: str, right: str) -> None:
    """A character that no step takes would have no cover."""
    at_left = at_right = 0
    for step in align(left, right):
        assert (at_left, at_right) == (step.left, step.right)
        at_left += TAKES[step.edit][0]
        at_right += TAKES[step.edit][1]
    assert (len(left), len(right)) == (at_left, at_right)


@given(words, words)
def test_the_script_of_the_swapped_pair_is_the_mirror_image(left: str, right: str) -> None:
    """What a reviewer sees must not depend on which owner stands left."""
    mirror = {Edit.LEFT_ONLY: Edit.RIGHT_ONLY, Edit.RIGHT_ONLY: Edit.LEFT_ONLY}
    mirrored = tuple(EditStep(mirror.get(s.edit, s.edit), s.right, s.left) for s in align(right, left))
    assert mirrored == align(left, right)


def test_swapped_neighbours_are_one_edit() -> None:
    """Optimal string alignment, not Levenshtein: a typist's swap is one slip."""
    assert [Edit.AGREE, Edit.SWAP, Edit.AGREE] == kinds("ABCD", "ACBD")


def test_a_doubled_letter_counts_as_added_after_its_twin() -> None:
    """Either of two equal letters may be the extra one; the later is taken, always."""
    assert [Edit.AGREE, Edit.AGREE, Edit.LEFT_ONLY, Edit.AGREE] == kinds("ANNA", "ANA")


def test_of_equally_short_scripts_the_one_that_hides_more_is_taken() -> None:
    """Two replacements would show four characters where one letter left and one letter right say the same."""
    assert [Edit.LEFT_ONLY, Edit.AGREE, Edit.RIGHT_ONLY] == kinds("AB", "BC")


def test_letter_case_is_no_difference() -> None:
    """Values were compared without case, so a difference in case is not what a reviewer is asked about."""
    assert 0 == edits(align("Straße", "STRAßE"))


def test_a_value_of_absurd_length_is_compared_by_position() -> None:
    """An owner could stall the review unit with one value otherwise."""
    script = align("A" * 5000, "A" * 4999 + "BC")
    assert (Edit.AGREE, Edit.REPLACE, Edit.RIGHT_ONLY) == (script[0].edit, script[4999].edit, script[5000].edit)


def test_the_longest_values_that_the_unit_takes_are_aligned_in_full() -> None:
    """By position, one letter that is left out at the front would make all that follow differ, and be shown."""
    left = ("abcde" * LONGEST_VALUE)[:LONGEST_VALUE]
    script = align(left, left[1:] + "x")
    assert (2, Edit.LEFT_ONLY, Edit.RIGHT_ONLY) == (edits(script), script[0].edit, script[-1].edit)
