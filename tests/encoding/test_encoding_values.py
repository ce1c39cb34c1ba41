from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.normalise import normalise
from unveil.encoding.phonetics import phonetic_code
from unveil.encoding.qgrams import pad_symbol, qgrams, tokenise
from unveil.schema import PHONETICS, Attribute, Normalisation
from unveil.schema.normalisation import STEPS

ALL = tuple(STEPS)
DEFAULT = Attribute(name="any").normalise
text = st.text(st.characters(), max_size=12)


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ("mueller", "Müller"),
        ("mueller", "MU\u0308LLER"),
        ("van  der berg", "\tVan  der Berg "),
        ("strasse", "STRAẞE"),
        ("jose", "José"),
        ("soeren", "Søren"),
        ("aaroe", "Årø"),
        ("lukasz", "Łukasz"),
        ("thor", "Þór"),
        ("djokovic", "Djoković"),
        ("oeuvre", "Œuvre"),
        ("fi", "ﬁ"),
        ("h", "ℌ"),
        ("", " \u00a0 "),
    ],
)
def test_values_reach_the_form_that_is_compared(expected: str, value: str) -> None:
    """These are the spellings that registers of different countries mix."""
    assert expected == normalise(value, DEFAULT)


def test_single_steps_do_only_what_they_are_named_for() -> None:
    """A schema may leave out any of them."""
    assert "Muenchen" == normalise("München", ("transliterate",))
    assert "Munchen" == normalise("München", ("strip-accents",))
    assert "München" == normalise(" München ", ("trim",))
    assert "27601123" == normalise("27601-1२3", ("digits-only",))
    assert "OBrienSmith" == normalise("O'Brien-Smith 3", ("letters-only",))
    assert " as Is " == normalise(" as Is ", ())


def test_steps_are_applied_in_the_order_of_the_schema() -> None:
    """Accents stripped first leave nothing to transliterate."""
    assert "muller" == normalise("Müller", ("strip-accents", "lowercase", "transliterate"))


@given(text, st.permutations(ALL).flatmap(lambda order: st.integers(0, 6).map(lambda n: tuple(order[:n]))))
def test_normalising_twice_changes_nothing(value: str, steps: tuple[Normalisation, ...]) -> None:
    """An owner that has cleaned its data already must not be punished for it."""
    once = normalise(value, steps)
    assert once == normalise(once, steps)


@given(text, st.permutations(ALL))
def test_composed_and_decomposed_input_agree(value: str, order: list[Normalisation]) -> None:
    """Which of the two a database holds depends on the keyboard of the clerk."""
    steps = tuple(order[:4])
    assert normalise(unicodedata.normalize("NFC", value), steps) == normalise(
        unicodedata.normalize("NFD", value), steps
    )


def test_broken_text_can_be_hashed_without_an_error_that_shows_it() -> None:
    """Python's own encoding error would carry the whole value."""
    tokens = tokenise(["ab\udc80"], Attribute(name="any"), 0)
    assert {"\ue000a".encode(), b"ab", "b\ufffd".encode(), "\ufffd\ue000".encode()} == set(tokens.distinct)


def test_padding_symbol_differs_by_attribute() -> None:
    """An initial of the first name must not look like one of the last name."""
    first, second = (tokenise(["ann"], Attribute(name="any"), index) for index in (0, 1))
    assert {b"an", b"nn"} == set(first.distinct) & set(second.distinct)
    assert 64 == len({pad_symbol(index) for index in range(64)})


@pytest.mark.parametrize(
    ("expected", "value", "q", "pad"),
    [
        ({"_a", "an", "nn", "na", "a_"}, "anna", 2, "_"),
        ({"__a", "_ab", "ab_", "b__"}, "ab", 3, "_"),
        ({"a", "n"}, "anna", 1, "_"),
        ({"an"}, "an", 3, None),
        ({"ab", "ba"}, "abab", 2, None),
        (set(), "", 2, "_"),
        (set(), "", 2, None),
    ],
)
def test_qgrams_are_a_set_of_padded_pieces(expected: set[str], value: str, q: int, pad: str | None) -> None:
    """h is chosen for these counts: a four-digit year has five bigrams."""
    found = qgrams(value, q=q, pad=pad)
    assert expected == set(found)
    assert len(expected) == len(found)


@given(st.text("abc", min_size=1, max_size=10), st.integers(1, 4))
def test_padded_values_have_a_token_for_every_window(value: str, q: int) -> None:
    """No character of a value goes unseen."""
    padded = "_" * (q - 1) + value + "_" * (q - 1)
    assert {padded[i : i + q] for i in range(len(value) + q - 1)} == set(qgrams(value, q=q, pad="_"))


def test_tokens_of_many_values_are_those_of_each() -> None:
    """The flat arrays are only another shape of the same lists."""
    values = ["anna", "", "nan", "anna"]
    tokens = tokenise(values, Attribute(name="any"), 3)
    expected = [tuple(t.encode() for t in qgrams(v, q=2, pad=pad_symbol(3))) for v in values]
    assert expected == tokens.lists()
    assert "anna" not in repr(tokens)


@pytest.mark.parametrize(
    ("expected", "name"),
    [
        ("R163", "robert"),
        ("R163", "Rupert"),
        ("R150", "Rubin"),
        ("A261", "Ashcraft"),
        ("A261", "Ashcroft"),
        ("T522", "Tymczak"),
        ("P236", "Pfister"),
        ("H555", "Honeyman"),
        ("J250", "Jackson"),
        ("V532", "Van Deusen"),
        ("O165", "o'brien"),
        ("M460", "Müller"),
        ("L000", "Lee"),
    ],
)
def test_soundex_is_the_american_standard(expected: str, name: str) -> None:
    """Variants treat h and w or the first letter differently, and owners would miss each other's blocks."""
    assert expected == phonetic_code("soundex", name)


@pytest.mark.parametrize("method", PHONETICS)
def test_values_without_latin_letters_have_no_phonetic_code(method: str) -> None:
    """A made-up code would put them all in one block."""
    assert ["", "", ""] == [phonetic_code(method, value) for value in ("", "1970", "Юлия")]
    assert phonetic_code(method, "Schmidt")
