"""Pictures: shapes with classes that the style sheet colours, and the frame that names them to a screen reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unveil.charts.markup import Markup, el, join
from unveil.charts.scales import wrap

WIDE, NARROW = 880, 336
LINE_HEIGHT = 1.35
#: Below this width labels wrap, margins shrink and names move above their bars.
CRAMPED = 600
FORMS = ("circle", "square", "triangle", "diamond")


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a chart drew for one width."""

    width: float
    height: float
    body: Markup


DrawPicture = Callable[[int], Drawing]


def figure(key: str, title: str, desc: str, draw: DrawPicture, caption: str) -> Markup:
    """The picture in both widths, with its name, its description and the sentence under it."""
    pictures = [_picture(f"{key}-{name}", name, title, desc, draw(width)) for name, width in _WIDTHS]
    return el("figure", *pictures, el("figcaption", caption), id=f"figure-{key}")


_WIDTHS = (("wide", WIDE), ("narrow", NARROW))


def _picture(key: str, kind: str, title: str, desc: str, drawing: Drawing) -> Markup:
    return el(
        "svg",
        el("title", title, id=f"{key}-title"),
        el("desc", desc, id=f"{key}-desc"),
        drawing.body,
        class_=kind,
        viewBox=f"0 0 {drawing.width:.0f} {drawing.height:.0f}",
        role="img",
        aria_labelledby=f"{key}-title",
        aria_describedby=f"{key}-desc",
    )


def cramped(width: float) -> bool:
    """Whether the picture is drawn for a narrow screen."""
    return width < CRAMPED


def text(x: float, y: float, content: str, kind: str = "", *, anchor: str = "start") -> Markup:
    """One line of text on the baseline y."""
    return el("text", content, x=x, y=y, class_=kind or None, text_anchor=None if anchor == "start" else anchor)


def paragraph(x: float, y: float, content: str, *, width: float, size: float, kind: str = "") -> tuple[Markup, float]:
    """The text in lines no wider than `width`, and the y below its last line; y is the top."""
    lines = wrap(content, width, size, bold="strong" in kind)
    step = size * LINE_HEIGHT
    body = join(text(x, y + size + step * index, line, kind) for index, line in enumerate(lines))
    return body, y + step * len(lines)


def rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return el("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def box(x: float, y: float, width: float, height: float, kind: str, *, round_by: float | None = None) -> Markup:
    """A rectangle; a negative extent is drawn as none."""
    return el("rect", x=x, y=y, width=max(width, 0.0), height=max(height, 0.0), rx=round_by, class_=kind)


def path(points: Sequence[tuple[float, float]], kind: str, *, closed: bool = False) -> Markup:
    """A line through the points, closed to an area on request."""
    steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return el("path", d=f"M{steps}{'Z' if closed else ''}", class_=kind)


def marker(form: str, x: float, y: float, kind: str, *, r: float = 4.0) -> Markup:
    """A mark of one of FORMS around a point."""
    match form:
        case "square":
            return box(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8, kind)
        case "triangle":
            return path(
                [(x, y - r * 1.2), (x + r * 1.15, y + r * 0.85), (x - r * 1.15, y + r * 0.85)], kind, closed=True
            )
        case "diamond":
            return path([(x, y - r * 1.3), (x + r * 1.3, y), (x, y + r * 1.3), (x - r * 1.3, y)], kind, closed=True)
        case _:
            return el("circle", cx=x, cy=y, r=r, class_=kind)


def arrow(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight arrow along one axis, its head at the second point."""
    head, half = 8.0, 4.5
    if x1 == x2:
        back = y2 - head if y2 > y1 else y2 + head
        tip = [(x2, y2), (x2 - half, back), (x2 + half, back)]
        return join([rule(x1, y1, x2, back, f"{kind} shaft"), path(tip, f"{kind} head", closed=True)])
    back = x2 - head if x2 > x1 else x2 + head
    tip = [(x2, y2), (back, y2 - half), (back, y2 + half)]
    return join([rule(x1, y1, back, y2, f"{kind} shaft"), path(tip, f"{kind} head", closed=True)])
