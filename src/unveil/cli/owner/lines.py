"""Words and numbers that several of the owner's commands print."""

from __future__ import annotations

from datetime import UTC, datetime

from unveil.roles.owner.allowance import Caps
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER


def count(number: int, one: str, many: str | None = None) -> str:
    """The number with its thing, in the plural where it is one."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(part: float) -> str:
    """A share in percent."""
    return f"{part:.1%}"


def moment(time: float) -> str:
    """A Unix time as UTC text."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def day(number: int) -> str:
    """The date of a UTC day that is counted from 1970."""
    return moment(number * 86_400)[:10]


def caps(given: Caps, layer: int) -> dict[str, int | None]:
    """The caps that concern a layer, in words; None is no cap."""
    if layer == ATTRIBUTE_LAYER:
        return {
            "pairs per record": given.record_pairs,
            "pairs in all": given.project_pairs,
            "pairs per day": given.day_pairs,
        }
    return {
        "reviews per record": given.record_reviews,
        "records per attribute": given.attribute_records,
        "values in all": given.project_values,
        "values per day": given.day_values,
    }
