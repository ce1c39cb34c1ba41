"""
Signs in a column that values were lost before they came here: spoilt letters, values cut off, words for gaps.

Nothing in a single value tells it, and nobody further on can: encodings of spoilt names are as good as any.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from unveil.encoding.planning.contents import content_share
from unveil.encoding.planning.facts import sample_of_values
from unveil.records import Column
from unveil.schema import Attribute

#: UTF-8 read in a code page (Ã¼), what no encoding could hold, and letters that became question marks.
_SPOILT: Final = re.compile("[ÃÂÄÅ][\u0080-\u00bf‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|\ufffd|(?<=[^\\W\\d])\\?|\\?(?=[^\\W\\d])")
_OF_PAGES: Final = re.compile(r"&(?:#x?[0-9a-fA-F]{2,6}|[a-zA-Z]{2,8});|<[a-zA-Z/][^>]*>|%[0-9A-F]{2}")
_BESIDE: Final = re.compile(r"[()\[\]{}*/\\\"+=<>|]|\d")
_BESIDE_NAMES: Final = 0.01
_OF_PEOPLE: Final = frozenset({"given_name", "family_name", "middle_name"})
_SEVERAL: Final = 2
_ENOUGH: Final = 100  # values, for their lengths and the commonest of them to tell anything
_CUT: Final = 0.15  # of the values as long as the longest
_DISTINCT: Final = 20
_COMMON: Final = 0.05  # of the values: a name that one in twenty has is in the place of others
_STAND_INS: Final = 0.005
_WORDS: Final = frozenset({"given_name", "family_name", "street", "town"})  # birthplaces are often codes
_APART: Final = frozenset({"given_name", "family_name", "street", "email", "phone", "birth_date"})


def column_signs(attribute: Attribute, column: Column) -> list[str]:
    """What speaks for values of the attribute being lost, a sentence for each sign; none holds a value."""
    return [
        *_spoilt(column),
        *_notes(attribute, column),
        *_cut_off(attribute, column),
        *_stand_ins(column),
        *_commonest(attribute, column),
    ]


def _spoilt(column: Column) -> Iterator[str]:
    values = sample_of_values(column)
    count = sum(bool(_SPOILT.search(value)) for value in values)
    if count >= _SEVERAL:
        yield (
            f"letters are spoilt in {count / len(values):.1%} of the values, by a program that took them for another "
            "encoding: export the column again"
        )


def _notes(attribute: Attribute, column: Column) -> Iterator[str]:
    """Signs of a web page in values, and of what somebody wrote beside a name."""
    values = sample_of_values(column)
    of_pages = sum(bool(_OF_PAGES.search(value)) for value in values)
    if of_pages >= _SEVERAL:
        share = of_pages / len(values)
        yield f"{share:.1%} of the values hold signs of web pages, as &amp; for &: export the column again"
    beside = sum(bool(_BESIDE.search(value)) for value in values) if attribute.meaning in _OF_PEOPLE else 0
    if beside >= _SEVERAL and beside > _BESIDE_NAMES * len(values):
        share = beside / len(values)
        yield f"{share:.1%} of the values hold brackets, stars or digits: take out what is no part of the name"


def _cut_off(attribute: Attribute, column: Column) -> Iterator[str]:
    values = sample_of_values(column)
    if attribute.meaning not in _WORDS or len(values) < _ENOUGH or len(set(values)) <= _DISTINCT:
        return
    lengths = Counter(map(len, values))
    longest = max(lengths)
    if lengths[longest] > _CUT * len(values):
        share = lengths[longest] / len(values)
        signs = "1 character" if longest == 1 else f"{longest} characters"
        yield f"{share:.0%} of the values have {signs} and none has more: are they cut off?"


def _stand_ins(column: Column) -> Iterator[str]:
    values = sample_of_values(column)
    share = content_share("in the place of a missing value", values)
    if share > _STAND_INS and len(values) >= _ENOUGH:
        yield f"{share:.1%} of the values stand for a missing one, such as NA or unknown; leave them empty"


def _commonest(attribute: Attribute, column: Column) -> Iterator[str]:
    counts = column.counts()[column.lengths() > 0]
    share = float(counts.max(initial=0) / max(1, counts.sum()))
    if attribute.meaning in _APART and counts.sum() >= _ENOUGH and len(counts) > _DISTINCT and share > _COMMON:
        yield f"one value stands in {share:.0%} of the records that have one: is it in the place of others?"
