from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.roles.review_unit.alignment import Edit, align
from unveil.roles.review_unit.likeness import are_alike, likeness
from unveil.roles.review_unit.masking import (
    AGREES,
    PLACEHOLDERS,
    Kind,
    Masked,
    Show,
    Stage,
    are_crossed,
    are_worth_showing,
    kind_of,
    mask_crossed_names,
    mask_values,
)
from unveil.roles.review_unit.rows import GAP, Row, Sort

values = st.text(alphabet="ABC12- /é", max_size=10)
dates = st.builds(lambda y, m, d: f"{y}/{m:02}/{d:02}", st.integers(1970, 1972), st.integers(1, 4), st.integers(1, 4))
pairs = st.one_of(st.tuples(values, values), st.tuples(dates, dates))
shows: st.SearchStrategy[Show] = st.sampled_from(["characters", "placeholders"])
stages = st.sampled_from(Stage)


def masked(
    pair: tuple[str, str], show: Show = "placeholders", stage: Stage = Stage.MASKED, *, kind: Kind | None = None
) -> Masked:
    return mask_values(*pair, show=show, stage=stage, kind=kind or kind_of(*pair))


def texts(left: str, right: str, show: Show, stage: Stage = Stage.MASKED) -> tuple[str, str]:
    result = masked((left, right), show, stage)
    return result.left, result.right


@pytest.mark.parametrize(
    ("left", "right", "show", "expected"),
    [
        ("PAULA", "PAUL", "characters", ("****A", "****·")),
        ("KAYLA", "BYKE", "characters", ("KA*LA", "B·*KE")),
        ("LENA", "HELENA", "characters", ("··****", "HE****")),
        ("MARIA", "MARIYA", "placeholders", ("****·*", "****$*")),
        ("PAUL", "PAUL", "characters", ("****", "****")),
        ("O", "", "characters", ("O", "·")),
        ("1976/09/07", "1974/06/07", "placeholders", ("***$/*@/**", "***%/*$/**")),
        ("PAULA", "PAUAL", "placeholders", ("***@&", "***&@")),
        ("03/12/1980", "12/03/1980", "placeholders", ("@@/&&/****", "&&/@@/****")),
        ("1980-03-12", "1980-12-03", "placeholders", ("****-@@-&&", "****-&&-@@")),
        ("03/12/1980", "12/03/1980", "characters", ("03/12/****", "12/03/****")),
        ("ANNA-LENA", "ANNA LENA", "placeholders", ("****-****", "**** ****")),
        ("ANNALENA", "ANNA-LENA", "placeholders", ("****·****", "****-****")),
        ("1234", "0123", "placeholders", ("·***%", "$***·")),
    ],
)
def test_values_are_masked_by_the_grammar(left: str, right: str, show: Show, expected: tuple[str, str]) -> None:
    """The table of the display's specification, case by case."""
    assert expected == texts(left, right, show)


def test_stages_open_differing_characters_and_then_everything() -> None:
    """The two steps a reviewer can take."""
    assert ("***6", "***7") == texts("1976", "1977", "placeholders", Stage.DIFFERING)
    assert ("1976", "1977") == texts("1976", "1977", "placeholders", Stage.FULL)


@given(pairs)
def test_no_letter_or_digit_shows_before_anything_is_opened(pair: tuple[str, str]) -> None:
    """Placeholder style hides all content at its first stage."""
    result = masked(pair)
    assert not [letter for letter in result.left + result.right if letter.isalnum()]


def without_gaps(row: Row) -> str:
    return "".join(glyph.sign for glyph in row if glyph.sort is not Sort.GAP)


@given(pairs, shows, stages, st.booleans())
def test_both_rows_are_equally_long_and_no_column_is_a_gap_in_both(
    pair: tuple[str, str],
    show: Show,
    stage: Stage,
    hiding: bool,  # noqa: FBT001 - drawn
) -> None:
    """The same position is the same column: only then can differences be read off."""
    result = mask_values(*pair, show=show, stage=stage, kind=kind_of(*pair), length_hiding=hiding)
    assert len(result.left) == len(result.right)
    for left, right in zip(*result.rows, strict=True):
        assert (left.sort, right.sort) != (Sort.GAP, Sort.GAP)
        assert (left.sort is Sort.AGREES) == (right.sort is Sort.AGREES)


@given(pairs, shows, st.sampled_from([Stage.MASKED, Stage.DIFFERING]))
def test_no_character_is_shown_that_both_values_share_or_that_is_not_opened(
    pair: tuple[str, str], show: Show, stage: Stage
) -> None:
    """Of a column that agrees nothing shows but its place; what is shown was opened, and is what stands there."""
    result = masked(pair, show, stage, kind="text")
    for value, row, marks in zip(pair, result.rows, (result.opened_left, result.opened_right), strict=True):
        glyphs = [glyph for glyph in row if glyph.sort is not Sort.GAP]
        for letter, glyph, is_open in zip(value, glyphs, marks, strict=True):
            assert (glyph.sort in (Sort.OPEN, Sort.LAYOUT)) == is_open
            assert not is_open or glyph.sign == letter
    for left, right in zip(*result.rows, strict=True):
        if left.sort is right.sort is Sort.OPEN:
            assert left.sign.casefold() != right.sign.casefold()


@given(pairs, shows, st.sampled_from([Stage.MASKED, Stage.DIFFERING]))
def test_an_agreeing_character_stays_hidden_until_all_is_opened(
    pair: tuple[str, str], show: Show, stage: Stage
) -> None:
    """It is the part that nobody needs to see to tell the two values apart."""
    result = masked(pair, show, stage, kind="text")
    left, right = map(without_gaps, result.rows)
    for step in align(*pair):
        if step.edit is Edit.AGREE:
            shown = (left[step.left], right[step.right])
            assert shown in ((AGREES, AGREES), ("-", "-"), ("/", "/"), (" ", " "))


@given(pairs, shows)
def test_opening_further_never_shows_less(pair: tuple[str, str], show: Show) -> None:
    """Opening cannot be undone, and costs must not fall."""
    opened = [masked(pair, show, stage) for stage in Stage]
    for before, after in pairwise(opened):
        assert all(b <= a for b, a in zip(before.opened_left, after.opened_left, strict=True))
        assert all(b <= a for b, a in zip(before.opened_right, after.opened_right, strict=True))
        assert before.share_left <= after.share_left
        assert before.share_right <= after.share_right
    assert pair == tuple(map(without_gaps, opened[-1].rows))


@given(pairs, shows, stages)
def test_a_text_shows_exactly_the_opened_characters(pair: tuple[str, str], show: Show, stage: Stage) -> None:
    """The cost of an opening is counted from the marks, so marks and text must say the same."""
    result = masked(pair, show, stage)
    for value, text, marks in zip(
        pair, map(without_gaps, result.rows), (result.opened_left, result.opened_right), strict=True
    ):
        assert len(value) == len(text) == len(marks)
        for letter, shown, is_open in zip(value, text, marks, strict=True):
            assert shown == letter if is_open else shown in AGREES + PLACEHOLDERS


@given(pairs)
def test_a_placeholder_stands_for_one_character_in_both_values(pair: tuple[str, str]) -> None:
    """Otherwise equal signs would not mean equal characters."""
    result = masked(pair, kind="text")
    meaning: dict[str, str] = {}
    for letter, sign in zip("".join(pair), "".join(map(without_gaps, result.rows)), strict=True):
        if sign in PLACEHOLDERS and sign != letter:
            assert letter == meaning.setdefault(sign, letter)
    assert len(meaning) == len(set(meaning.values()))


@given(pairs, shows, stages)
def test_swapping_the_sides_swaps_the_result(pair: tuple[str, str], show: Show, stage: Stage) -> None:
    """Only the names of placeholders follow the order of appearance; so compare what each hides."""
    one, two = masked(pair, show, stage), masked(pair[::-1], show, stage)
    assert (one.opened_left, one.opened_right) == (two.opened_right, two.opened_left)
    assert (one.share_left, one.share_right) == (two.share_right, two.share_left)
    assert (one.icon, one.words) == (two.icon, two.words)
    assert renamed(one.left + "|" + one.right) == renamed(two.right + "|" + two.left)


def renamed(text: str) -> str:
    """The text with its placeholders named in order of appearance."""
    names: dict[str, str] = {}
    return "".join(names.setdefault(c, chr(0x4E00 + len(names))) if c in PLACEHOLDERS else c for c in text)


@pytest.mark.parametrize(
    ("left", "right", "icon", "words"),
    [
        ("MAYER", "MEYER", "✎", "one letter replaced"),
        ("PAULA", "PAUL", "+", "one letter added at the end"),
        ("LENA", "HELENA", "+", "two letters added at the start"),
        ("MARIA", "MARIYA", "+", "one letter added"),
        ("PAULA", "PAUAL", "⇄", "two letters swapped"),
        ("12345", "12745", "✎", "one digit replaced"),
        ("AB", "BC", "+", "two letters on one side only"),
        ("MAYERN", "MEYER", "✎+", "one letter replaced and one letter added at the end"),
        ("ANNA-LENA", "ANNALENA", "+", "one separator added"),
        ("Lena", "LENA", "", "no character differs"),
    ],
)
def test_every_difference_has_an_icon_and_words(left: str, right: str, icon: str, words: str) -> None:
    """A reviewer reads the words before the masks, and a screen reader reads nothing else."""
    result = masked((left, right), "characters")
    assert (icon, words) == (result.icon, result.words)


def test_words_do_not_call_hidden_characters_letters_or_digits() -> None:
    """The kind of a hidden character is a part of it."""
    assert masked(("1A", "1B")).words == masked(("11", "12")).words


def test_hidden_lengths_come_out_alike() -> None:
    """A run of asterisks would tell how long a name is."""
    short, long = (
        mask_values(a, b, show="characters", length_hiding=True) for a, b in (("JOS", "JO"), ("ADELAIDES", "ADELAIDE"))
    )
    assert ("***S", "***·") == (short.left, short.right) == (long.left, long.right)


def test_crossed_names_are_covered_as_wholes_and_open_together() -> None:
    """One placeholder for each name says that they changed places and nothing about their letters."""
    left, right = ("MARTIN", "MARTINEZ"), ("MARTINEZ", "MARTIN")
    assert are_crossed(left, right)
    first, last = mask_crossed_names(left, right)
    assert ("@@@@@@··", "&&&&&&&&") == (first.left, first.right)
    assert ("&&&&&&&&", "@@@@@@··") == (last.left, last.right)
    first, last = mask_crossed_names(left, right, stage=Stage.DIFFERING)
    assert ("MARTIN··", "MARTINEZ", "MARTINEZ", "MARTIN··") == (first.left, last.left, first.right, last.right)
    hidden, _ = mask_crossed_names(left, right, length_hiding=True)
    assert ("@@@", "&&&") == (hidden.left, hidden.right)


def test_names_that_are_the_same_twice_are_not_crossed() -> None:
    """Someone called the same twice has nothing to exchange."""
    assert not are_crossed(("KIM", "KIM"), ("KIM", "KIM"))


def test_control_characters_never_leave_a_value() -> None:
    """An opened value must not be able to drive the reviewer's terminal."""
    assert ("A\ufffd[2JB", "A·····") == texts("A\x1b[2JB", "A", "characters", Stage.FULL)


def test_more_characters_than_placeholders_can_be_masked() -> None:
    """The last sign is then shared, and still shows nothing."""
    many = "".join(chr(0x4E00 + i) for i in range(len(PLACEHOLDERS) + 5))
    assert ("¤" * 5, GAP * len(many)) == (texts(many, "", "placeholders")[0][-5:], texts(many, "", "placeholders")[1])


def test_a_masked_value_does_not_print_itself() -> None:
    """Results end up in logs and tracebacks."""
    assert "Masked(<one letter added at the end>)" == repr(masked(("PAULA", "PAUL"), "characters", Stage.FULL))


# Nothing is shown in vain


@pytest.mark.parametrize(
    ("left", "right", "alike"),
    [
        ("PAULA", "PAUL", True),
        ("MAYER", "MEYER", True),
        ("J", "JAMES", True),  # an initial says much
        ("ROB", "ROBERT", True),
        ("BETH", "ELIZABETH", True),
        ("LIZ", "ELIZABETH", True),  # half of twelve characters
        ("JON", "NOJ", False),
        ("AB", "BA", True),  # swapped neighbours
        ("ANNA-LENA", "Annalena", True),
        ("LARRY", "REBECCA", False),
        ("CAMAISHA", "RAYER", False),
        ("KAYLA", "BLAKE", False),
        ("AL", "AB", False),  # half of four is nothing
        ("1976", "1983", False),  # a century
        ("1976", "1967", True),
        ("1976/09/07", "1976/11/22", True),  # the whole year of a date
        ("1976/09/07", "1983/11/22", False),
        ("12-03-1980", "03-12-1980", True),
        ("", "ANN", False),
        ("-", "/", False),
    ],
)
def test_values_that_hardly_agree_are_not_worth_showing(left: str, right: str, alike: bool) -> None:  # noqa: FBT001 - a table
    """Characters of unrelated values tell a reviewer about two people and nothing about the pair."""
    assert alike == are_worth_showing(left, right) == are_worth_showing(right, left)


@given(pairs)
def test_likeness_is_the_same_both_ways_and_counts_shared_characters(pair: tuple[str, str]) -> None:
    """From 0 to 1; above a half only if more than half of the characters stand in both values."""
    found = likeness(*pair)
    assert 0 <= found == likeness(*pair[::-1]) <= 1
    assert are_alike(*pair) == are_alike(*pair[::-1])
    if are_alike(*pair):
        assert set(pair[0].casefold()) & set(pair[1].casefold()) - set("-/ ")


def test_day_and_month_that_changed_places_are_worth_showing_whatever_agrees_besides() -> None:
    """All of it is there, in another order."""
    assert are_worth_showing("03/12/1980", "12/03/1980")
    assert not are_alike("0312", "1203")
