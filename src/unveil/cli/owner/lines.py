"""Numbers as several of the owner's commands print them."""

from __future__ import annotations


def count(number: int, one: str, many: str | None = None) -> str:
    """The number with its thing, in the plural where it is one."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(part: float) -> str:
    """A share in percent."""
    return f"{part:.1%}"
