"""Codes of sex as m, f and x, from whichever words, letters or numbers a column has."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from unveil.forms.findings import Finding, FormedColumn, many, places_of, rewritten
from unveil.records import Column

MALE, FEMALE, OTHER, UNKNOWN = "m", "f", "x", ""

# fmt: off
_WORDS: Final = {
    MALE: """
        m male man boy mann maennlich mannlich mnl herr mr h homme masculin hombre masculino varon maschio maschile uomo
        homem masculino mannelijk jongen hane mand mies mezczyzna muz muzsky muski moski ferfi erkek barbat vyras
        virietis mees м муж мужской мужчина чол чоловіча α ανδρας αρρεν
    """,
    FEMALE: """
        f female woman girl w weiblich wbl frau mrs ms femme feminin mujer femenino hembra femmina femminile donna
        mulher feminino v vrouw vrouwelijk meisje k kvinna kvinne kvinde nainen kobieta zena zensky zenska zenski kadin
        bayan noi femeie moteris sieviete naine ж жен женский женщина жін жіноча γ γυναικα θηλυ
    """,
    OTHER: "x d divers diverse nonbinary intersex indeterminate o other andere inter",
    UNKNOWN: "u unknown unbekannt na n/a nan null none unspecified keine k.a. ka ? - not missing inconnu desconocido",
}
# fmt: on
_LETTERS: Final[dict[int, str]] = str.maketrans({"ä": "ae", "ß": "ss", "ı": "i", "й": "и", "ł": "l"})
_MEANS: Final = {word.replace("й", "и"): meaning for meaning, words in _WORDS.items() for word in words.split()}
#: Of numbers there is a standard, ISO 5218; 3 is how registers go on with it.
_NUMBERS: Final = {"0": UNKNOWN, "1": MALE, "2": FEMALE, "3": OTHER, "9": UNKNOWN}


def sex_column(column: Column) -> FormedColumn:
    """The codes of a column as m, f and x; what cannot be read becomes a missing value, and is counted."""
    words = [_plain(value) for value in column.distinct]
    there = set(words) - {""}
    means = _meanings(there)
    values = [means.get(word, "") for word in words]
    unread = [code for code, word in enumerate(words) if word and word not in means]
    return FormedColumn(rewritten(column, values), (*_numbers(there), *_unreadable(unread, column)))


def known_code(value: str) -> bool:
    """Whether the value is a code of sex that is known, so that naming it names nobody."""
    word = _plain(value)
    return word in _MEANS or word in _NUMBERS


def _meanings(there: AbstractSet[str]) -> dict[str, str]:
    """What each word means in this column."""
    means = dict(_MEANS)
    # Hombre and mujer: an m beside an h is a woman. Mies and nainen: an n beside an m.
    if "h" in there and "m" in there and not there & {"f", "w", "v", "k"}:
        means["m"] = FEMALE
    if "n" in there and "m" in there and not there & {"f", "w", "v", "k"}:
        means["n"] = FEMALE
    if "e" in there and "k" in there:  # erkek beside kadın
        means["e"] = MALE
    if not _is_untold(there):
        means |= _NUMBERS
    return means


def _is_untold(there: AbstractSet[str]) -> bool:
    """Whether numbers say not which is which: 0 and 1 without a 2."""
    numbers = {word for word in there if word.isdecimal()}
    return "0" in numbers and "1" in numbers and "2" not in numbers


def _numbers(there: AbstractSet[str]) -> Iterator[Finding]:
    if _is_untold(there):
        what = "0 and 1 say not which is a man and which a woman, and count as missing: write m and f"
        yield Finding(what)
    elif there & {"1", "2"}:
        yield Finding("1 is read as m and 2 as f, as in ISO 5218; if it is otherwise, write m and f", is_warning=False)


def _unreadable(codes: Sequence[int], column: Column) -> Iterator[Finding]:
    if codes:
        values, places = places_of(column, codes)
        what = f"cannot be read as a sex and count as missing, write m, f or x: {many(values, 'value')}"
        yield Finding(what, values=values, places=places)


def _plain(value: str) -> str:
    word = unicodedata.normalize("NFKD", value.strip().casefold().translate(_LETTERS))
    letters = "".join(letter for letter in word if not unicodedata.combining(letter)).rstrip(".")
    return letters.removesuffix(".0")
