"""How a table of records is read: what a person says about it; whatever is not said is found from the table itself."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from unveil.errors import SettingError
from unveil.forms.dates import First

#: In the place of a column: records are identified by the number of their row.
ROW: Final = "row"
#: The names that delimiters have on a command line, where a tab is hard to type.
DELIMITERS: Final[dict[str, str]] = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}

#: Names that people have for code pages and Python has not.
_CALLED: Final = {"ansi": "cp1252", "latin": "latin-1", "excel": "cp1252", "dos": "cp850", "utf8-bom": "utf-8-sig"}
#: Encodings of text that no table is written in.
_NO_TABLE: Final = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7", "mbcs"})


@dataclass(frozen=True, slots=True)
class Reading:
    """
    How one table is read.

    `encoding` and `delimiter` are found if they are None. Without a `header` columns are called 1, 2, 3, … `sheet` is a
    sheet of a workbook, `query` what is asked of a database, `dates` what comes first in dates that do not tell: day,
    month or year. `id` is the column that identifies a record, or `row`; the schema's if it is None. `columns` says by
    attribute which column it is read from; `street+number` are two, read behind each other.
    """

    encoding: str | None = None
    delimiter: str | None = None
    header: bool = True
    sheet: str | None = None
    query: str | None = None
    dates: First | None = None
    id: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.encoding is not None:
            object.__setattr__(self, "encoding", codec_named(self.encoding))
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _delimiter(self.delimiter))
        if self.dates is not None:
            object.__setattr__(self, "dates", first_in_dates(self.dates))


#: Whatever there is to find is found.
AS_FOUND: Final = Reading()


def codec_named(name: str) -> str:
    """Python's name for an encoding of text that a person named."""
    called = name.strip().casefold().replace("_", "-")
    try:
        codec = codecs.lookup(_CALLED.get(called, called))
    except (LookupError, ValueError):
        codec = None
    if codec is None or codec.name in _NO_TABLE or not codec._is_text_encoding:  # noqa: SLF001 - told by nothing else
        hint = "utf-8, utf-16, windows-1252, latin-1 and cp850 are usual; without --encoding it is found"
        raise SettingError("--encoding names no encoding of text that is known", hint=hint)
    return "utf-8" if codec.name == "utf-8-sig" else codec.name


def first_in_dates(given: str | None) -> First | None:
    """What comes first in dates, by the words that a person has for it."""
    if given is None:
        return None
    firsts: dict[str, First] = {"day-first": "day", "month-first": "month", "year-first": "year"}
    if given in firsts.values():
        firsts |= {first: first for first in firsts.values()}
    if given not in firsts:
        from unveil.settings.mistakes import near

        raise SettingError(f"--dates: not known{near(given, firsts)}", hint=f"one of {', '.join(firsts)}")
    return firsts[given]


def _delimiter(given: str) -> str:
    delimiter = DELIMITERS.get(given.casefold(), "\t" if given == "\\t" else given)
    if len(delimiter) != 1 or delimiter.isalnum() or delimiter in '"\r\n\0':
        from unveil.settings.mistakes import near

        guess = near(given.casefold(), DELIMITERS)
        hint = f"one sign, or {', '.join(DELIMITERS)}; without --delimiter it is found"
        raise SettingError(f"--delimiter: not a sign that may stand between values{guess}", hint=hint)
    return delimiter
