"""How entries go wrong: by attribute, the mistakes that people and machines make with such values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from unveil.lab.synthetic.registers import Ints, Values
from unveil.lab.synthetic.spelling import cut, mistyped, pick, short_form, variant

Uniform = Sequence[float]
#: Makes one wrong value of a right one, from uniform numbers.
Mistake = Callable[[str, Uniform], str]
_DIGITS: Final = "0123456789"
_LOOK_ALIKE: Final = str.maketrans("OILSBGZ", "0115862")


def typing(value: str, u: Uniform) -> str:
    """A slip of the fingers."""
    return mistyped(value, u[0], u[1], u[2]) if value else value


def sounding(value: str, u: Uniform) -> str:
    """Another spelling that sounds alike."""
    return variant(value, u[0])


def nickname(value: str, u: Uniform) -> str:
    """A short form of a name."""
    return short_form(value, u[0]) or cut(value)


def initial(value: str, _u: Uniform) -> str:
    """The first letter alone."""
    return value[:1]


def scanned(value: str, u: Uniform) -> str:
    """A letter that a machine took for a digit; a slip of the fingers where none looks like one."""
    places = [at for at, letter in enumerate(value) if letter.translate(_LOOK_ALIKE) != letter]
    if not places:
        return typing(value, u)
    at = pick(places, u[0])
    return value[:at] + value[at].translate(_LOOK_ALIKE) + value[at + 1 :]


def one_digit(value: str, u: Uniform) -> str:
    """One digit wrong."""
    places = [at for at, letter in enumerate(value) if letter.isdigit()]
    if not places:
        return value
    at = pick(places, u[0])
    return value[:at] + pick(_DIGITS.replace(value[at], ""), u[1]) + value[at + 1 :]


def swapped_digits(value: str, u: Uniform) -> str:
    """Two neighbouring digits exchanged; one wrong where that changes nothing."""
    places = [at for at in range(len(value) - 1) if value[at : at + 2].isdigit() and value[at] != value[at + 1]]
    if not places:
        return one_digit(value, u)
    at = pick(places, u[0])
    return value[:at] + value[at + 1] + value[at] + value[at + 2 :]


def day_for_month(value: str, u: Uniform) -> str:
    """Day and month of a date exchanged; a wrong digit where that gives no date, or the same."""
    year, month, day = value.split("-")
    if day == month or int(day) > 12:  # noqa: PLR2004 - months
        return one_digit(value, u)
    return f"{year}-{day}-{month}"


def other_case(value: str, u: Uniform) -> str:
    """The other letter of two."""
    del u
    return {"F": "M", "M": "F"}.get(value, value)


def without_last_word(value: str, u: Uniform) -> str:
    """Without its last word, as a narrow column leaves it; a slip of the fingers where there is only one."""
    head, _, _ = value.rpartition(" ")
    return head or typing(value, u)


_NAME: Final = ((typing, 0.5), (sounding, 0.2), (scanned, 0.15), (without_last_word, 0.15))
_NUMBER: Final = ((one_digit, 0.6), (swapped_digits, 0.4))
#: The mistakes of each attribute, and how often each is the one.
MISTAKES: Final[dict[str, tuple[tuple[Mistake, float], ...]]] = {
    "given_name": ((typing, 0.35), (nickname, 0.3), (sounding, 0.15), (initial, 0.1), (scanned, 0.1)),
    "middle_name": ((initial, 0.5), (typing, 0.3), (nickname, 0.2)),
    "family_name": _NAME,
    "date_of_birth": ((one_digit, 0.5), (day_for_month, 0.25), (swapped_digits, 0.25)),
    "year_of_birth": _NUMBER,
    "birth_month": _NUMBER,
    "birth_day": _NUMBER,
    "sex": ((other_case, 1.0),),
    "street": ((typing, 0.4), (one_digit, 0.3), (without_last_word, 0.3)),
    "house_number": _NUMBER,
    "road": ((typing, 0.6), (without_last_word, 0.4)),
    "postcode": _NUMBER,
    "town": _NAME,
    "region": ((typing, 1.0),),
    "birthplace": _NAME,
    "occupation": _NAME,
    "phone": _NUMBER,
    "id_number": _NUMBER,
}


def spoil(attribute: str, values: Values, rows: Ints, rng: np.random.Generator) -> None:
    """Put a mistake into these rows of an attribute, in place."""
    mistakes, shares = zip(*MISTAKES[attribute], strict=True)
    kind = np.searchsorted(np.cumsum(shares)[:-1], rng.random(len(rows)), side="right")
    for row, one, u in zip(rows.tolist(), kind.tolist(), rng.random((len(rows), 3)).tolist(), strict=True):
        if values[row]:
            values[row] = mistakes[one](values[row], u)
