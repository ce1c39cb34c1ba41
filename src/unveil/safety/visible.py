r"""
Text that somebody else wrote, made visible: nothing in it can steer a terminal, a page or a reader's eye.

Control characters (ESC, carriage return, the C1 controls such as U+009B), format characters (U+202E and the other
controls of direction, zero-width ones), line and paragraph separators and whatever Unicode has not assigned are written
as `\u001b`. JSON and TOML read that as the character again, so printed settings and results stay what they are.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

#: Categories of characters that steer instead of being seen: control, format, surrogate, private, unassigned, lines.
_STEERING: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_PLAIN: Final = re.compile(r"[ -~]*")


def visible(text: str) -> str:
    """The text on one line, with every character that is not simply seen written as an escape; stable if repeated."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(map(_seen, text))


def visible_lines(text: str) -> str:
    """The same for text of several lines that are our own: line feeds stay."""
    return "\n".join(map(visible, text.split("\n")))


def visible_json(text: str) -> str:
    """JSON text with such characters escaped; it means the same."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(each if _seen(each) == each else json.dumps(each)[1:-1] for each in text)


def _seen(character: str) -> str:
    if unicodedata.category(character) not in _STEERING:
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"  # noqa: PLR2004 - the basic plane
