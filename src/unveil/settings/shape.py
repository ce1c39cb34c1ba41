"""
Whether a TOML text is small enough to be parsed: its length, its keys, its depth.

A few hundred kilobytes of dotted keys keep a parser busy for hours, since it walks the whole path for each part of each
key. So what a text holds is counted first, in one pass that understands nothing but strings, comments and signs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 1 << 20  # characters; no settings file of people is near it
MOST_KEYS: Final = 20_000
_LINE: Final = "\n"
DEEPEST: Final = 16  # parts of a dotted key, or tables and lists within each other

#: What a sign, a comment or the beginning of a string looks like. Everything between them counts for nothing.
_TOKEN: Final = re.compile(r"#[^\n]*|\"\"\"|'''|\"|'|[\[\]{}=.,\n]")
#: Where a string ends that begins so; up to two quotation marks before the last three belong to its text.
_ENDS: Final = {
    '"""': re.compile(r'(?:[^\\"]|\\.|"(?!""))*"{3,5}', re.DOTALL),
    "'''": re.compile(r"(?:[^']|'(?!''))*'{3,5}"),
    '"': re.compile(r'(?:[^\\"\n]|\\.)*"'),
    "'": re.compile(r"[^'\n]*'"),
}


def too_much(text: str) -> str | None:
    """What there is too much of, in words; None if the text may be parsed."""
    if len(text) > LONGEST:
        return f"longer than {LONGEST // 1024} kB"
    found, place = _Counts(), 0
    while (token := _TOKEN.search(text, place)) is not None:
        sign, place = token[0], token.end()
        if sign in _ENDS:
            end = _ENDS[sign].match(text, place)
            if end is None:
                return f"not valid TOML: a string does not end (line {text.count(_LINE, 0, place) + 1})"
            place = end.end()
        elif not sign.startswith("#"):
            found.add(sign)
        if found.keys > MOST_KEYS:
            return f"more than {MOST_KEYS} keys"
        if max(found.depth, found.parts) >= DEEPEST:
            return f"keys or lists more than {DEEPEST} deep"
    return None


@dataclass(slots=True)
class _Counts:
    """Keys so far, brackets that are open, and dots since the last sign of another kind."""

    keys: int = 0
    depth: int = 0
    parts: int = 0

    def add(self, sign: str) -> None:
        self.parts = self.parts + 1 if sign == "." else 0
        if sign in "[{":
            self.depth += 1
        elif sign in "]}":
            self.depth = max(0, self.depth - 1)
        self.keys += sign in "=]"  # the name of a table is a key too
