"""
Transforms of blocking fields: what is asked for equality in the place of a value.

`schema.transforms` says what each of them is handed. Phonetic codes stand in `phonetics`, parts of dates in
`forms.dates`.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Final

from unveil.encoding.normalise import composed
from unveil.forms.dates import day_and_month_of, year_of
from unveil.schema.transforms import TRANSFORMS
from unveil.settings.choices import binding

#: The function behind each transform; none is called with an empty text.
FUNCTIONS: Final[dict[str, Callable[[str], str]]] = {}
transforms = binding(TRANSFORMS, FUNCTIONS)

transforms("year_of")(year_of)
transforms("day_and_month_of")(day_and_month_of)
transforms("last6")(itemgetter(slice(-6, None)))
transforms("first1")(itemgetter(slice(1)))
transforms("first2")(itemgetter(slice(2)))
transforms("first3")(itemgetter(slice(3)))
transforms("first4")(itemgetter(slice(4)))


@transforms("raw")
def _raw(value: str) -> str:
    return composed(value).strip()
