"""Names that two registers write differently come to the same text, and no name is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.normalise import normalise

PLAIN = ("transliterate", "trim", "lowercase", "strip-accents")
FAMILY = (*PLAIN, "no-titles", "no-particles", "plain-umlauts", "letters-only")
GIVEN = (*PLAIN, "no-titles", "first-name", "plain-umlauts", "letters-only")


@pytest.mark.parametrize(
    "alike",
    [
        ("O'Brien", "OBRIEN", "O’Brien", "O Brien"),
        ("Müller", "Mueller", "Muller", "MÜLLER", "Mu\u0308ller"),
        ("Groß", "GROSS", "Gross"),
        ("von der Heide", "Heide, von der", "v.d. Heide", "Heide", "Freiherr von der Heide"),
        ("Dr. med. Weber", "Weber", "Prof. Dr. Weber", "Weber, Dr."),
        ("Meier-Schmidt", "Meier Schmidt", "MEIER - SCHMIDT"),
        ("Schmidt geb. Meier", "Schmidt", "Schmidt (geb. Meier)"),
        ("van den Berg", "Berg", "Van Den Berg"),
        ("Sørensen", "Soerensen", "Sorensen"),
    ],
)
def test_family_names_of_different_conventions_are_the_same(alike: tuple[str, ...]) -> None:
    """What one register writes and another leaves out must not cost a match."""
    assert 1 == len({normalise(name, FAMILY) for name in alike})


@pytest.mark.parametrize(
    "alike",
    [
        ("Anna Maria", "Anna-Maria", "ANNA", "Anna, Maria", "Dr. Anna M."),
        ("Hans-Jürgen", "Hans Juergen", "Hans"),
        ("René", "Rene", "RENE"),
    ],
)
def test_given_names_of_different_conventions_are_the_same(alike: tuple[str, ...]) -> None:
    """One register has all given names in a field, the other the first alone."""
    assert 1 == len({normalise(name, GIVEN) for name in alike})


@pytest.mark.parametrize("name", ["Le", "von", "Graf", "Dr", "De La", "II", "Van"])
def test_a_name_that_is_nothing_else_stays(name: str) -> None:
    """Le is a particle in France and a family in Vietnam."""
    assert normalise(name, FAMILY)


@pytest.mark.parametrize(("one", "other"), [("Weber", "Webers"), ("Anna", "Anne"), ("Heide", "Heider")])
def test_other_names_stay_others(one: str, other: str) -> None:
    """The steps must not make everybody alike."""
    assert normalise(one, FAMILY) != normalise(other, FAMILY)


@given(st.text(max_size=12))
def test_normalising_twice_is_harmless(name: str) -> None:
    """A fixed point is reached."""
    for steps in (FAMILY, GIVEN):
        once = normalise(name, steps)
        assert once == normalise(once, steps)
