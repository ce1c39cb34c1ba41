"""
How the values of an attribute are read before they are compared: one table row for each type.

Two owners write the same day as 09.01.1944 and 1944-01-09, and their encodings have nothing in common. An attribute
with a type has one form in which both come out. What a column needs to be read is found from all of its values; the
functions stand in `forms`, bound by the type's name.
"""

from __future__ import annotations

from typing import Annotated, Final

from unveil.settings.choices import Choice, OneOf

TEXT: Final = "text"

#: Every type. Adding one is a row here and a function in `forms`.
TYPES: Final[dict[str, Choice]] = {
    TEXT: Choice(sentence="text as it stands in the file"),
    "date": Choice(
        sentence="a day as 1944-01-09, or a year alone, from whichever notation the column has; which number is the "
        "day is decided by the whole column"
    ),
    "year": Choice(sentence="a year as 1944, from a year or a date in whichever notation"),
    "postcode": Choice(
        sentence="a postal code in capitals, without blanks and country, with the zeros that a spreadsheet took; as "
        "long as `length` says, or as most of the column are"
    ),
    "sex": Choice(
        sentence="m, f or x from whichever words, letters or numbers the column has; 1 is m and 2 is f as in ISO 5218"
    ),
}

#: The name of a type.
AttributeType = Annotated[str, OneOf(TYPES)]
