"""
What the pages say, in each language one table of sentences: a file of `sentences`, named by the language's code.

A further language is a further file with the same keys; a test compares them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

DEFAULT: Final = "en"
_FOLDER: Final = Path(__file__).with_name("sentences")
_WISH: Final = re.compile(r"\s*([a-zA-Z]{2,3})(?:-[a-zA-Z0-9]+)*\s*(?:;\s*q=([0-9.]{1,5}))?\s*")


@dataclass(frozen=True, slots=True)
class Language:
    """One table of sentences: `code` as in HTML, `name` as its speakers call it."""

    code: str
    name: str
    sentences: Mapping[str, Any]

    def say(self, key: str) -> str:
        """The sentence of that key, such as "page.log_out"; KeyError if there is none."""
        found: Any = self.sentences
        for part in key.split("."):
            found = found[part]
        return str(found)


@cache
def languages() -> Mapping[str, Language]:
    """Every language there is, by its code."""
    found = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        found[path.stem] = Language(path.stem, table["language"], table)
    return found


def chosen(code: str | None, wishes: str | None) -> Language:
    """The language somebody chose, or else the one that their browser likes best of those there are."""
    known = languages()
    if code is not None and code in known:
        return known[code]
    ranked = []
    for place, wish in enumerate((wishes or "")[:200].split(",")):
        match = _WISH.fullmatch(wish)
        if match and match[1].lower() in known:
            ranked.append((-_weight(match[2]), place, match[1].lower()))
    return known[min(ranked)[2] if ranked else DEFAULT]


def _weight(text: str | None) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0
