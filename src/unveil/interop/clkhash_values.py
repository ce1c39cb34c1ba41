"""
Values as clkhash takes them: held against the format of their feature, and written in the one form that is hashed.

Nothing is trimmed or normalised: clkhash hashes a value as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from unveil.interop.clkhash_schema import DateFormat, EnumFormat, HashedFeature, IntegerFormat, StringFormat

_HASHED_DATE: Final = "%Y%m%d"


class UnfitValue(ValueError):
    """A value is not what the schema says of its feature; says why, without the value."""


def value_in_form(feature: HashedFeature) -> Callable[[str], str]:
    """A function from a value to the text that is hashed for it; UnfitValue where the schema forbids the value."""
    form = _form_of(feature)
    missing = feature.hashing.missing_value
    if missing is None:
        return form
    sentinel = missing.sentinel
    instead = sentinel if missing.replace_with is None else missing.replace_with
    return lambda value: instead if value == sentinel else form(value)


def _form_of(feature: HashedFeature) -> Callable[[str], str]:
    match feature.format:
        case StringFormat() as text:
            return _text(text)
        case IntegerFormat() as number:
            return _integer(number)
        case DateFormat() as date:
            return _date(date)
        case EnumFormat() as choice:
            return _choice(choice)


def _text(form: StringFormat) -> Callable[[str], str]:
    pattern = None if form.pattern is None else re.compile(form.pattern)
    least, most = form.min_length or 0, form.max_length

    def checked(value: str) -> str:
        if pattern is not None and pattern.fullmatch(value) is None:
            raise UnfitValue("does not fit the pattern in the schema")
        if form.encoding == "ascii" and not value.isascii():
            raise UnfitValue("has letters beyond ASCII, which the schema asks for")
        if len(value) < least:
            raise UnfitValue(f"is shorter than {least} characters")
        if most is not None and len(value) > most:
            raise UnfitValue(f"is longer than {most} characters")
        if form.case != "mixed" and value != (value.upper() if form.case == "upper" else value.lower()):
            raise UnfitValue(f"is not {form.case} case")
        return value

    return checked


def _integer(form: IntegerFormat) -> Callable[[str], str]:
    def checked(value: str) -> str:
        try:
            number = int(value)
        except ValueError:
            raise UnfitValue("is no whole number") from None
        if form.minimum is not None and number < form.minimum:
            raise UnfitValue(f"is less than {form.minimum}")
        if form.maximum is not None and number > form.maximum:
            raise UnfitValue(f"is more than {form.maximum}")
        return str(number)

    return checked


def _date(form: DateFormat) -> Callable[[str], str]:
    def checked(value: str) -> str:
        try:
            # Days have no zone; this is the pair of calls that clkhash makes, and years before 1000 come out as there.
            return datetime.strptime(value, form.format).strftime(_HASHED_DATE)  # noqa: DTZ007
        except ValueError:
            raise UnfitValue(f"is no date in the format {form.format}") from None

    return checked


def _choice(form: EnumFormat) -> Callable[[str], str]:
    values = frozenset(form.values)

    def checked(value: str) -> str:
        if value not in values:
            raise UnfitValue(f"is none of the {len(values)} values in the schema")
        return value

    return checked
