"""
Two values of an attribute, as much of them as a reviewer has opened.

Every character has a cover: `*` where the two values agree, a placeholder where they differ (the same one for the same
character in both values), nothing for separators. A stage lifts covers, and lifts at least those of the stage before.
A character under its cover is in no result, so that whoever is handed a `Masked` cannot look beneath. Both values come
as rows of one length: what is aligned stands in one column, and where one value has nothing there is a gap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import Final, Literal

from unveil.linkage.shown import SEPARATORS
from unveil.roles.review_unit import words
from unveil.roles.review_unit.alignment import Edit, EditStep, align, fold
from unveil.roles.review_unit.likeness import are_alike
from unveil.roles.review_unit.rows import Glyph, Row, Sort, aligned, collapsed, side_by_side, text
from unveil.roles.review_unit.words import Phrase

Show = Literal["characters", "placeholders"]
Kind = Literal["text", "date"]

AGREES: Final = "*"
HIDDEN_RUN: Final = 3  # length of every run of covers when lengths are hidden
SWAPPED_PAIR: Final = ("@", "&")
#: Placeholders in the order in which they are given out. None is a letter or a digit, and none an icon.
PLACEHOLDERS: Final = "$%@&#=~^<>!|:;" + "".join(map(chr, [*range(0x25A0, 0x2600), *range(0x2200, 0x2300)]))
_SPENT = "¤"  # stands for every character beyond the last placeholder
_UNPRINTABLE = "\ufffd"  # an opened control character must not reach a terminal or reorder a page

_YEAR_FIRST = re.compile(r"(?P<year>\d{4})([-/ ])(?P<one>\d\d)\2(?P<two>\d\d)")
_YEAR_LAST = re.compile(r"(?P<one>\d\d)([-/ ])(?P<two>\d\d)\2(?P<year>\d{4})")


_Side = tuple[list[Glyph], tuple[bool, ...], float]  # glyphs, which are opened, their share without separators


class Stage(IntEnum):
    """How far an attribute is opened. It only ever rises."""

    MASKED = 0
    DIFFERING = 1
    FULL = 2


@dataclass(frozen=True, slots=True, repr=False)
class Masked:
    """
    Both values as they may be shown, and which of their characters that opens.

    `opened_left` and `opened_right` have a mark per character; they tell the length even where the texts hide it, so
    they serve the cost of an opening and are not for the page.
    """

    rows: tuple[Row, Row]
    icon: str
    said: tuple[Phrase, ...]
    opened_left: tuple[bool, ...]
    opened_right: tuple[bool, ...]
    share_left: float
    share_right: float

    def __repr__(self) -> str:
        return f"Masked(<{self.words}>)"

    @property
    def left(self) -> str:
        """The left row as text."""
        return text(self.rows[0])

    @property
    def right(self) -> str:
        """The right row as text, as long as the left one."""
        return text(self.rows[1])

    @property
    def words(self) -> str:
        """What is said of the difference, in English."""
        return words.english(self.said)


def mask_values(
    left: str,
    right: str,
    *,
    show: Show,
    stage: Stage = Stage.MASKED,
    length_hiding: bool = False,
    kind: Kind = "text",
) -> Masked:
    """
    Return both values as the stage shows them.

    MASKED covers every character but separators; with `show="characters"` it shows differing ones at once. DIFFERING
    shows differing characters, FULL all. `kind="date"` notices a day and month that changed places. Swapping the two
    values swaps the result, except that placeholders are named in order of appearance, left first: naming them by
    anything else would tell which of two hidden characters is the greater.
    """
    crossed = _crossed_date(left, right) if kind == "date" else None
    seen = Stage.DIFFERING if show == "characters" and stage is Stage.MASKED else stage
    script = align(left, right)
    covers = crossed or _covers(left, right, script)
    sides = [_uncover(value, cover, seen) for value, cover in zip((left, right), covers, strict=True)]
    if crossed:
        rows = side_by_side(sides[0][0], sides[1][0])
        icon: str = words.CROSSED
        said: tuple[Phrase, ...] = (Phrase("date crossed"),)
    else:
        rows = aligned(sides[0][0], sides[1][0], script)
        differing = "".join("".join(step.taken(left, right)) for step in script if step.edit is not Edit.AGREE)
        icon, said = words.describe(script, words.noun(differing, is_shown=show == "characters"))
    return _masked(sides, collapsed(*rows, HIDDEN_RUN) if length_hiding else rows, icon, said)


def are_worth_showing(left: str, right: str) -> bool:
    """Whether a reviewer learns more from the two values than that they are different; the same both ways."""
    return are_alike(left, right) or _crossed_date(left, right) is not None


def mask_crossed_names(
    left: tuple[str, str], right: tuple[str, str], *, stage: Stage = Stage.MASKED, length_hiding: bool = False
) -> tuple[Masked, Masked]:
    """
    Return first and last names that changed places, each name covered by one placeholder until it is opened.

    One step opens both names: which characters differ says nothing here.
    """
    one, two = SWAPPED_PAIR
    seen = Stage.MASKED if stage is Stage.MASKED else Stage.FULL

    def side(name: str, mark: str) -> _Side:
        glyphs, opened, share = _uncover(name, ["" if letter in SEPARATORS else mark for letter in name], seen)
        return (_shortened(glyphs) if length_hiding else glyphs), opened, share

    said = (Phrase("names crossed"),)
    first, last = ([side(left[0], one), side(right[0], two)], [side(left[1], two), side(right[1], one)])
    return tuple(  # type: ignore[return-value]
        _masked(sides, side_by_side(sides[0][0], sides[1][0]), words.CROSSED, said) for sides in (first, last)
    )


def _shortened(glyphs: list[Glyph]) -> list[Glyph]:
    """Every hidden run cut or stretched to one length."""
    result: list[Glyph] = []
    for glyph, run in groupby(glyphs):
        result += [glyph] * HIDDEN_RUN if glyph.sort is Sort.HIDDEN else list(run)
    return result


def are_crossed(left: tuple[str, str], right: tuple[str, str]) -> bool:
    """Whether two different names stand in opposite columns of the two records."""
    return fold(left[0]) == fold(right[1]) and fold(left[1]) == fold(right[0]) and fold(left[0]) != fold(left[1])


def kind_of(left: str, right: str) -> Kind:
    """A date if both values are written as one, year first or last with two-digit day and month; text otherwise."""
    both = all(_YEAR_FIRST.fullmatch(value) or _YEAR_LAST.fullmatch(value) for value in (left, right))
    return "date" if both else "text"


def _covers(left: str, right: str, script: tuple[EditStep, ...]) -> tuple[list[str], list[str]]:
    """The cover of every character of both values."""
    names = _Names()
    a, b = fold(left), fold(right)
    covers: tuple[list[str], list[str]] = ([], [])
    for step in script:
        taken = step.taken(a, b)
        if step.edit is Edit.SWAP:
            names.reserve(taken[0])
        for letters, cover in zip(taken, covers, strict=True):
            for letter in letters:
                if letter in SEPARATORS:
                    cover.append("")
                else:
                    cover.append(AGREES if step.edit is Edit.AGREE else names.of(letter))
    return covers


class _Names:
    """Placeholders given out so far, one for each distinct character."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._free = list(PLACEHOLDERS)

    def of(self, letter: str) -> str:
        if letter not in self._given:
            self._given[letter] = self._free.pop(0) if self._free else _SPENT
        return self._given[letter]

    def reserve(self, letters: str) -> None:
        """Give swapped neighbours the pair of placeholders that reviewers know a swap by, while it is free."""
        for letter, name in zip(letters, SWAPPED_PAIR, strict=True):
            if letter not in self._given and letter not in SEPARATORS and name in self._free:
                self._free.remove(name)
                self._given[letter] = name


def _crossed_date(left: str, right: str) -> tuple[list[str], list[str]] | None:
    """The covers of two dates whose day and month changed places; None if they did not."""
    for layout in (_YEAR_FIRST, _YEAR_LAST):
        a, b = layout.fullmatch(left), layout.fullmatch(right)
        if a and b and a["year"] == b["year"] and a["one"] == b["two"] and a["two"] == b["one"] != a["one"]:
            one, two = SWAPPED_PAIR
            return _date_cover(a, one, two), _date_cover(b, two, one)
    return None


def _date_cover(date: re.Match[str], one: str, two: str) -> list[str]:
    cover = ["" if letter in SEPARATORS else AGREES for letter in date.string]
    for part, mark in (("one", one), ("two", two)):
        cover[slice(*date.span(part))] = mark * 2
    return cover


def _uncover(value: str, cover: list[str], stage: Stage) -> _Side:
    """One side as the stage shows it."""
    lifts_all, lifts_differing = stage is Stage.FULL, stage >= Stage.DIFFERING
    opened = tuple(lifts_all or over == "" or (lifts_differing and over != AGREES) for over in cover)
    glyphs = [_glyph(*each) for each in zip(value, cover, opened, strict=True)]
    counted = [is_open for is_open, over in zip(opened, cover, strict=True) if over != ""]
    return glyphs, opened, sum(counted) / len(counted) if counted else 1.0


def _glyph(letter: str, over: str, is_open: bool) -> Glyph:  # noqa: FBT001 - one row of a table
    if not is_open:
        return Glyph(over, Sort.AGREES if over == AGREES else Sort.HIDDEN)
    sign = letter if letter.isprintable() else _UNPRINTABLE
    return Glyph(sign, Sort.OPEN if over else Sort.LAYOUT)


def _masked(sides: list[_Side], rows: tuple[Row, Row], icon: str, said: tuple[Phrase, ...]) -> Masked:
    (_, opened_left, share_left), (_, opened_right, share_right) = sides
    return Masked(rows, icon, said, opened_left, opened_right, share_left, share_right)
