"""What each key of the terminal reviewer means, as terminals send it, and the texts that explain them."""

from __future__ import annotations

import re
from typing import Final

CONFIDENCE: Final = {"1": 0.5, "2": 0.6, "3": 0.7, "4": 0.8, "5": 0.9, "6": 1.0}
LABELS: Final = {"m": True, "n": False, "s": None}
#: Tab, Shift-Tab and the arrows: up and left go back. Terminals send arrows in two ways, Windows in two others.
MOVES: Final = {"\t": 1, "\x1b[Z": -1} | {
    f"{prefix}{letter}": move
    for prefix, letters in (("\x1b[", "ADBC"), ("\x1bO", "ADBC"), ("\xe0", "HKPM"), ("\x00", "HKPM"))
    for letter, move in zip(letters, (-1, -1, 1, 1), strict=True)
}
ENTER: Final = ("\r", "\n")
QUIT: Final = ("q", "\x04")
UNDO: Final = "u"
HELP: Final = "?"

SHORT_HELP: Final = """\
m match  n non-match  s unsure  1-6 confidence  arrows/Tab move
Enter open one step  u undo  ? keys  q save and quit"""
LONG_HELP: Final = """\
m  match            the two records are about one person
n  non-match        they are about two people
s  unsure           no label is spent on the pair
1 to 6              how sure the next label is (6 unless you say otherwise)
arrows, Tab         move between attributes
Enter               open the attribute one step; an opening cannot be undone
u                   undo the last label of this batch
q  or Ctrl-C        quit; everything is saved

*        the two values agree here
$ % @ …  a hidden character; the same sign is the same character
·        a gap: only the other value has a character here
✎ replaced   + added   ⇄ neighbours swapped   ⤨ changed places
✓ equal      ✗ different       ? missing or withheld

Any key goes back."""

_ONE_KEY = re.compile(r"\x1b[\[O][A-Z]|[\xe0\x00].|.", re.DOTALL)


def first_key(typed: str) -> str:
    """
    The first of the keys that were typed, letters in lower case; empty if there is none.

    Further keys that came with it are dropped: a key typed ahead must not label a pair nobody has seen.
    """
    found = _ONE_KEY.match(typed)
    key = found[0] if found else ""
    return key.lower() if len(key) == 1 else key
