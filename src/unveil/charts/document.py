"""A page: one HTML file without scripts that loads nothing."""

from __future__ import annotations

from importlib import resources
from typing import Final

from unveil.charts.markup import Child, Markup, el

#: Nothing may be loaded or run, so even a value that slipped through the escaping could do nothing.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def document(title: str, *body: Child, style: str = "") -> str:
    """The page as an HTML document, the same bytes for the same arguments; `style` is added to the style sheet."""
    sheet = resources.files("unveil.charts").joinpath("style.css").read_text(encoding="utf-8")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", title),
        el("style", Markup(sheet + style)),
    )
    return f"<!doctype html>\n{el('html', head, el('body', *body), lang='en')}\n"


def section(key: str, heading: str, *children: Child) -> Markup:
    """A part of the page that a screen reader can jump to."""
    return el("section", el("h2", heading, id=key), *children, aria_labelledby=key)


def tiles(figures: list[tuple[str, str, str]]) -> Markup:
    """Large figures in plain words: the figure, its name and a note for each."""
    cells = [
        el("div", el("dt", name), el("dd", figure, class_="big"), el("dd", note, class_="note"))
        for figure, name, note in figures
    ]
    return el("dl", *cells, class_="headline")
