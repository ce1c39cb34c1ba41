"""A picture as a file of its own: SVG without variables, scripts or anything from elsewhere, on a white ground."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final

from unveil.charts.markup import Markup, el
from unveil.charts.svg import Drawing

_MARGIN: Final = 16
_FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"


def standalone(drawing: Drawing, title: str, desc: str) -> str:
    """The picture as an SVG document that any viewer shows alike: colours stand where the style sheet names them."""
    width, height = drawing.width + 2 * _MARGIN, drawing.height + 2 * _MARGIN
    document = el(
        "svg",
        el("title", title),
        el("desc", desc),
        el("style", Markup(_style())),
        el("rect", x=-_MARGIN, y=-_MARGIN, width=width, height=height, fill="#ffffff"),
        drawing.body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"{-_MARGIN} {-_MARGIN} {width:.0f} {height:.0f}",
        width=width,
        height=height,
        role="img",
    )
    return f"{document}\n"


@cache
def _style() -> str:
    """The rules of the style sheet that are about shapes, in its light colours."""
    sheet = resources.files("unveil.charts").joinpath("style.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", sheet[: sheet.index("@media")]))
    shapes = sheet[sheet.index("text {") : sheet.index(".pairs {")]
    shapes = re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], shapes)
    return f"svg {{ font: 13px {_FONT}; }}\n{shapes.strip()}\n"
