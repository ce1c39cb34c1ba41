"""A column in the form of its attribute's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from unveil.forms.date_columns import date_column, year_column
from unveil.forms.dates import First
from unveil.forms.findings import FormedColumn
from unveil.forms.postcodes import postcode_column
from unveil.forms.sexes import sex_column
from unveil.records import Column
from unveil.schema import Attribute
from unveil.schema.attribute_types import TEXT, TYPES
from unveil.settings.choices import binding

#: The function behind each type: it is given the column, the attribute, and what a person says comes first in dates.
FUNCTIONS: Final[dict[str, Callable[[Column, Attribute, First | None], FormedColumn]]] = {}
forms = binding(TYPES, FUNCTIONS)


def in_form(column: Column, attribute: Attribute, *, first: First | None = None) -> FormedColumn:
    """The column of that attribute in the form that all owners compare, and what was found on the way."""
    return FUNCTIONS[attribute.type](column, attribute, first)


@forms(TEXT)
def _text(column: Column, _: Attribute, __: First | None) -> FormedColumn:
    return FormedColumn(column)


@forms("date")
def _date(column: Column, attribute: Attribute, first: First | None) -> FormedColumn:
    return date_column(column, two_digit_years=attribute.two_digit_years, first=first)


@forms("year")
def _year(column: Column, attribute: Attribute, first: First | None) -> FormedColumn:
    return year_column(column, two_digit_years=attribute.two_digit_years, first=first)


@forms("postcode")
def _postcode(column: Column, attribute: Attribute, _: First | None) -> FormedColumn:
    return postcode_column(column, length=attribute.length)


@forms("sex")
def _sex(column: Column, _: Attribute, __: First | None) -> FormedColumn:
    return sex_column(column)
