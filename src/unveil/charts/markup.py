"""HTML and SVG elements as text that is escaped unless it is markup already."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable

VOID = frozenset({"meta", "br", "col"})
#: Characters that HTML forbids, and the ones that turn the direction of the text around them.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Markup(str):
    """Text that is markup already. Only this module makes it from plain text."""

    __slots__ = ()


Child = Markup | str | None
Value = str | int | float | None


def escape(text: str) -> Markup:
    """The text as markup that shows exactly that text, in an element or in a quoted attribute."""
    return Markup(html.escape(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text), quote=True))


def join(children: Iterable[Child]) -> Markup:
    """The children one after the other, escaped where they are not markup."""
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children if child))


def el(name: str, /, *children: Child, **attributes: Value) -> Markup:
    """
    The element of that name.

    An attribute that is None is left out. `class_` stands for class, and an underscore inside a name for a hyphen.
    """
    head = name + "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{head}>" if name in VOID else f"<{head}>{join(children)}</{name}>")


def _plain(value: str | float) -> str:
    """The value as an attribute holds it: numbers with at most one decimal, never NaN."""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        raise ValueError("a coordinate is not a number")
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
