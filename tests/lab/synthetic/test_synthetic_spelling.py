"""Misspellings, variants and short forms of one value."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from unveil.lab.synthetic.spelling import cut, mistyped, pick, short_form, variant

WORDS = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ- ", min_size=1, max_size=12)
UNIFORM = st.floats(0, 1, exclude_max=True)


@given(WORDS, UNIFORM, UNIFORM, UNIFORM)
def test_typing_mistake_always_shows(word: str, kind: float, place: float, key: float) -> None:
    """A shared person's design counts on the values being unequal; dropping one of a double letter also shows."""
    wrong = mistyped(word, kind, place, key)
    assert wrong
    assert wrong != word
    assert abs(len(wrong) - len(word)) <= 1


@given(WORDS, UNIFORM)
def test_short_form_for_names_no_table_lists_always_differs(word: str, u: float) -> None:
    """Same guarantee for nicknames, whether the table knows the name or not."""
    assume(word == word.strip() and word)
    assert word != (short_form(word, u) or cut(word))
    assert cut(word)


def test_variant_sounds_alike() -> None:
    """One sound is respelt; the first letter stays."""
    assert {"STEFEN", "STAPHEN", "STEPHENN"} == {variant("STEPHEN", u) for u in (0.0, 0.75, 0.9)}


def test_variant_of_a_word_without_one_is_the_word() -> None:
    """The caller then takes a typing mistake instead."""
    assert "BOB" == variant("BOB", 0.3)


def test_nicknames_work_in_both_directions() -> None:
    """Either register may hold the formal name."""
    assert {"MIKE", "MICKEY"} == {short_form("MICHAEL", 0.0), short_form("MICHAEL", 0.99)}
    assert "MICHAEL" == short_form("MIKE", 0.5)
    assert short_form("QWERTY", 0.5) is None


def test_pick_reaches_both_ends() -> None:
    """Every option has its share of [0, 1)."""
    assert ("a", "c") == (pick("abc", 0.0), pick("abc", 0.9999))
