"""A table of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unveil.charts.markup import Child, Markup, el


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Child]], *, texts: int = 1) -> Markup:
    """A table; the first `texts` columns hold words, the others numbers."""
    kinds = ["" if index < texts else "number" for index in range(len(heads))]
    head = el(
        "tr", *(el("th", name, scope="col", class_=kind or None) for name, kind in zip(heads, kinds, strict=True))
    )
    body = [
        el("tr", *(el("td", cell, class_=kind or None) for cell, kind in zip(row, kinds, strict=True))) for row in rows
    ]
    whole = el("table", el("caption", caption), el("thead", head), el("tbody", *body))
    return el("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)
