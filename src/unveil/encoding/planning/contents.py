"""
What the values of a column look like: for each kind of content the share of values that are of it.

Values are seen one by one and forgotten; what is kept are shares and counts, which name nobody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from unveil.encoding.normalise import normalise
from unveil.encoding.planning.common_names import FAMILY_NAMES, GIVEN_NAMES, STREET_ENDINGS, STREET_WORDS
from unveil.forms.date_shapes import SERIAL, Day, shape_of
from unveil.forms.dates import date_parts

_PLAIN: Final = ("transliterate", "trim", "lowercase", "strip-accents")
_OLDEST, _YOUNGEST = 1880, 2035
_SERIAL_DIGITS, _MOST_DIGITS_OF_A_DATE = 5, 8
_HOUR: Final = 3_600  # seconds
_PHONE: Final = re.compile(r"[+(]?[\d][\d\s()/.\-+]{4,22}\Z")
_PREFIX: Final = re.compile(r"\+|\(|00?[1-9]")
_POSTCODE: Final = re.compile(
    r"(?:[a-z]{1,2}-)?\d{4,6}\Z"  # most countries, with the country before it or not
    r"|\d{5}-\d{4}\Z|\d{2}-\d{3}\Z|\d{3} \d{2}\Z"  # United States, Poland, Sweden
    r"|[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}\Z"  # United Kingdom
    r"|[a-z]\d[a-z] ?\d[a-z]\d\Z|\d{4} ?[a-z]{2}\Z"  # Canada, Netherlands
)
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+\Z")
_DECIMAL: Final = re.compile(r"[-+]?\d*[.,]\d+\Z")
_HOUSE: Final = re.compile(r"\d{1,5}(?:[\s/\-]?[a-z\d]{1,4})?\Z")
_INNER: Final = re.compile(r"[\s,]+")
_PHONE_DIGITS: Final = (6, 15)
# fmt: off
_SEX: Final = frozenset({
    "m", "f", "w", "d", "x", "u", "o", "h", "v", "k", "male", "female", "man", "woman", "diverse", "divers", "other",
    "unknown", "unbekannt", "maennlich", "weiblich", "mann", "frau", "homme", "femme", "masculin", "feminin", "hombre",
    "mujer", "masculino", "femenino", "feminino", "maschio", "femmina", "maschile", "femminile", "vrouw", "kvinna",
    "kvinne", "kvinde", "mies", "nainen", "mezczyzna", "kobieta", "erkek", "kadin", "muz", "zena", "ferfi", "barbat",
    "femeie",
})
_WHICH_SEX: Final = _SEX - {"d", "x", "u", "o", "diverse", "divers", "other", "unknown", "unbekannt"}
_IN_THE_PLACE: Final = frozenset({
    "na", "n/a", "nan", "null", "none", "nil", "unknown", "unk", "missing", "not known", "not available", "?", "-",
    "--", ".", "unbekannt", "k.a.", "keine angabe", "inconnu", "desconocido", "sconosciuto", "onbekend", "xxx", "xx",
})
# fmt: on


def _is_full_date(text: str) -> bool:
    shape = shape_of(text)
    return shape is not None and shape.group != SERIAL and any(map(_is_of_a_life, shape.days.values()))


def _is_of_a_life(day: Day) -> bool:
    is_full = bool(day.month and day.day) and day.may_be
    return is_full and (day.digits <= 2 or _OLDEST <= day.year <= _YOUNGEST)  # noqa: PLR2004


def _is_numbered_day(text: str) -> bool:
    """A spreadsheet's number of a day, or the seconds to it since 1970: what a column must be called to be believed."""
    whole = text.removesuffix(".0").removeprefix("-")
    if not whole.isdecimal() or _is_year(whole):
        return False
    return 3 <= len(whole) <= _SERIAL_DIGITS or (  # noqa: PLR2004 - shorter ones may be ages
        len(whole) > _MOST_DIGITS_OF_A_DATE and int(whole) % _HOUR == 0
    )


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and _OLDEST <= int(text) <= _YOUNGEST  # noqa: PLR2004 - digits


def _is_day_or_month(text: str) -> bool:
    return text.isdecimal() and len(text) <= 2 and 1 <= int(text) <= 31  # noqa: PLR2004 - days of a month


def _is_age(text: str) -> bool:
    return text.isdecimal() and len(text) <= 3 and int(text) <= 120  # noqa: PLR2004 - nobody is older


def _is_phone(text: str) -> bool:
    least, most = _PHONE_DIGITS
    return bool(_PHONE.match(text)) and least <= sum(letter.isdecimal() for letter in text) <= most


def _is_dialled(text: str) -> bool:
    """A number that is written as only telephone numbers are: with a prefix, or long and in three groups."""
    if not _is_phone(text):
        return False
    digits = sum(letter.isdecimal() for letter in text)
    is_long = digits >= 10 and len(re.findall(r"[\s/()\-.]+", text)) > 1  # noqa: PLR2004 - a social security number has 9
    return is_long or (bool(_PREFIX.match(text)) and digits >= 8)  # noqa: PLR2004 - shorter ones may be any number


def _is_words(text: str) -> bool:
    return any(letter.isalpha() for letter in text) and not any(letter.isdecimal() or letter in "@_" for letter in text)


def _is_street(text: str) -> bool:
    words = _INNER.split(text.replace(".", " ").strip())
    named = any(word in STREET_WORDS or word.endswith(STREET_ENDINGS) for word in words)
    return named and len(words) > 1


#: Each kind of content, with whether a value is of it. Values come in plain small letters.
CONTENTS: Final[dict[str, Callable[[str], bool]]] = {
    "full date": _is_full_date,
    "numbered day": _is_numbered_day,
    "calendar year": _is_year,
    "day or month": _is_day_or_month,
    "age": _is_age,
    "sex code": _SEX.__contains__,
    "male or female": _WHICH_SEX.__contains__,
    "e-mail": lambda text: bool(_EMAIL.match(text)),
    "telephone": _is_phone,
    "dialled": _is_dialled,
    "postal code": lambda text: bool(_POSTCODE.match(text)),
    "house number": lambda text: bool(_HOUSE.match(text)),
    "street": _is_street,
    "decimal": lambda text: bool(_DECIMAL.match(text)),
    "words": _is_words,
    "several words": lambda text: len(_INNER.split(text)) > 1,
    "letters": lambda text: any(letter.isalpha() for letter in text),
    "digits": lambda text: any(letter.isdecimal() for letter in text),
    "digits alone": lambda text: not any(letter.isalpha() for letter in text) and any(map(str.isdecimal, text)),
    "common given name": lambda text: _INNER.split(text)[0] in GIVEN_NAMES,
    "common family name": lambda text: _INNER.split(text)[-1] in FAMILY_NAMES,
    "in the place of a missing value": _IN_THE_PLACE.__contains__,
}


def content_shares(values: Sequence[str]) -> dict[str, float]:
    """For every kind of content the share of these values that are of it; 0 where there is no value."""
    plain = [normalise(value, _PLAIN) for value in values]
    return {name: _share(fits, plain) for name, fits in CONTENTS.items()}


def content_share(name: str, values: Sequence[str]) -> float:
    """The share of these values that are of that kind."""
    return _share(CONTENTS[name], [normalise(value, _PLAIN) for value in values])


def _share(fits: Callable[[str], bool], plain: Sequence[str]) -> float:
    return sum(map(fits, plain)) / max(1, len(plain))


def year_span(values: Sequence[str]) -> int:
    """Years between the dates among these values, without the twentieth at either end; 0 where there are none."""
    years = sorted(int(found.year) for value in values if (found := date_parts(value)) and len(found.year) == 4)  # noqa: PLR2004
    return years[-1 - len(years) // 20] - years[len(years) // 20] if years else 0
