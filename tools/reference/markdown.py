"""Pieces of Markdown that the reference pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

GENERATED: Final = "<!-- Written by `make docs` from the code; change the code, not this page. -->"


def table(head: Sequence[str], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """The lines of a table."""
    cells = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return [f"| {' | '.join(row)} |" for row in cells]


def page(lines: Sequence[str]) -> str:
    """The text of a page."""
    return "\n".join(lines).rstrip("\n") + "\n"
